"""Legs: four retrievers, each with one raw score for every chunk it knows.

A leg holds a chunk only with evidence: a vector, a matched term, a matched
name. No evidence is NaN, never 0, because BM25 gives true matches a score
near zero too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from codesearch.funnel.types import (
    Config,
    Corpus,
    Hit,
    Leg,
    Models,
    Parts,
    Query,
    Run,
    Scores,
    Standing,
)

DENSE = ("purpose", "body")
LEGS = (*DENSE, "bm25", "symbol")


def run_legs(
    query: Query, corpus: Corpus, models: Models, config: Config
) -> tuple[tuple[Leg, ...], Scores | None]:
    """Run every leg; also return the cosine of every place's summary.

    The summary cosines are None when no model could encode the query.
    """
    legs = [
        rank_leg("bm25", corpus.bm25(query.terms), depth=config.depth),
        rank_leg("symbol", corpus.symbol(query.names), depth=config.depth),
    ]
    if models.encode is None:
        idle = [idle_leg(name, corpus.chunk_count, models.missing) for name in DENSE]
        return (*idle, *legs), None

    vector = models.encode(query.text)
    dense = [
        rank_leg(name, *corpus.cosine(name, vector), depth=config.depth)
        for name in DENSE
    ]
    return (*dense, *legs), corpus.place_cosine(vector)


def rank_leg(
    name: str, scores: Scores, parts: Parts | None = None, *, depth: int
) -> Leg:
    """Put the best `depth` chunks on the leg's list: score falling, then number."""
    known = np.flatnonzero(~np.isnan(scores))
    leading = known
    if len(known) > depth:
        least = np.partition(scores[known], len(known) - depth)[len(known) - depth]
        leading = known[scores[known] >= least]
    order = leading[np.argsort(-scores[leading], kind="stable")][:depth]
    hits = tuple(
        Hit(int(chunk), ordinal, float(scores[chunk]))
        for ordinal, chunk in enumerate(order, start=1)
    )
    floor = hits[-1].score if len(hits) == depth else None
    return Leg(name, Run(name, hits), scores, len(known), floor, depth, parts)


def idle_leg(name: str, chunk_count: int, note: str) -> Leg:
    """Return a leg that did not run, and why."""
    scores = np.full(chunk_count, np.nan)
    return Leg(name, Run(name, ()), scores, 0, None, 0, ran=False, note=note)


def standings(leg: Leg, chunks: Sequence[int]) -> list[Standing | None]:
    """Return where each chunk stands in the whole corpus, None without evidence."""
    raw = leg.scores[np.asarray(chunks, np.intp)]
    not_higher = np.searchsorted(leg.ascending, raw, side="right")
    lower = np.searchsorted(leg.ascending, raw, side="left")
    ranks = 1 + len(leg.ascending) - not_higher
    ties = not_higher - lower
    below = lower + len(leg.scores) - len(leg.ascending)
    rows = zip(
        chunks, raw.tolist(), ranks.tolist(), ties.tolist(), below.tolist(), strict=True
    )
    return [
        None
        if math.isnan(score)
        else Standing(
            rank=rank,
            ordinal=_ordinal(leg, chunk, rank, tie),
            tie_size=tie,
            raw=score,
            percentile=100 * worse / len(leg.scores),
        )
        for chunk, score, rank, tie, worse in rows
    ]


def standing(leg: Leg, chunk: int) -> Standing | None:
    """Return where `chunk` stands in the whole corpus, or None without evidence."""
    return standings(leg, [chunk])[0]


def _ordinal(leg: Leg, chunk: int, rank: int, tie: int) -> int:
    """Return a chunk's place in the total order: of a tie the smaller number first."""
    if tie == 1:
        return rank
    if hit := leg.run.by_chunk.get(chunk):
        return hit.ordinal
    return rank + int(np.count_nonzero(leg.scores[:chunk] == leg.scores[chunk]))


def normalised(leg: Leg, chunk: int) -> float | None:
    """Return (raw - min) / (max - min) over the leg's list for this query.

    None outside the list, or where all scores of the list are equal. It is
    relative to this query and says nothing of how close a chunk is.
    """
    hits = leg.run.hits
    if not hits or hits[0].score == hits[-1].score:
        return None
    found = leg.run.by_chunk.get(chunk)
    if found is None:
        return None
    return (found.score - hits[-1].score) / (hits[0].score - hits[-1].score)
