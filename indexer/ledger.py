"""Read ledgers: what became of every entry of a tree, counted, filtered, listed.

The outcome of an entry is exactly one of three. `indexed` and `partial` have a
mode (how it was read), `partial` and `skipped` a reason. The numbers add up to
the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from indexer.access import Viewer, readable
from indexer.models import Build, Chunk, File, Index, Layer
from indexer.paging import find_page
from indexer.pipeline.embedding import read_parts
from indexer.pipeline.paths import path_url
from indexer.places import layer_folder
from indexer.stages import preview_sentence

SCHEMA = 1
PAGE = 100  # files on a page: what a person looks through
LONG_TEXTS = 500  # listed, those of most parts first; all are counted

OUTCOMES = ("indexed", "partial", "skipped")
MODES = ("symbol", "section", "file", "window", "data")

_OUTCOME_ROWS = {
    "indexed": ~Q(mode="") & Q(reason=""),
    "partial": ~Q(mode="") & ~Q(reason=""),
    "skipped": Q(mode=""),
}


@dataclass(frozen=True, slots=True)
class LedgerGroup:
    """How many files of a build ended alike. `mode` is None for skipped ones."""

    outcome: str
    mode: str | None
    reason: str | None
    files: int
    chunks: int


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """One line of the ledger. `partial` are the line ranges left out, inclusive."""

    path: str
    path_url: str
    outcome: str
    mode: str | None
    reason: str | None
    partial: list[list[int]]
    marks: list[str]
    language: str
    size: int
    lines: int
    chunks: int


@dataclass(frozen=True, slots=True)
class LongText:
    """One text longer than the model reads, and into how many parts it was split.

    The lines are those of its chunk, None for the summary of a file.
    """

    surface: str
    path: str
    path_url: str
    symbol: str | None
    kind: str
    start_line: int | None
    end_line: int | None
    parts: int


@dataclass(frozen=True, slots=True)
class LedgerFilter:
    """Which files are listed; what is None or "" does not restrict."""

    outcome: str = ""
    mode: str = ""
    reason: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Ledger:
    """A build's ledger: all of it counted, some of it listed.

    `found` files pass the filter, `files` are those of `page`, by path. `preview` says
    how many of the tree's are read so far, "" when all are.
    """

    repository: str
    profile: str
    revision: str
    build: int
    preview: str
    counts: dict[str, int]
    groups: Sequence[LedgerGroup]
    wanted: LedgerFilter
    found: int
    page: int
    pages: int
    files: Sequence[LedgerFile]
    long_texts: Sequence[LongText]


def read_ledger(
    viewer: Viewer, name: str, wanted: LedgerFilter, *, page: int | None = None
) -> Ledger | None:
    """Return the ledger that is searched by default, None if it is not in reach.

    Before the first build is published it is that of the newest one. Without a
    `page` every file that passes the filter is listed; one beyond the last is the last.
    """
    index = (
        Index.objects.filter(repository__in=readable(viewer).filter(name=name))
        .filter(is_default=True)
        .select_related("repository", "profile", "current_build")
        .first()
    )
    build = (index.current_build or index.builds.first()) if index else None
    if index is None or build is None:
        return None
    groups = ledger_groups(build)
    rows = _matching(build, wanted)
    found = rows.count()
    page, pages = find_page(page, found, PAGE) if page else (None, 1)
    shown = rows[(page - 1) * PAGE : page * PAGE] if page else rows
    return Ledger(
        repository=index.repository.name,
        profile=index.profile.name,
        revision=build.revision,
        build=build.pk,
        preview=preview_sentence(build),
        counts={**ledger_counts(groups), "over_length": build.over_length_count},
        groups=groups,
        wanted=wanted,
        found=found,
        page=page or 1,
        pages=pages,
        files=[_file(row) for row in shown],
        long_texts=long_texts(build),
    )


def ledger_groups(build: Build) -> list[LedgerGroup]:
    """Return the ledger by outcome, mode and reason; the files add up to the tree."""
    return groups_of([build])[build.pk]


def groups_of(builds: Iterable[Build]) -> dict[int, list[LedgerGroup]]:
    """Return the `ledger_groups` of each build by its key, in one query."""
    groups: dict[int, list[LedgerGroup]] = {build.pk: [] for build in builds}
    rows = (
        File.objects.filter(build__in=groups)
        .order_by()
        .values("build", "mode", "reason")
        .annotate(n=Count("pk"), held=Sum("chunk_count"))
    )
    for row in rows:
        groups[row["build"]].append(
            LedgerGroup(
                outcome=outcome_of(row["mode"], row["reason"]),
                mode=row["mode"] or None,
                reason=row["reason"] or None,
                files=row["n"],
                chunks=row["held"] or 0,
            )
        )
    return {build: sorted(found, key=_group_order) for build, found in groups.items()}


def ledger_counts(groups: Sequence[LedgerGroup]) -> dict[str, int]:
    """Return the number of files, of those with each outcome, and of chunks."""
    counts = dict.fromkeys(("files", *OUTCOMES, "chunks"), 0)
    for group in groups:
        counts["files"] += group.files
        counts[group.outcome] += group.files
        counts["chunks"] += group.chunks
    return counts


def describe_counts(counts: Mapping[str, int]) -> str:
    """Return how many files ended how: `3 indexed, 0 partial, 1 skipped`."""
    return ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in OUTCOMES)


def outcome_of(mode: str, reason: str) -> str:
    """Return what became of a file, by its row's mode and reason."""
    if not mode:
        return "skipped"
    return "partial" if reason else "indexed"


def long_texts(build: Build, limit: int = LONG_TEXTS) -> list[LongText]:
    """Return the texts that were split, those of most parts first."""
    split = [
        (-parts, layer.kind, ordinal)
        for layer in build.layers.exclude(kind=Layer.Kind.LEXICAL)
        if (folder := layer_folder(build, layer.kind, layer.number)).exists()
        for ordinal, parts in read_parts(folder).items()
    ]
    shown = sorted(split)[:limit]
    places = [ordinal for _, surface, ordinal in shown if surface == "summary"]
    ordinals = {ordinal for _, surface, ordinal in shown if surface != "summary"}
    files = {row.place: row for row in build.files.filter(place__in=places)}
    rows = build.chunks.filter(ordinal__in=ordinals).select_related("file")
    chunks = {row.ordinal: row for row in rows}
    return [
        _long_summary(files[ordinal], -parts)
        if surface == Layer.Kind.SUMMARY
        else _long_chunk(surface, chunks[ordinal], -parts)
        for parts, surface, ordinal in shown
    ]


def ledger_json(ledger: Ledger) -> dict[str, Any]:  # Any: JSON
    """Return a ledger as JSON: schema 1, keys may be added and are never renamed."""
    return {"schema": SCHEMA, **asdict(ledger)}


def _matching(build: Build, wanted: LedgerFilter) -> QuerySet[File]:
    rows = build.files.order_by("ordinal")
    if wanted.outcome:
        rows = rows.filter(_OUTCOME_ROWS[wanted.outcome])
    if wanted.mode:
        rows = rows.filter(mode=wanted.mode)
    if wanted.reason:
        rows = rows.filter(reason=wanted.reason)
    if wanted.path:
        rows = rows.filter(path__icontains=wanted.path)
    return rows


def _group_order(group: LedgerGroup) -> tuple[int, int, int, str]:
    mode = MODES.index(group.mode) if group.mode else len(MODES)
    return OUTCOMES.index(group.outcome), mode, -group.files, group.reason or ""


def _file(row: File) -> LedgerFile:
    return LedgerFile(
        path=row.path,
        path_url=path_url(row.path_bytes),
        outcome=outcome_of(row.mode, row.reason),
        mode=row.mode or None,
        reason=row.reason or None,
        partial=row.partial,
        marks=row.marks,
        language=row.language,
        size=row.size,
        lines=row.lines,
        chunks=row.chunk_count,
    )


def _long_chunk(surface: str, chunk: Chunk, parts: int) -> LongText:
    return LongText(
        surface=surface,
        path=chunk.file.path,
        path_url=path_url(chunk.file.path_bytes),
        symbol=chunk.symbol or None,
        kind=chunk.kind,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        parts=parts,
    )


def _long_summary(file: File, parts: int) -> LongText:
    return LongText(
        surface="summary",
        path=file.path,
        path_url=path_url(file.path_bytes),
        symbol=None,
        kind="file",
        start_line=None,
        end_line=None,
        parts=parts,
    )
