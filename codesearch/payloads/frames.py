"""Frames of a pasted stack trace: as they were printed, and where they lie."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.frames import Place
from codesearch.payloads import Payload
from indexer.pipeline.paths import path_url


def frames_payload(places: Sequence[Place]) -> list[Payload]:
    """Return the frames in their order, the newest first.

    `path` and `name` are as printed; `file` is null in no indexed file, `chunk` in no
    chunk; `others` counts the files that match the path as well.
    """
    return [_frame(place) for place in places]


def _frame(place: Place) -> Payload:
    frame, file, chunk = place.frame, place.file, place.chunk
    return {
        "path": frame.path,
        "line": frame.line,
        "name": frame.name,
        "file": file
        and {
            "repository": file.build.index.repository.name,
            "revision": file.build.revision,
            "path": file.path,
            "path_url": path_url(file.path_bytes),
        },
        "chunk": chunk
        and {
            "symbol": chunk.symbol,
            "kind": chunk.kind,
            "start_line": chunk.start_line,
            "end_line": chunk.end_line,
        },
        "others": place.others,
    }
