"""Chunks: what each stage says of one, as a hit and as a target has it."""

from __future__ import annotations

import math
from collections.abc import Mapping

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


def rerank_payload(
    outcome: Outcome, number: int, entered: Mapping[int, int]
) -> Payload | None:
    """Return what ordered a chunk in the pool, None outside it.

    `rank_in` and `rank_out` are its places there before and after, from 1, folded
    chunks counted; `delta` is how far it rose. `sigmoid` is the logit for display,
    1 / (1 + exp(-logit)), and no probability.
    """
    hit = outcome.reranked.run.by_chunk.get(number)
    if hit is None:
        return None
    logit = outcome.reranked.logits.get(number)
    return {
        "kind": outcome.reranked.kind,
        "score": hit.score,
        "terms": _points(outcome.reranked.total, number),
        "logit": logit,
        "sigmoid": None if logit is None else _sigmoid(logit),
        "truncated_tokens": outcome.reranked.unread.get(number, 0),
        "rank_in": entered[number],
        "rank_out": hit.ordinal,
        "delta": entered[number] - hit.ordinal,
    }


def page_of(outcome: Outcome, number: int) -> int | None:
    """Return the page of cards that holds a chunk, None if none lists it by itself."""
    card = outcome.cards.get(number)
    return None if card is None else 1 + (card - 1) // outcome.config.cards_per_page


def _sigmoid(logit: float) -> float:
    """Return 1 / (1 + exp(-logit)); the smaller exponential cannot overflow."""
    small = math.exp(-abs(logit))
    return 1 / (1 + small) if logit >= 0 else small / (1 + small)


def _points(total: Sum | None, number: int) -> list[Payload]:
    """Return the parts of one chunk's structural score; their points sum to it."""
    keys = ("name", "value", "weight", "points")
    parts = total.parts(number) if total else []
    return [dict(zip(keys, part, strict=True)) for part in parts]
