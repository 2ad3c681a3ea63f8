"""Distribution: how the raw scores of one leg spread over the whole scope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from codesearch.funnel.types import Leg

BINS = 60  # About what a plot of half a page can tell apart.


@dataclass(frozen=True, slots=True)
class Distribution:
    """A histogram of a leg's raw scores, in their own unit, and their figures.

    `counts` has 60 bins of equal width, `edges` one more: a bin holds its lower edge,
    the last one both. Scores that are all equal are one bin from that score to itself;
    where no chunk has one there is no bin, and the figures are None. The counts and
    `unscored`, the chunks without a score, add up to the chunks in scope. `sd` is the
    standard deviation over all scored chunks (n, not n - 1). `first` is the raw score
    of ordinal 1, `floor` that of the last of a full list.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    unscored: int
    mean: float | None
    sd: float | None
    min: float | None
    max: float | None
    first: float | None
    floor: float | None

    def z(self, raw: float) -> float | None:
        """Return (raw - mean) / sd, None where all scores are equal."""
        if self.mean is None or not self.sd:
            return None
        return (raw - self.mean) / self.sd


def distribution(leg: Leg) -> Distribution | None:
    """Return the distribution of a leg's scores in scope, None if it did not run."""
    if not leg.ran:
        return None
    scores = leg.ascending
    unscored = leg.in_scope - len(scores)
    if not len(scores):
        return Distribution((), (), unscored, None, None, None, None, None, None)
    least, most = float(scores[0]), float(scores[-1])
    if least == most:
        edges, counts = [least, most], [len(scores)]
    else:
        bounds = np.linspace(least, most, BINS + 1)
        below = np.searchsorted(scores, bounds)
        below[-1] = len(scores)
        edges, counts = bounds.tolist(), np.diff(below).tolist()
    return Distribution(
        edges=tuple(edges),
        counts=tuple(counts),
        unscored=unscored,
        mean=least if least == most else float(scores.mean()),
        sd=0.0 if least == most else float(scores.std()),
        min=least,
        max=most,
        first=most,
        floor=leg.floor,
    )
