"""The coverage page: a ledger with its icons, its files and its filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.pages.links import file_url
from codesearch.pages.paging import Pager, link_pages
from codesearch.pages.repositories import (
    MODES,
    LedgerRow,
    coverage_url,
    ledger_row,
)
from indexer import ledger
from indexer.ledger import Ledger, LedgerFile, LedgerFilter, LongText

# Outcome: (glyph, colour).
OUTCOMES = {
    "indexed": ("ok", "ok"),
    "partial": ("warn", "warn"),
    "skipped": ("none", "fused"),
}


@dataclass(frozen=True, slots=True)
class OutcomeLink:
    """One outcome with its number of files, and the address that lists them."""

    outcome: str
    glyph: str
    style: str
    files: int
    url: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file; `url` is "" where its page would have no text."""

    file: LedgerFile
    glyph: str
    style: str
    how: str
    left_out: str
    url: str


@dataclass(frozen=True, slots=True)
class LongRow:
    """One text in parts, and the address of its lines."""

    text: LongText
    name: str
    url: str


@dataclass(frozen=True, slots=True)
class CoveragePage:
    """What the coverage page prints. Addresses that lead nowhere are ""."""

    outcomes: list[OutcomeLink]
    groups: list[LedgerRow]
    reasons: list[str]
    modes: list[tuple[str, str]]
    files: list[FileRow]
    long_texts: list[LongRow]
    is_filtered: bool
    all_url: str
    json_url: str
    pager: Pager


def coverage_page(found: Ledger) -> CoveragePage:
    """Return a ledger as its page shows it."""
    name, wanted, page = found.repository, found.wanted, found.page
    return CoveragePage(
        outcomes=[_outcome_link(found, outcome) for outcome in ledger.OUTCOMES],
        groups=[ledger_row(name, group) for group in found.groups],
        reasons=sorted({group.reason for group in found.groups if group.reason}),
        modes=[(mode, MODES[mode][0]) for mode in _modes(found.groups)],
        files=[_file_row(found, file) for file in found.files],
        long_texts=[_long_row(found, text) for text in found.long_texts],
        is_filtered=wanted != LedgerFilter(),
        all_url=coverage_url(name, LedgerFilter()),
        json_url=coverage_url(name, wanted, page=_number(page), format="json"),
        pager=link_pages(
            page,
            found.pages,
            lambda page: f"{coverage_url(name, wanted, page=_number(page))}#files",
        ),
    )


def _number(page: int) -> str:
    return str(page) if page > 1 else ""


def _modes(groups: Sequence[ledger.LedgerGroup]) -> list[str]:
    """Return the modes that occur, in their usual order."""
    used = {group.mode for group in groups}
    return [mode for mode in ledger.MODES if mode in used]


def _outcome_link(found: Ledger, outcome: str) -> OutcomeLink:
    return OutcomeLink(
        outcome,
        *OUTCOMES[outcome],
        found.counts[outcome],
        coverage_url(found.repository, LedgerFilter(outcome)),
        found.wanted.outcome == outcome,
    )


def _file_row(found: Ledger, file: LedgerFile) -> FileRow:
    return FileRow(
        file,
        *OUTCOMES[file.outcome],
        how=MODES[file.mode][0] if file.mode else "",
        left_out=line_ranges(file.partial),
        url=file_url(_where(found, file.path_url)) if file.mode else "",
    )


def _long_row(found: Ledger, text: LongText) -> LongRow:
    lines = {"start_line": text.start_line, "end_line": text.end_line}
    url = file_url({**_where(found, text.path_url), **lines})
    return LongRow(text, text.symbol or text.kind, url)


def _where(found: Ledger, path_url: str) -> dict[str, str]:
    return {
        "repository": found.repository,
        "revision": found.revision,
        "path_url": path_url,
    }


def line_ranges(ranges: Sequence[Sequence[int]]) -> str:
    """Return line ranges as people write them: "line 3", "lines 1–2, 7"."""
    if not ranges:
        return ""
    shown = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in ranges)
    one = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return f"line {shown}" if one else f"lines {shown}"
