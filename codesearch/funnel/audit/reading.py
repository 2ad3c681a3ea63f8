"""Reading: what one reads before an answer, and how well its lines are met."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

OVERLAPS = (0.0, 0.1, 0.3, 0.5)


@dataclass(frozen=True, slots=True)
class Cost:
    """Of `n` queries half read no more than `median`, nine of ten no more than `p90`.

    Both are None without any.
    """

    median: int | None
    p90: int | None
    n: int


def cost_of(counts: Sequence[int]) -> Cost:
    """Return the cost of reading, from one count a query that has an answer."""
    return Cost(_quantile(counts, 0.5), _quantile(counts, 0.9), len(counts))


def overlap_shares(overlaps: Sequence[float]) -> dict[float, float | None]:
    """Return the share of targets whose lines overlap above 0, and by .1, .3, .5.

    An overlap is lines shared over lines in either. None without any target.
    """
    return {
        least: _share([one > 0 and one >= least for one in overlaps])
        for least in OVERLAPS
    }


def _quantile(counts: Sequence[int], share: float) -> int | None:
    """Return the least of the counts that `share` of them do not exceed."""
    if not counts:
        return None
    return sorted(counts)[math.ceil(share * len(counts)) - 1]


def _share(held: Sequence[bool]) -> float | None:
    return sum(held) / len(held) if held else None
