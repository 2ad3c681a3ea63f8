"""Edges: who stands on either side of a cut, and whether it falls inside a tie.

A cut inside a tie is decided by the order of the chunks, which says nothing of them:
of equals one is in and the next is out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codesearch.funnel.fusion import tie_of
from codesearch.funnel.legs import rank_leg
from codesearch.funnel.types import Leg, Outcome, Standing

POOL_SPAN = 5  # Neighbours of the pool's cut on each side, as many as one reads.
LEG_SPAN = 3  # Of a leg's cut: there is a table for each leg.


@dataclass(frozen=True, slots=True)
class Tie:
    """A tie that a cut falls into: `kept` of `size` chunks of one `score` are in.

    `first` is the ordinal of its first chunk, from 1; the others follow it.
    """

    first: int
    size: int
    kept: int
    score: float


def leg_tie(leg: Leg) -> Tie | None:
    """Return the tie that the end of a leg's list falls into, None without one."""
    if leg.floor is None:
        return None
    lower, upper = (
        int(np.searchsorted(leg.ascending, leg.floor, side))
        for side in ("left", "right")
    )
    first = 1 + len(leg.ascending) - upper
    kept = leg.depth - first + 1
    size = upper - lower
    return Tie(first, size, kept, leg.floor) if size > kept else None


def leg_neighbours(leg: Leg) -> list[int]:
    """Return the chunks around the end of a leg's list, in its order."""
    longer = rank_leg(leg.name, leg.ranked, depth=leg.depth + LEG_SPAN)
    start = max(0, leg.depth - LEG_SPAN)
    return [hit.chunk for hit in longer.run.hits[start:]]


def behind(leg: Leg, found: Standing) -> float | None:
    """Return a chunk's raw score less that of the one above it, None for the first."""
    if found.ordinal > found.rank:
        return 0.0
    if found.rank == 1:
        return None
    return found.raw - float(leg.ascending[len(leg.ascending) - found.rank + 1])


def pool_cut(outcome: Outcome) -> int | None:
    """Return how many leading chunks of the fused order are in the pool, one and all.

    What stands lower and is in came by a guarantee. None where all of them are in.
    """
    entry = outcome.pool.entry
    left = (hit.ordinal for hit in outcome.fused.hits if hit.chunk not in entry)
    first = next(left, None)
    return None if first is None else first - 1


def pool_tie(outcome: Outcome, cut: int) -> Tie | None:
    """Return the tie that the cut of the fused order falls into, None without one.

    Those of it that a guarantee seats are in whatever their place in it.
    """
    first = outcome.fused.hits[cut]
    tied = tie_of(outcome.fused, first.chunk)
    kept = [via for chunk in tied if (via := outcome.pool.entry.get(chunk))]
    if "fusion" not in kept:
        return None
    start = outcome.fused.by_chunk[tied[0]].ordinal
    return Tie(start, len(tied), len(kept), first.score)


def pool_neighbours(outcome: Outcome, cut: int, targets: Sequence[int]) -> list[int]:
    """Return the chunks around the cut, and the targets further off, in fused order."""
    near = outcome.fused.hits[max(0, cut - POOL_SPAN) : cut + POOL_SPAN]
    found = {hit.chunk for hit in near}
    found |= {chunk for chunk in targets if chunk in outcome.fused.by_chunk}
    return sorted(found, key=lambda chunk: outcome.fused.by_chunk[chunk].ordinal)


def overtakers(outcome: Outcome, chunk: int) -> list[int]:
    """Return the chunks of the pool that stand below one in the fused order."""
    own = outcome.fused.by_chunk[chunk].ordinal
    return [h.chunk for h in outcome.fused.hits[own:] if h.chunk in outcome.pool.entry]
