"""Slopes: one rank against another, as a line from left to right on a log scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

from codesearch.plots.shapes import curve

WIDTH, HEIGHT = 92, 30
LEFT, RIGHT, TOP, BOTTOM = 6.0, 86.0, 4.0, 26.0
POOL = 200


@dataclass(frozen=True, slots=True)
class Slope:
    """What the template draws; an end that is not ranked has no dot, and no line is."""

    line: str
    ends: list[tuple[float, float]]
    pool: float


def draw_slope(a: int | None, b: int | None, worst: int) -> Slope:
    """Return the slope between two ranks where `worst` is the last one there is."""

    def at(rank: int) -> float:
        share = math.log(rank) / math.log(max(worst, POOL, 2))
        return round(TOP + (BOTTOM - TOP) * min(share, 1), 1)

    sides = ((LEFT, a), (RIGHT, b))
    ends = [(x, at(rank)) for x, rank in sides if rank is not None]
    line = curve(*ends[0], *ends[1]) if len(ends) == 2 else ""
    return Slope(line, ends, at(POOL))
