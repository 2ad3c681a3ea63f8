"""The frames of a pasted stack trace, as rows above what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.frames import Place
from codesearch.pages.links import file_url
from codesearch.payloads import Payload
from indexer.pipeline.paths import path_url


@dataclass(frozen=True, slots=True)
class FrameRow:
    """One frame in an indexed file: `path` at its line, and the chunk over it."""

    place: Place
    repository: str
    name: str
    url: str


@dataclass(frozen=True, slots=True)
class FramesView:
    """The frames that were found, newest first, and those in no indexed file."""

    rows: list[FrameRow]
    missing: list[Place]
    query: str


def frames_view(places: Sequence[Place], query: str) -> FramesView:
    """Return the rows of a stack trace; `query` is what was searched for."""
    rows = []
    for place in places:
        if place.file is None:
            continue
        build = place.file.build
        where: Payload = {
            "repository": build.index.repository.name,
            "revision": build.revision,
            "path_url": path_url(place.file.path_bytes),
            "start_line": place.frame.line,
        }
        name = place.chunk.symbol if place.chunk else ""
        rows.append(FrameRow(place, where["repository"], name, file_url(where)))
    missing = [place for place in places if place.file is None]
    return FramesView(rows, missing, query)
