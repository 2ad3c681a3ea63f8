"""Remains: what may be told of an answer once a repository of it was removed.

Ranks, paths, lines and scores, for who made its link and for staff. No symbol, no
docstring, no term: those are words of the code.
"""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.models import SearchRecord
from codesearch.pages.scores import fused_score, rerank_score
from codesearch.payloads import Payload

SHOWN = 100
DASH = "–"

Kind = SearchRecord.Kind


@dataclass(frozen=True, slots=True)
class Remains:
    """A table; `more` rows of it are not shown."""

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    more: int


def remains_of(kind: str, payload: Payload) -> Remains:
    """Return what may be told of an answer."""
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    if kind == Kind.FILE:
        heads, rows = ("place",), [(_place(payload),)]
    elif kind in (Kind.COMPARISON, Kind.PROFILES):
        heads = ("query", "rank in A", "rank in B")
        rows = [
            (row["query"], _rank(row["a"]), _rank(row["b"])) for row in payload["rows"]
        ]
    else:
        heads = ("rank", "place", "fused", "score")
        rows = [_target(row) for row in payload.get("targets", ())]
        rows += [_hit(row) for row in payload["hits"]]
    return Remains(heads, rows[:SHOWN], max(0, len(rows) - SHOWN))


def _target(row: Payload) -> tuple[str, ...]:
    """Return what a trace followed; it may have come nowhere."""
    rank, *scores = _hit(row)
    death = row.get("death")
    came = f"lost at the {death['stage']}" if death else rank
    return (f"target: {came}", *scores)


def _hit(row: Payload) -> tuple[str, ...]:
    rank = row.get("rank")
    return (
        f"{rank:,}" if rank else DASH,
        _place(row) if row.get("path") else DASH,
        fused_score(row.get("fused")) or DASH,
        rerank_score(row.get("rerank")) or DASH,
    )


def _place(row: Payload) -> str:
    start, end = row.get("start_line"), row.get("end_line")
    lines = f":{start}–{end}" if start else ""
    return f"{row['repository']} › {row['path']}{lines}"


def _rank(side: Payload | None) -> str:
    return f"{side['rank']:,}" if side and side["rank"] else DASH
