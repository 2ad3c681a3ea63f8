"""Views: everything that the page says of one target."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.pages.links import where_url
from codesearch.pages.scores import (
    fused_score,
    rerank_score,
)
from codesearch.pages.trace.legs import LegRow, leg_row
from codesearch.pages.trace.literals import LiteralRow, literal_rows
from codesearch.pages.trace.points import PointTable, point_table
from codesearch.pages.trace.stages import FunnelRow, funnel_rows
from codesearch.pages.trace.terms import TermTable, term_table
from codesearch.pages.trace.verdict import Verdict, verdict
from codesearch.payloads import Payload


@dataclass(frozen=True, slots=True)
class TargetView:
    """Everything the page says of one target."""

    target: Payload
    verdict: Verdict
    legs: list[LegRow]
    funnel: list[FunnelRow]
    fused: str
    contributions: str
    rerank: str
    literals: list[LiteralRow]
    points: PointTable | None
    terms: TermTable
    url: str


def target_views(trace: Payload) -> list[TargetView]:
    """Return the views of all targets, in the order in which they were asked."""
    return [_target_view(target, trace) for target in trace["targets"]]


def _target_view(target: Payload, trace: Payload) -> TargetView:
    fused = target["fused"]
    contributions = (fused or {}).get("contributions", {})
    return TargetView(
        target=target,
        verdict=verdict(target, trace),
        legs=[leg_row(name, target, trace) for name in trace["legs"]],
        funnel=funnel_rows(trace, target),
        fused=fused_score(fused),
        contributions=f"{sum(contributions.values()):.6f}" if contributions else "–",
        rerank=rerank_score(target["rerank"]),
        literals=literal_rows(target),
        points=point_table(trace, target),
        terms=term_table(trace, target),
        url=where_url(target),
    )
