"""Mapping: a file at any revision, cut anew by symbol and by window.

The file is read from the mirror and parsed as a build does it, so it needs no index;
what the builds of that revision hold of it is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from indexer.access import Viewer, readable
from indexer.files import find_entry_at
from indexer.models import Build, File, Layer, Repository
from indexer.pipeline.blobs import BlobReader
from indexer.pipeline.isolation import ParserPool
from indexer.pipeline.parser_process import Request, whole_of
from indexer.pipeline.path_rule import rule_of
from indexer.pipeline.paths import display_path, path_url
from indexer.pipeline.reading import (
    cut_text,
    indexed_source,
    load_content,
    skipped,
    unread_reason,
)
from indexer.pipeline.types import Chunk, LedgerLine, Source, TreeEntry
from indexer.pipeline.windows import window_chunks
from indexer.places import mirror_of
from indexer.quarantine import CarefulReader

KEPT_FILES = 32  # Cut ones: a slider asks for the same file again and again.
REVISIONS_SHOWN = 20

LineRange = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CutFile:
    """A file as the symbol chunker cuts it. `text` is what was cut, "" if nothing was.

    `spans` are the lines of each chunk that are its own.
    """

    line: LedgerLine
    text: str
    chunks: tuple[Chunk, ...]
    spans: tuple[tuple[LineRange, ...], ...]


@dataclass(frozen=True, slots=True)
class StoredCut:
    """What a build holds of the file: its chunks, and how many are not as cut now."""

    build: int
    profile: str
    chunker: str
    chunks: int
    differing: int


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file to be mapped, the builds that hold it, and revisions that have it."""

    repository: str
    revision: str
    path: str
    path_url: str
    cut: CutFile
    stored: Sequence[StoredCut]
    revisions: Sequence[tuple[str, datetime | None]]


def read_mapped(
    viewer: Viewer, repository: str, revision: str, path: bytes
) -> MappedFile | None:
    """Return a file cut anew, or None if it is not in reach.

    Any commit that the mirror still holds can be read, indexed or not.
    """
    found = readable(viewer).filter(name=repository).first()
    if found is None:
        return None
    entry = find_entry_at(mirror_of(found), revision, path)
    if entry is None:
        return None
    cut = _cut_file(mirror_of(found), entry, found.index_secrets)
    return MappedFile(
        repository=found.name,
        revision=revision,
        path=display_path(path),
        path_url=path_url(path),
        cut=cut,
        stored=_stored(found, revision, path, cut),
        revisions=_revisions(found, path),
    )


@lru_cache(maxsize=KEPT_FILES)
def _cut_file(mirror: Path, entry: TreeEntry, index_secrets: bool) -> CutFile:
    """Cut one file by symbol, in a process of its own; a blob never changes."""
    rule = rule_of(entry)
    if reason := unread_reason(entry, index_secrets=index_secrets):
        return CutFile(skipped(rule, reason).line, "", (), ())
    with BlobReader(mirror) as reader:
        data = load_content(reader, entry, rule)
    request = Request(0, entry.oid, rule, data, "symbol", index_secrets, whole=True)
    with ParserPool(children=1) as pool:
        ((_, answer),) = CarefulReader(pool).read([request])
    result = whole_of(answer)
    source = indexed_source(rule, data, index_secrets)
    text = ""
    if isinstance(source, Source) and not rule.is_too_large:
        text = cut_text(rule, source, index_secrets=index_secrets).text
    return CutFile(result.line, text, result.chunks, result.line_spans)


def _stored(
    repository: Repository, revision: str, path: bytes, cut: CutFile
) -> list[StoredCut]:
    """Compare with the newest build of each profile at this revision."""
    rows = File.objects.filter(
        build__index__repository=repository,
        build__revision=revision,
        build__layers__kind=Layer.Kind.LEXICAL,
        path=display_path(path),
        path_bytes=path,
    ).select_related("build__index__profile")
    newest = {row.build.index_id: row for row in rows.order_by("build_id")}
    found = []
    for row in sorted(newest.values(), key=lambda row: row.build_id):
        chunker = str(row.build.recipe.get("chunker", "symbol"))
        made = window_chunks(cut.text) if chunker == "window" else cut.chunks
        now = {(one.symbol, one.kind, one.start_line, one.end_line) for one in made}
        held = set(row.chunks.values_list("symbol", "kind", "start_line", "end_line"))
        name = row.build.index.profile.name
        found.append(StoredCut(row.build_id, name, chunker, len(held), len(held ^ now)))
    return found


def _revisions(
    repository: Repository, path: bytes
) -> list[tuple[str, datetime | None]]:
    """Return the indexed revisions that have the file, the newest first."""
    builds = Build.objects.filter(
        index__repository=repository,
        files__path=display_path(path),
        files__path_bytes=path,
    ).order_by("-pk")
    known: dict[str, datetime | None] = {}
    for revision, committed_at in builds.values_list("revision", "committed_at"):
        known.setdefault(revision, committed_at)
    return list(known.items())[:REVISIONS_SHOWN]
