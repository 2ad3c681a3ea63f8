"""Intervals: means over queries, each with its 95 % bootstrap interval.

The queries are drawn again with replacement, by a fixed seed; the ends are the
percentiles of the means of the draws (Efron and Tibshirani 1993, section 13.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RESAMPLES = 2000  # The ends of an interval then move by less than .002.
BLOCK = 200  # Draws that are in memory at once: 8 MB for 5,000 queries.
ENDS = (2.5, 97.5)
SEED = 0


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95 % bootstrap interval over `n` queries."""

    mean: float
    low: float
    high: float
    n: int


def means(values: Floats) -> list[Mean]:
    """Return the mean of each column of (queries, columns), one query or more.

    All columns are drawn alike: those of one query stay together.
    """
    count = len(values)
    drawn = np.concatenate([counts @ values for counts in _draws(count)]) / count
    lows, highs = np.percentile(drawn, ENDS, axis=0)
    rows = zip(values.mean(axis=0), lows, highs, strict=True)
    return [Mean(float(m), float(low), float(high), count) for m, low, high in rows]


def _draws(count: int) -> Iterator[Floats]:
    """Yield how often each of `count` queries is in each draw: (BLOCK, count)."""
    rng = np.random.default_rng(SEED)
    for _ in range(RESAMPLES // BLOCK):
        chosen = rng.integers(0, count, size=(BLOCK, count))
        chosen += np.arange(BLOCK)[:, np.newaxis] * count
        counts = np.bincount(chosen.ravel(), minlength=BLOCK * count)
        yield counts.reshape(BLOCK, count).astype(np.float64)
