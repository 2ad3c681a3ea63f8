"""Shift: a small line from the rank in one audit to that in another, log scale."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from codesearch.plots.shapes import curve

LEFT, RIGHT = 6.0, 86.0
TOP, BOTTOM = 4.0, 26.0  # Rank 1, and the deepest rank of all rows.
LEAST = 10  # Ranks that the scale has at least.


@dataclass(frozen=True, slots=True)
class Shift:
    """One row: heights of both ends and of the pool's cut; None: not in its list."""

    path: str
    a: float | None
    b: float | None
    cut: float | None


def deepest(ranks: Iterable[int | None]) -> int:
    """Return the last rank of a scale that holds all of these."""
    return max([LEAST, *(rank for rank in ranks if rank is not None)])


def shift_line(a: int | None, b: int | None, *, last: int, cut: int | None) -> Shift:
    """Return the line of one row on a scale from 1 to `last`; `cut` is the pool's.

    What is not in its list comes from, or goes to, the bottom.
    """
    ends = [BOTTOM + 2 if rank is None else _height(rank, last) for rank in (a, b)]
    is_drawn = a is not None or b is not None
    return Shift(
        path=curve(LEFT, ends[0], RIGHT, ends[1]) if is_drawn else "",
        a=None if a is None else ends[0],
        b=None if b is None else ends[1],
        cut=_height(cut, last) if cut and cut <= last else None,
    )


def _height(rank: int, last: int) -> float:
    share = math.log(rank) / math.log(last)
    return round(TOP + (BOTTOM - TOP) * share, 1)
