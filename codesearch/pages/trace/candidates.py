"""Candidates: the targets beside what leads the legs and the pool."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.pages.links import where_url
from codesearch.pages.scores import (
    LegCell,
    fused_score,
    hit_name,
    leg_cells,
    rerank_score,
)
from codesearch.pages.trace.verdict import target_name
from codesearch.payloads import Payload, beneath

POOL_HEAD = 10  # Of the pool, how many stand beside the target for comparison.


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of the comparison: a target, a leg's first, or a head of the pool."""

    name: str
    chunk: Payload
    is_target: bool
    notes: list[str]
    url: str
    legs: list[LegCell]
    fused: str
    ordinal: int | None
    via: str
    rerank: str
    rank: int | None
    card: int | None


def candidates(trace: Payload) -> list[Candidate]:
    """Return the targets, then each leg's first and the head of the pool, by rank.

    What is folded follows the hit that it is folded under.
    """
    wanted = {target["chunk"] for target in trace["targets"] if target["chunk"]}
    rows = [_candidate(trace, target, [], True) for target in trace["targets"]]
    for hit in (row for first in trace["hits"] for row in (first, *beneath(first))):
        notes = [
            f"{name} leader"
            for name, seen in hit["legs"].items()
            if seen and seen["in_leg"] and seen["ordinal"] == 1
        ]
        is_head = hit["rank"] is not None and hit["rank"] <= POOL_HEAD
        if hit["chunk"] not in wanted and (notes or is_head):
            rows.append(_candidate(trace, hit, notes, False))
    return rows


def _candidate(
    trace: Payload, chunk: Payload, notes: list[str], is_target: bool
) -> Candidate:
    fused = chunk["fused"]
    pool = chunk["pool"] or {"in": False, "via": None}
    return Candidate(
        name=target_name(chunk) if is_target else hit_name(chunk),
        chunk=chunk,
        is_target=is_target,
        notes=notes,
        url=where_url(chunk),
        legs=leg_cells(trace, chunk),
        fused=fused_score(fused),
        ordinal=fused["ordinal"] if fused else None,
        via=(pool["via"] or "–") if pool["in"] else "cut",
        rerank=rerank_score(chunk["rerank"]) or "–",
        rank=chunk["rank"],
        card=chunk["card"],
    )
