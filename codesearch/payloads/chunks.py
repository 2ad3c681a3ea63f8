"""Chunks: what each stage says of one, as a hit and as a target has it."""

from __future__ import annotations

from codesearch.funnel.legs import normalised
from codesearch.funnel.types import Leg, Outcome, Standing, Sum
from codesearch.payloads import Payload


def standing_payload(leg: Leg, number: int, found: Standing | None) -> Payload | None:
    """Return where a chunk stands in one leg, None where it does not."""
    if found is None:
        return None
    return {
        "rank": found.rank,
        "ordinal": found.ordinal,
        "tie_size": found.tie_size,
        "raw": found.raw,
        "normalised": normalised(leg, number),
        "part": None if leg.parts is None else 1 + int(leg.parts[number]),
        "in_leg": found.ordinal <= leg.depth,
        "percentile": found.percentile,
    }


def fused_payload(outcome: Outcome, number: int) -> Payload | None:
    """Return the fused score of a chunk; its contributions sum to it."""
    hit = outcome.fused.by_chunk.get(number)
    if hit is None:
        return None
    return {
        "score": hit.score,
        "ordinal": hit.ordinal,
        "contributions": dict(outcome.contributions[number]),
    }


def rerank_payload(outcome: Outcome, number: int) -> Payload | None:
    """Return what ordered a chunk in the pool, None outside it."""
    hit = outcome.reranked.run.by_chunk.get(number)
    if hit is None:
        return None
    return {
        "kind": outcome.reranked.kind,
        "score": hit.score,
        "terms": _points(outcome.reranked.total, number),
        "logit": outcome.reranked.logits.get(number),
        "truncated_tokens": outcome.reranked.unread.get(number, 0),
    }


def _points(total: Sum | None, number: int) -> list[Payload]:
    """Return the parts of one chunk's structural score; their points sum to it."""
    keys = ("name", "value", "weight", "points")
    parts = total.parts(number) if total else []
    return [dict(zip(keys, part, strict=True)) for part in parts]
