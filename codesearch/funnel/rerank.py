"""Rerank: put the pool in its final order.

`identity` keeps the fused order. A cross-encoder, where one is configured,
reads query and text together; its raw logit decides for the pairs it scored
within its time, and the others follow in fused order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from codesearch.funnel.types import (
    Config,
    Hit,
    Models,
    Pool,
    Query,
    Reranked,
    Run,
    ScorePairs,
)

PAIRS_PER_STEP = 8  # Small enough to stop close to the time that was given.
IDENTITY_NOTE = "no cross-encoder is configured: the fused order stands"


def rerank(
    query: Query,
    pool: Pool,
    fused: Run,
    models: Models,
    config: Config,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Reranked:
    """Order the pool. Every chunk of the pool is in the run, once."""
    seated = [hit for hit in fused.hits if hit.chunk in pool.entry]
    if models.score_pairs is None:
        hits = tuple(Hit(h.chunk, n, h.score) for n, h in enumerate(seated, 1))
        return Reranked("identity", Run("rerank", hits), {}, IDENTITY_NOTE)

    logits = _score_within(query, seated, models.score_pairs, config, clock)
    scored = sorted(
        (hit for hit in seated if hit.chunk in logits),
        key=lambda hit: (-logits[hit.chunk], hit.chunk),
    )
    rest = [hit for hit in seated if hit.chunk not in logits]
    hits = tuple(
        Hit(hit.chunk, ordinal, logits.get(hit.chunk, hit.score))
        for ordinal, hit in enumerate([*scored, *rest], start=1)
    )
    note = f"{len(logits)} of {len(seated)} pairs scored"
    return Reranked("cross_encoder", Run("rerank", hits), logits, note)


def _score_within(
    query: Query,
    seated: Sequence[Hit],
    score_pairs: ScorePairs,
    config: Config,
    clock: Callable[[], float],
) -> dict[int, float]:
    """Score pairs in fused order until the time is over; at least one step."""
    logits: dict[int, float] = {}
    end = clock() + config.rerank_seconds
    for start in range(0, len(seated), PAIRS_PER_STEP):
        if start and clock() >= end:
            break
        chunks = [hit.chunk for hit in seated[start : start + PAIRS_PER_STEP]]
        logits.update(zip(chunks, score_pairs(query.text, chunks), strict=True))
    return logits
