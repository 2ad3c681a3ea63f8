"""Trees: a folder at a revision, with what the ledger says of all that lies below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from indexer.access import Viewer, readable
from indexer.files import build_at, searched_revisions
from indexer.ledger import outcome_of
from indexer.models import Build
from indexer.pipeline import git
from indexer.pipeline.blobs import skip_reason
from indexer.pipeline.folders import list_folder
from indexer.pipeline.paths import display_path, path_url
from indexer.pipeline.types import TreeEntry
from indexer.places import mirror_of


@dataclass(frozen=True, slots=True)
class TreeRow:
    """One entry of a folder. `outcome` and `reason` are the ledger's, "" without one.

    Of a folder, `files` counts the files below that the ledger has, `skipped` those of
    them that are not indexed, and `size` is theirs together. `size` is None where it is
    not known.
    """

    name: str
    path_url: str
    is_folder: bool
    size: int | None
    language: str = ""
    outcome: str = ""
    reason: str = ""
    files: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class FolderView:
    """A folder at a revision; `build` is the one of its ledger, None without one."""

    repository: str
    revision: str
    path: str
    path_url: str
    committed_at: datetime | None
    searched: str
    is_current: bool
    build: Build | None
    rows: Sequence[TreeRow]


def read_folder(
    viewer: Viewer, name: str, revision: str, path: bytes
) -> FolderView | None:
    """Return a folder at a full commit hash, or None if it is not in reach."""
    repository = readable(viewer).filter(name=name).first()
    if repository is None:
        return None
    mirror = mirror_of(repository)
    entries = list_folder(mirror, revision, path)
    if entries is None:
        return None
    build = build_at(viewer, name, revision)
    below = _ledger_below(build, path) if build else {}
    searched = searched_revisions(repository)
    return FolderView(
        repository=repository.name,
        revision=revision,
        path=display_path(path),
        path_url=path_url(path),
        committed_at=git.commit_date(mirror, revision),
        searched=next(iter(searched), ""),
        is_current=revision in searched,
        build=build,
        rows=[_row(entry, below.get(entry.path, ())) for entry in entries],
    )


class _Line(NamedTuple):
    """What a folder says of one line of the ledger."""

    path: bytes
    size: int
    language: str
    mode: str
    reason: str


def _ledger_below(build: Build, folder: bytes) -> dict[bytes, list[_Line]]:
    """Return the lines of the ledger below a folder, by the entry that they lie in."""
    start = folder + b"/" if folder else b""
    rows = build.files.filter(path__startswith=display_path(start))
    found: dict[bytes, list[_Line]] = {}
    columns = ("path_bytes", "size", "language", "mode", "reason")
    for path, *facts in rows.order_by("ordinal").values_list(*columns):
        line = _Line(bytes(path), *facts)
        if line.path.startswith(start):  # What paths look like may be the same.
            name = line.path[len(start) :].partition(b"/")[0]
            found.setdefault(start + name, []).append(line)
    return found


def _row(entry: TreeEntry, below: Sequence[_Line]) -> TreeRow:
    name = display_path(entry.path.rpartition(b"/")[2])
    if entry.mode == git.FOLDER:
        return TreeRow(
            name,
            path_url(entry.path),
            is_folder=True,
            size=sum(row.size for row in below) if below else None,
            files=len(below),
            skipped=sum(not row.mode for row in below),
        )
    line = below[0] if below else None
    reason = line.reason if line else skip_reason(entry) or ""
    return TreeRow(
        name,
        path_url(entry.path),
        is_folder=False,
        size=entry.size,
        language=line.language if line else "",
        outcome=outcome_of(line.mode, line.reason) if line else "",
        reason=reason,
    )
