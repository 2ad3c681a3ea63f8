"""Sides: where a target stands at one stage of a search, and how far from others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codesearch.funnel.legs import standings
from codesearch.funnel.types import Leg, Outcome, Run, surface_of

FUSED = "fused"
RESULT = "result"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the best chunk of a target stands at a stage.

    `rank` is the competition rank in a leg, over all its chunks, else the ordinal.
    `raw` is the stage's score, None where its order has no single one. `margin` is
    `raw` less the highest score of a chunk that is not the target's: above 0 it is
    first and clear of the next. None where there is no other.
    """

    chunk: int
    rank: int
    raw: float | None
    margin: float | None
    in_pool: bool


def stand_at(stage: str, outcome: Outcome, chunks: Sequence[int]) -> Place | None:
    """Return where the best of a target's chunks stands; None where none does.

    `stage` is a leg without its embedder, FUSED or RESULT.
    """
    if stage == FUSED:
        return _in_run(outcome.fused, chunks, outcome)
    if stage == RESULT:
        found = _in_run(outcome.shown, chunks, outcome)
        is_mixed = bool(outcome.reranked.logits)  # Logits first, then sums.
        if found and is_mixed:
            return Place(found.chunk, found.rank, None, None, found.in_pool)
        return found
    legs = [leg for leg in outcome.legs if surface_of(leg.name) == stage and leg.ran]
    return _in_leg(legs[0], chunks, outcome) if legs else None


def _in_leg(leg: Leg, chunks: Sequence[int], outcome: Outcome) -> Place | None:
    known = [
        (one.ordinal, chunk, one)
        for chunk, one in zip(chunks, standings(leg, chunks), strict=True)
        if one is not None
    ]
    if not known:
        return None
    _, chunk, found = min(known, key=lambda row: row[:2])
    others = leg.ranked.copy()
    others[list(chunks)] = np.nan
    others = others[~np.isnan(others)]
    margin = found.raw - float(others.max()) if len(others) else None
    in_pool = chunk in outcome.pool.entry
    return Place(chunk, found.rank, found.raw, margin, in_pool)


def _in_run(run: Run, chunks: Sequence[int], outcome: Outcome) -> Place | None:
    own = [run.by_chunk[chunk] for chunk in chunks if chunk in run.by_chunk]
    if not own:
        return None
    best = min(own, key=lambda hit: hit.ordinal)
    others = [hit.score for hit in run.hits if hit.chunk not in chunks]
    margin = best.score - max(others) if others else None
    in_pool = best.chunk in outcome.pool.entry
    return Place(best.chunk, best.ordinal, best.score, margin, in_pool)
