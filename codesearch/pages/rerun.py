"""What a shared result and the same query of now have in common, as a table."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.pages.links import Scope, file_url, target_of
from codesearch.pages.scores import hit_name, joined
from codesearch.rerun import Rerun, Row

SHOWN = 20  # Ranks of either: what stands on the first pages.
WORDS = {
    "same": "the same rank",
    "up": "moved up",
    "down": "moved down",
    "gone": "gone",
    "new": "new",
}
STYLES = {"up": "ok", "down": "warn", "gone": "bad", "new": "ok", "same": ""}


@dataclass(frozen=True, slots=True)
class RerunRow:
    """One chunk: `change` in words; `trace_url` asks why it is where it is now."""

    row: Row
    name: str
    url: str
    change: str
    style: str
    trace_url: str


@dataclass(frozen=True, slots=True)
class RerunPage:
    """The table, and the sentences on it; `more` chunks stand further down in both."""

    rows: list[RerunRow]
    more: int
    summary: str
    reasons: list[str]


def rerun_page(rerun: Rerun, scope: Scope) -> RerunPage:
    """Return the page of a comparison; `scope` is where the query is asked now."""
    shown = [row for row in rerun.rows if _is_shown(row)]
    told = [
        f"{rerun.counts[kind]:,} {words}"
        for kind, words in WORDS.items()
        if rerun.counts[kind]
    ]
    return RerunPage(
        [_view(row, scope) for row in shown],
        len(rerun.rows) - len(shown),
        joined(told) or "neither finds anything",
        rerun.reasons or ["Neither the index nor the config is known to have changed."],
    )


def _is_shown(row: Row) -> bool:
    return min(rank for rank in (row.then, row.now) if rank is not None) <= SHOWN


def _view(row: Row, scope: Scope) -> RerunRow:
    words = WORDS[row.change]
    if row.then and row.now and row.then != row.now:
        words = f"{row.change} {abs(row.then - row.now):,}"
    return RerunRow(
        row=row,
        name=hit_name(row.hit),
        url=file_url(row.hit),
        change=words,
        style=STYLES[row.change],
        trace_url=scope.trace_url(target_of(row.hit)),
    )
