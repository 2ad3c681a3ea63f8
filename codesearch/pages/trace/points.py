"""Points: what the structural rerank added up for a target, beside the first hit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.pages.scores import hit_name, minus, signed
from codesearch.payloads import Payload


@dataclass(frozen=True, slots=True)
class PointRow:
    """One term: its formula for the target, its points, and those of the first hit."""

    name: str
    formula: str
    points: str
    first: str
    ahead: str
    is_short: bool


@dataclass(frozen=True, slots=True)
class PointTable:
    """The terms of a target with their sums; `first_name` is None for the first."""

    rows: list[PointRow]
    total: PointRow
    first_name: str | None


def point_table(trace: Payload, target: Payload) -> PointTable | None:
    """Return the terms of a target, None where it had none.

    A record of a search by fused order alone has none, nor has what was not in the
    pool.
    """
    terms = (target["rerank"] or {}).get("terms")
    if not terms:
        return None
    hit = trace["hits"][0] if trace["hits"] else None
    leads = hit is None or hit["chunk"] == target["chunk"]
    others = None if leads or hit is None else hit["rerank"]["terms"]
    rows = [
        _row(term["name"], _formula(term), term["points"], other)
        for term, other in zip(terms, _points(others, len(terms)), strict=True)
    ]
    total = _row(
        "sum",
        "",
        sum(term["points"] for term in terms),
        sum(term["points"] for term in others) if others else None,
    )
    return PointTable(rows, total, hit_name(hit) if others and hit else None)


def _points(terms: Sequence[Payload] | None, count: int) -> list[float | None]:
    return [term["points"] for term in terms] if terms else [None] * count


def _formula(term: Payload) -> str:
    if term["value"] is None:
        return "did not run"
    return minus(f"{term['value']:.3f} × {term['weight']:g}")


def _row(name: str, formula: str, points: float, first: float | None) -> PointRow:
    ahead = None if first is None else points - first
    return PointRow(
        name=name,
        formula=formula,
        points=_plain(points),
        first="" if first is None else _plain(first),
        ahead="" if ahead is None else signed(ahead),
        is_short=ahead is not None and ahead < 0,
    )


def _plain(value: float) -> str:
    return minus(f"{value or 0.0:.3f}")  # A negative weight makes zero negative.
