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
    signed,
)
from codesearch.pages.trace.legs import percentile
from codesearch.pages.trace.ranks import ending, leads, page_of
from codesearch.pages.trace.verdict import target_name
from codesearch.payloads import Payload, beneath

POOL_HEAD = 10  # Of the pool, how many stand beside the target for comparison.


@dataclass(frozen=True, slots=True)
class Standing:
    """What one leg says of a candidate, beyond rank and scores, as text."""

    cell: LegCell
    percentile: str
    z: str
    contribution: str


@dataclass(frozen=True, slots=True)
class Move:
    """Places in the pool before and after the rerank; `up` is below 0 for down."""

    before: int
    after: int
    up: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of the comparison: a target, a leg's first, or a head of the pool."""

    name: str
    chunk: Payload
    is_target: bool
    notes: list[str]
    url: str
    legs: list[Standing]
    fused: str
    ordinal: int | None
    via: str
    move: Move | None
    rerank: str
    sigmoid: str
    rank: int | None
    card: int | None
    page: int | None
    ended: str


def candidates(trace: Payload) -> list[Candidate]:
    """Return the targets, then each leg's first and the head of the pool, by rank.

    What is folded follows the hit that it is folded under; a leg's first that the pool
    cut comes last.
    """
    wanted = {target["chunk"] for target in trace["targets"] if target["chunk"]}
    rows = [_candidate(trace, target, is_target=True) for target in trace["targets"]]
    pooled = [row for hit in trace["hits"] for row in (hit, *beneath(hit))]
    for hit in (*pooled, *trace.get("cut_leaders", ())):
        is_head = hit["rank"] is not None and hit["rank"] <= POOL_HEAD
        if hit["chunk"] not in wanted and (is_head or leads(hit)):
            rows.append(_candidate(trace, hit, is_target=False))
    return rows


def has_sigmoid(trace: Payload) -> bool:
    """True if a cross-encoder gave logits, which are then shown as sigmoids too."""
    return bool(trace["rerank"]["kind"] == "cross_encoder")


def _candidate(trace: Payload, chunk: Payload, *, is_target: bool) -> Candidate:
    fused = chunk["fused"]
    rerank = chunk["rerank"] or {}
    pool = chunk["pool"] or {"in": False, "via": None}
    sigmoid = rerank.get("sigmoid")
    card = chunk["card"]
    return Candidate(
        name=target_name(chunk) if is_target else hit_name(chunk),
        chunk=chunk,
        is_target=is_target,
        notes=[] if is_target else [f"{name} leader" for name in leads(chunk)],
        url=where_url(chunk),
        legs=[_standing(chunk, cell) for cell in leg_cells(trace, chunk)],
        fused=fused_score(fused),
        ordinal=fused["ordinal"] if fused else None,
        via=(pool["via"] or "–") if pool["in"] else "cut",
        move=_move(rerank),
        rerank=rerank_score(chunk["rerank"]) or "–",
        sigmoid="" if sigmoid is None else f"{sigmoid:.3f}",
        rank=chunk["rank"],
        card=card,
        page=page_of(trace, chunk),
        ended=ending(chunk, trace),
    )


def _standing(chunk: Payload, cell: LegCell) -> Standing:
    seen = (chunk.get("legs") or {}).get(cell.name) or {}
    z = seen.get("z")
    shares = (chunk["fused"] or {}).get("contributions") or {}
    share = shares.get(cell.name)
    return Standing(
        cell=cell,
        percentile=percentile(seen),
        z=signed(z, 2),
        contribution="–" if share is None else f"{share:.6f}",
    )


def _move(rerank: Payload) -> Move | None:
    """Return how a chunk moved in the pool; records of before do not say."""
    if "rank_in" not in rerank:
        return None
    return Move(rerank["rank_in"], rerank["rank_out"], rerank["delta"])
