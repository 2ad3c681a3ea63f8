"""Intervals: for which values of a setting something holds, where values are many.

Between two neighbouring breakpoints nothing can change, so a set of values is told
by what holds at each breakpoint and between each two of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codesearch.funnel.types import Mask, Scores

MOST_DIGITS = 17  # Decimal digits that tell any two floats apart.
CLOSE = 0.01  # How much further than need be a plain number may be.
SAME = 1e-9  # Nearer than this, of a breakpoint's size, is rounding and no difference.


@dataclass(frozen=True, slots=True)
class Interval:
    """The values from `start` to `stop`; each end belongs to it or does not."""

    start: float
    stop: float
    has_start: bool = True
    has_stop: bool = True

    def __contains__(self, value: float) -> bool:
        after = value > self.start or (self.has_start and value == self.start)
        return after and (value < self.stop or (self.has_stop and value == self.stop))


def whole_intervals(least: int, holds: Mask) -> tuple[Interval, ...]:
    """Return the runs of True; the first entry is of the whole number `least`."""
    edges = np.flatnonzero(np.diff(holds.astype(np.int8), prepend=0, append=0))
    starts, stops = edges[::2].tolist(), edges[1::2].tolist()
    return tuple(
        Interval(least + start, least + stop - 1)
        for start, stop in zip(starts, stops, strict=True)
    )


def merge_points(points: Scores) -> Scores:
    """Return rising breakpoints, one for those that differ by rounding alone.

    It is the plainest number among them: 1.0 for 1.0000000000000067.
    """
    rising = np.unique(points)
    apart = np.diff(rising) > SAME / 10 * np.maximum(1.0, np.abs(rising[1:]))
    groups = np.split(rising, 1 + np.flatnonzero(apart))
    return np.array([float(f"{group[len(group) // 2]:.12g}") for group in groups])


def between(points: Scores) -> Scores:
    """Return a value between each two neighbours of rising breakpoints."""
    return points[:-1] + (points[1:] - points[:-1]) / 2


def real_intervals(
    points: Scores, at_points: Mask, in_between: Mask
) -> tuple[Interval, ...]:
    """Return where something holds, from what holds at and between breakpoints.

    There is one entry fewer in between. A set may be a single value.
    """
    holds = np.zeros(2 * len(points) - 1, np.bool_)
    holds[::2], holds[1::2] = at_points, in_between
    return tuple(
        Interval(
            float(points[int(run.start) // 2]),
            float(points[-(-int(run.stop) // 2)]),
            has_start=run.start % 2 == 0,
            has_stop=run.stop % 2 == 0,
        )
        for run in whole_intervals(0, holds)
    )


def nearest(
    intervals: Sequence[Interval], current: float, *, is_whole: bool
) -> tuple[float, float] | None:
    """Return how far the intervals are from `current`, and a value that near.

    None without an interval. A whole value is the nearest itself; a real one is rounded
    away from it to as few digits as are close: 0.4 where all below 0.4013 will do.
    """
    found: list[tuple[float, float]] = []
    for one in intervals:
        if current in one:
            return 0.0, current
        end = one.start if current <= one.start else one.stop
        value = end if is_whole else _plain(one, end, current)
        if value is not None:
            found.append((abs(end - current), value))
    return min(found) if found else None


def _plain(one: Interval, end: float, current: float) -> float | None:
    """Return a short decimal in `one`, at its `end` or close behind it."""
    rounded = math.ceil if end >= current else math.floor
    inwards = 1 if one.start == end else -1
    limit = CLOSE * max(abs(end - current), CLOSE)
    for digits in range(MOST_DIGITS):
        value: float = rounded(end * 10.0**digits) / 10.0**digits
        step = inwards / 10.0**digits
        for tried in (value, value + step):
            if _is_well_in(one, tried) and abs(tried - end) <= limit:
                return tried
    return end if end in one else None


def _is_well_in(one: Interval, value: float) -> bool:
    """Tell whether a value is in an interval, and no rounding away from an end."""
    return value in one and all(
        value == end or abs(value - end) > SAME * max(1.0, abs(end))
        for end in (one.start, one.stop)
    )
