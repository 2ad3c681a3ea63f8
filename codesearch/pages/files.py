"""The file page: lines with their numbers, their outline, and what is around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes, urlencode, urlsplit

from django.urls import reverse

from codesearch.highlight import Line, count_unseen, highlight_lines
from codesearch.pages.links import LINES_SHOWN, Scope, file_url, page_of_line, tree_url
from codesearch.pages.names import name_urls
from codesearch.pages.paging import Pager, link_pages
from codesearch.payloads import Payload
from codesearch.targets import spell_target
from indexer.files import FileView
from indexer.history import Version
from indexer.inspection import InspectedChunk, InspectedFile
from indexer.models import Chunk
from indexer.named import names_of
from indexer.paging import count_pages
from indexer.pipeline.languages import has_symbols
from indexer.pipeline.paths import display_path, path_url
from indexer.pipeline.sections import SEPARATOR
from indexer.pipeline.types import ChunkKind


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One chunk in the outline; `depth` 1 is a member.

    `like_url` leads to what is like it, "" where the build is not searched now.
    """

    name: str
    kind: str
    start_line: int
    end_line: int
    depth: int
    ordinal: int
    url: str
    like_url: str


@dataclass(frozen=True, slots=True)
class VersionRow:
    """The file at one commit, beside what is shown; `url` is "" where it has none."""

    version: Version
    words: str
    url: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class FilePage:
    """What the file page prints: the lines from `first` to `last`, both 0 for none.

    A line comes with the chunk that it is to name, and with the ids of the ranges
    that start there, so that their links work without a script. `unseen` counts the
    characters that cannot be seen, and `path_unseen` those of the path. `size` is how
    many lines a page holds. `host` is the name of the host that `host_url` leads to.
    """

    file: FileView
    crumbs: list[tuple[str, str]]
    name: str
    first: int
    last: int
    pager: Pager
    lines: list[tuple[Line, OutlineRow | None, list[str]]]
    outline: list[OutlineRow]
    versions: list[VersionRow]
    unseen: int
    path_unseen: int
    size: int
    url: str
    shown_url: str
    boundaries_url: str
    root_url: str
    raw_url: str
    inspect_url: str
    map_url: str
    searched_url: str
    names_url: str
    host: str
    host_url: str
    editor_url: str


@dataclass(frozen=True, slots=True)
class InspectionPage:
    """What the inspection page prints; `parts` are of the chunks that it shows.

    `rows` are those with the address of what is like each, "" in a build that is not
    searched now.
    """

    inspected: InspectedFile
    url: str
    map_url: str
    rows: list[tuple[InspectedChunk, str]]
    chunks: int
    parts: int


def inspection_page(inspected: InspectedFile) -> InspectionPage:
    """Return the page of what was indexed of a file."""
    where: Payload = {
        "repository": inspected.repository,
        "revision": inspected.revision,
        "path_url": path_url(inspected.file.path_bytes),
    }
    file = inspected.file
    texts = [text for chunk in inspected.chunks for text in chunk.texts]
    parts = sum(len(text.parts) for text in texts)
    chunks = len(inspected.chunks) + inspected.more
    is_searched = file.build.pk == file.build.index.current_build_id
    return InspectionPage(
        inspected=inspected,
        url=file_url(where),
        map_url=file_url(where, page="map"),
        rows=[
            (row, _like_url(inspected.repository, file.path, row.chunk, is_searched))
            for row in inspected.chunks
        ],
        chunks=chunks,
        parts=parts,
    )


def _like_url(repository: str, path: str, chunk: Chunk, is_searched: bool) -> str:
    """Return the address of what is like a chunk, "" where it is not searched."""
    target = spell_target(repository, path, chunk.symbol, chunk.start_byte)
    return Scope("").like_url(target) if is_searched else ""


def file_page(
    file: FileView,
    *,
    boundaries: bool = False,
    wanted: tuple[int, int] | None = None,
    versions: Sequence[Version] = (),
) -> FilePage:
    """Return a file's page; with `boundaries` a chunk's first line names it.

    `wanted` are the lines that are asked for, of which so many are shown as a page
    holds.
    """
    where: Payload = {
        "repository": file.repository,
        "revision": file.revision,
        "path_url": file.path_url,
    }
    shown = lines_shown(file.lines, wanted)
    outline = [_outline_row(chunk, file, where, shown) for chunk in file.chunks]
    starts = {row.start_line: row for row in reversed(outline)} if boundaries else {}
    ranges = _ranges(outline)
    url = file_url(where)
    return FilePage(
        file=file,
        crumbs=crumbs(where)[:-1],
        name=file.path.rpartition("/")[2],
        first=shown.start if shown else 0,
        last=shown[-1] if shown else 0,
        pager=_pager(file.lines, shown, url),
        lines=[
            (line, starts.get(line.number), ranges.get(line.number, []))
            for line in _lines(file, shown)
        ],
        outline=outline,
        versions=[_version_row(file, where, version) for version in versions],
        unseen=count_unseen(file.text or ""),
        path_unseen=count_unseen(file.path),
        size=LINES_SHOWN,
        url=url,
        shown_url=f"{url}{_query(shown, wanted)}",
        boundaries_url=f"{url}{_query(shown, wanted, chunks='1')}",
        root_url=tree_url({**where, "path_url": ""}),
        raw_url=file_url(where, page="raw"),
        inspect_url=file_url(where, page="inspect"),
        map_url=file_url(where, page="map"),
        searched_url=file_url({**where, "revision": file.searched}),
        host=urlsplit(file.outside.host_url).netloc,
        host_url=file.outside.host_url.replace("{line}", str(shown.start)),
        editor_url=file.outside.editor_url.replace("{line}", str(shown.start)),
        names_url=reverse("names", args=[file.repository, file.revision]),
    )


def lines_shown(count: int, wanted: tuple[int, int] | None) -> range:
    """Return the numbers of the lines that are shown of so many."""
    first, last = wanted or (1, LINES_SHOWN)
    first = max(1, min(first, count))
    return range(first, min(max(last, first), first + LINES_SHOWN - 1, count) + 1)


def crumbs(where: Payload) -> list[tuple[str, str]]:
    """Return each step of a path with the address of its folder."""
    steps = str(where["path_url"]).split("/")
    return [
        (
            display_path(unquote_to_bytes(step)),
            tree_url({**where, "path_url": "/".join(steps[: depth + 1])}),
        )
        for depth, step in enumerate(steps)
        if step
    ]


def _lines(file: FileView, shown: range) -> list[Line]:
    """Return the lines with their names linked, where the build has symbols."""
    names = names_of(file.build) if file.build and has_symbols(file.language) else None
    return highlight_lines(
        file.text or "",
        language=file.language,
        path=file.path,
        shown=shown,
        find_url=name_urls(file, names, shown) if names else None,
    )


def _ranges(outline: Sequence[OutlineRow]) -> dict[int, list[str]]:
    """Return the ids of the ranges that start at each line."""
    ranges: dict[int, list[str]] = {}
    for start, end in dict.fromkeys((row.start_line, row.end_line) for row in outline):
        if end > start:  # One line has its own id.
            ranges.setdefault(start, []).append(f"L{start}-L{end}")
    return ranges


def _query(shown: range, wanted: tuple[int, int] | None, **more: str) -> str:
    """Return the parameters of a page with these lines."""
    lines = {"lines": f"{shown.start}-{shown[-1]}"} if wanted and shown else {}
    query = urlencode({**lines, **more})
    return f"?{query}" if query else ""


def _pager(count: int, shown: range, url: str) -> Pager:
    here = (shown.start - 1) // LINES_SHOWN + 1
    return link_pages(
        here,
        count_pages(count, LINES_SHOWN),
        lambda page: f"{url}?lines={page_of_line((page - 1) * LINES_SHOWN + 1)}",
    )


def _version_row(file: FileView, where: Payload, version: Version) -> VersionRow:
    words = "other content"
    if not version.oid:
        words = "not in it"
    elif version.oid == file.oid:
        words = "same content"
    is_shown = version.revision == file.revision
    there = file_url({**where, "revision": version.revision})
    url = there if version.oid and not is_shown else ""
    return VersionRow(version, words, url, is_shown)


def _outline_row(
    chunk: Chunk, file: FileView, where: Payload, shown: range
) -> OutlineRow:
    between = SEPARATOR if chunk.kind == ChunkKind.SECTION else "."
    head, _, tail = chunk.symbol.rpartition(between)
    lines = {"start_line": chunk.start_line, "end_line": chunk.end_line}
    url = file_url({**where, **lines})
    return OutlineRow(
        tail or chunk.kind,
        chunk.kind,
        chunk.start_line,
        chunk.end_line,
        1 if head else 0,
        chunk.ordinal,
        url[url.index("#") :] if chunk.start_line in shown else url,
        _like_url(file.repository, file.path, chunk, file.is_current),
    )
