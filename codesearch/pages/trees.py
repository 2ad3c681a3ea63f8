"""The page of a folder, and the page of an address that shows nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.pages.coverage import OUTCOMES
from codesearch.pages.files import crumbs
from codesearch.pages.links import file_url, tree_url
from codesearch.pages.paging import Pager, list_pager
from codesearch.payloads import Payload
from indexer.addresses import Missing
from indexer.history import Version
from indexer.trees import FolderView, TreeRow

ROWS = 500  # Entries of a folder on a page.


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One entry with its address and the icon of its outcome, "" without a ledger."""

    row: TreeRow
    url: str
    glyph: str
    style: str


@dataclass(frozen=True, slots=True)
class TreePage:
    """What the page of a folder prints; `up` leads to the folder above, if any."""

    folder: FolderView
    crumbs: list[tuple[str, str]]
    rows: list[EntryRow]
    up: str
    root_url: str
    searched_url: str
    pager: Pager


@dataclass(frozen=True, slots=True)
class MissingPage:
    """What the page of an address that shows nothing prints."""

    missing: Missing
    searched_url: str
    versions: list[tuple[Version, str]]


def tree_page(folder: FolderView, number: int) -> TreePage:
    """Return one page of a folder's entries."""
    where: Payload = {
        "repository": folder.repository,
        "revision": folder.revision,
        "path_url": folder.path_url,
    }
    root_url = tree_url({**where, "path_url": ""})
    pager = list_pager(
        number, len(folder.rows), ROWS, lambda page: f"{tree_url(where)}?page={page}"
    )
    steps = crumbs(where)
    up = steps[-2][1] if len(steps) > 1 else root_url
    return TreePage(
        folder=folder,
        crumbs=steps,
        rows=[_entry_row(where, row) for row in folder.rows[pager.rows]],
        up=up if steps else "",
        root_url=root_url,
        searched_url=tree_url({**where, "revision": folder.searched}),
        pager=pager,
    )


def missing_page(missing: Missing, versions: Sequence[Version]) -> MissingPage:
    """Return what is said of an address, with the commits that have its path."""
    where: Payload = {
        "repository": missing.repository,
        "revision": missing.searched,
        "path_url": missing.path_url,
    }
    return MissingPage(
        missing,
        file_url(where) if missing.is_searched else "",
        [
            (version, file_url({**where, "revision": version.revision}))
            for version in versions
            if version.oid and version.revision != missing.searched
        ],
    )


def _entry_row(where: Payload, row: TreeRow) -> EntryRow:
    there = {**where, "path_url": row.path_url}
    url = tree_url(there) if row.is_folder else file_url(there)
    glyph, style = OUTCOMES.get(row.outcome, ("", ""))
    return EntryRow(row, url, glyph, style)
