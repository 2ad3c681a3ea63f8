"""The file page: every line with its number, and the outline of its chunks."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.highlight import Line, highlight_lines
from codesearch.pages.links import file_url
from codesearch.payloads import Payload
from indexer.files import FileView
from indexer.inspection import InspectedFile
from indexer.models import Chunk
from indexer.pipeline.paths import path_url
from indexer.pipeline.sections import SEPARATOR
from indexer.pipeline.types import ChunkKind


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One chunk in the outline; `depth` 1 is a member."""

    name: str
    kind: str
    start_line: int
    end_line: int
    depth: int


@dataclass(frozen=True, slots=True)
class FilePage:
    """What the file page prints.

    A line comes with the chunk that it is to name, and with the ids of the ranges
    that start there, so that their links work without a script.
    """

    file: FileView
    folders: list[str]
    name: str
    lines: list[tuple[Line, OutlineRow | None, list[str]]]
    outline: list[OutlineRow]
    url: str
    raw_url: str
    inspect_url: str
    map_url: str
    searched_url: str


@dataclass(frozen=True, slots=True)
class InspectionPage:
    """What the inspection page prints."""

    inspected: InspectedFile
    url: str
    map_url: str
    parts: int


def inspection_page(inspected: InspectedFile) -> InspectionPage:
    """Return the page of what was indexed of a file."""
    where: Payload = {
        "repository": inspected.repository,
        "revision": inspected.revision,
        "path_url": path_url(inspected.file.path_bytes),
    }
    texts = [text for chunk in inspected.chunks for text in chunk.texts]
    parts = sum(len(text.parts) for text in texts)
    return InspectionPage(
        inspected, file_url(where), file_url(where, page="map"), parts
    )


def file_page(file: FileView, *, boundaries: bool) -> FilePage:
    """Return a file's page; with `boundaries` a chunk's first line names it."""
    outline = [_outline_row(chunk) for chunk in file.chunks]
    starts = {row.start_line: row for row in reversed(outline)} if boundaries else {}
    ranges: dict[int, list[str]] = {}
    for start, end in dict.fromkeys((row.start_line, row.end_line) for row in outline):
        if end > start:  # One line has its own id.
            ranges.setdefault(start, []).append(f"L{start}-L{end}")
    lines = highlight_lines(file.text or "", language=file.language, path=file.path)
    where: Payload = {
        "repository": file.repository,
        "revision": file.revision,
        "path_url": file.path_url,
    }
    *folders, name = file.path.split("/")
    return FilePage(
        file=file,
        folders=folders,
        name=name,
        lines=[
            (line, starts.get(line.number), ranges.get(line.number, []))
            for line in lines
        ],
        outline=outline,
        url=file_url(where),
        raw_url=file_url(where, page="raw"),
        inspect_url=file_url(where, page="inspect"),
        map_url=file_url(where, page="map"),
        searched_url=file_url({**where, "revision": file.searched}),
    )


def _outline_row(chunk: Chunk) -> OutlineRow:
    between = SEPARATOR if chunk.kind == ChunkKind.SECTION else "."
    head, _, tail = chunk.symbol.rpartition(between)
    return OutlineRow(
        tail or chunk.kind,
        chunk.kind,
        chunk.start_line,
        chunk.end_line,
        1 if head else 0,
    )
