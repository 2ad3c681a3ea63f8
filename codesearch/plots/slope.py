"""Slopes: one rank against another, as a line from left to right on a log scale."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from codesearch.plots.shapes import curve

LEFT, RIGHT = 6.0, 86.0
TOP, BOTTOM = 4.0, 26.0  # Rank 1, and the last one of the scale.
BELOW = BOTTOM + 2  # What is not in its list.
LEAST = 10  # Ranks that a scale has at least.


@dataclass(frozen=True, slots=True)
class Slope:
    """What the template draws; an end that is not ranked has no dot.

    The line comes from, or goes to, the bottom then. `pool` is the height of its cut,
    None where the scale does not reach it.
    """

    line: str
    a: float | None
    b: float | None
    pool: float | None


def deepest(ranks: Iterable[int | None]) -> int:
    """Return the last rank of a scale that holds all of these."""
    return max([LEAST, *(rank for rank in ranks if rank is not None)])


def draw_slope(
    a: int | None, b: int | None, *, last: int, pool: int | None = None
) -> Slope:
    """Return the slope between two ranks on a scale from 1 to `last`, above 1."""

    def at(rank: int) -> float:
        share = math.log(rank) / math.log(last)
        return round(TOP + (BOTTOM - TOP) * share, 1)

    ends = [BELOW if rank is None else at(rank) for rank in (a, b)]
    is_drawn = a is not None or b is not None
    return Slope(
        line=curve(LEFT, ends[0], RIGHT, ends[1]) if is_drawn else "",
        a=None if a is None else ends[0],
        b=None if b is None else ends[1],
        pool=at(pool) if pool and pool <= last else None,
    )
