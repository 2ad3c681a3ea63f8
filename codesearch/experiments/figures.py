"""Figures: what the numbers of an experiment come to."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, None of nothing."""
    return sum(values) / len(values) if values else None


def reciprocal(ranks: Sequence[int | None]) -> float | None:
    """Return the mean reciprocal rank; what was not found counts 0."""
    return mean([1 / rank if rank else 0.0 for rank in ranks])


def share(flags: Sequence[bool]) -> float | None:
    """Return how many of some are true, as a share."""
    return mean([float(flag) for flag in flags])


def median(values: Sequence[float]) -> float | None:
    """Return the median, None of nothing."""
    return statistics.median(values) if values else None


def written(number: float | None) -> str:
    """Return a share or a cosine as a sentence has it."""
    return "–" if number is None else f"{number:.2f}".replace("0.", ".", 1)
