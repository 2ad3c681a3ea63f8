"""Rerank: put the pool in its final order.

`structural` is a plain sum of named features. A cross-encoder, where one is
configured, reads query and text together; its raw logit decides for the pairs it
scored within its time, and the others follow in structural order. `identity` is the
fused order as it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from codesearch.funnel.corpus import Corpus
from codesearch.funnel.features import add_up
from codesearch.funnel.types import (
    Config,
    Hit,
    Leg,
    Models,
    Pool,
    Query,
    Reranked,
    Run,
    ScorePairs,
)
from indexer.pipeline.loading import ModelError

PAIRS_PER_STEP = 8  # Small enough to stop close to the time that was given.
LEXICAL_NOTE = "by the lexical formula: not every purpose has a vector of one model"


def rerank(
    query: Query,
    fused: Run,
    pool: Pool,
    corpus: Corpus,
    legs: Sequence[Leg],
    models: Models,
    config: Config,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Reranked:
    """Order the pool. Every chunk of the pool is in the run, once.

    Without words, for a query of regular expressions alone, the fused order stays.
    """
    chunks = sorted(pool.entry)
    if config.reranker == "identity" or not query.text:
        return _as_fused(fused, pool)
    total = add_up(query, corpus, legs, chunks, config.points)
    order = sorted(range(len(chunks)), key=lambda row: (-total.scores[row], row))
    hits = [
        Hit(chunks[row], ordinal, float(total.scores[row]))
        for ordinal, row in enumerate(order, start=1)
    ]
    note = "" if total.is_dense else LEXICAL_NOTE
    structural = Reranked("structural", Run("rerank", tuple(hits)), total, {}, note)
    if models.score_pairs is None or config.reranker == "structural":
        return structural

    try:
        logits = _score_within(query, hits, models.score_pairs, config, clock)
    except ModelError as error:  # Half of its logits would be half an order.
        return replace(structural, failure=str(error))
    scoring = f"{len(logits)} of {len(hits)} pairs scored"
    rest = len(logits) < len(hits)
    note = f"{scoring}; the others {note}" if note and rest else scoring
    return Reranked("cross_encoder", _reorder(hits, logits), total, logits, note)


def _as_fused(fused: Run, pool: Pool) -> Reranked:
    hits = [hit for hit in fused.hits if hit.chunk in pool.entry]
    run = tuple(Hit(hit.chunk, n, hit.score) for n, hit in enumerate(hits, 1))
    return Reranked("identity", Run("rerank", run), None, {})


def _reorder(hits: Sequence[Hit], logits: Mapping[int, float]) -> Run:
    """Return the run by logit; what has none follows in the order it has."""
    scored = sorted(
        (hit for hit in hits if hit.chunk in logits),
        key=lambda hit: (-logits[hit.chunk], hit.chunk),
    )
    rest = [hit for hit in hits if hit.chunk not in logits]
    return Run(
        "rerank",
        tuple(
            Hit(hit.chunk, ordinal, logits.get(hit.chunk, hit.score))
            for ordinal, hit in enumerate([*scored, *rest], start=1)
        ),
    )


def _score_within(
    query: Query,
    seated: Sequence[Hit],
    score_pairs: ScorePairs,
    config: Config,
    clock: Callable[[], float],
) -> dict[int, float]:
    """Score pairs in structural order until the time is over; at least one step."""
    logits: dict[int, float] = {}
    end = clock() + config.rerank_seconds
    for start in range(0, len(seated), PAIRS_PER_STEP):
        if start and clock() >= end:
            break
        chunks = [hit.chunk for hit in seated[start : start + PAIRS_PER_STEP]]
        logits.update(zip(chunks, score_pairs(query.text, chunks), strict=True))
    return logits
