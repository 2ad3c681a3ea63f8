"""Vote: which weights of a leg give one chunk a seat in the pool, all else as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from codesearch.funnel.intervals import Interval, real_intervals
from codesearch.funnel.pool import guaranteed
from codesearch.funnel.seats import (
    Counts,
    Line,
    first_number,
    fused_scores,
    has_seat,
    seat,
)
from codesearch.funnel.types import Config, Mask, Scores, surface_of


def weights_that_seat(
    line: Line, config: Config, leg: str, least: float, most: float
) -> tuple[Interval, ...]:
    """Return which weights of one surface's legs give the chunk a seat in the pool.

    A fused score is linear in the weight, so each other chunk passes the chunk at one
    weight at most; in between the seat stands still. Where it depends on who is first
    of a tie at such a weight, the fused scores themselves are compared.
    """
    listed = line.listed(config.depth)
    if listed is None:
        return ()
    certain = guaranteed(len(line.legs), config)
    if listed.best[listed.row] <= certain:
        seated = first_number(listed) <= config.pool_size
        return (Interval(least, most),) if seated else ()
    first = int(np.count_nonzero(listed.best <= certain))
    rivals = listed.best > certain
    rivals[listed.row] = False
    passed = _passings(listed, config, leg, (least, most), rivals)
    free = config.pool_size - first  # Seats for the fused order.
    at_points, inside = passed.fits(free)
    for n in np.flatnonzero(passed.is_open(free)):
        weights = {**config.weights, leg: float(passed.points[n])}
        found = seat(line, replace(config, weights=weights))
        at_points[n] = has_seat(found, config)
    return real_intervals(passed.points, at_points, inside)


@dataclass(frozen=True, slots=True, eq=False)
class _Passings:
    """Where rivals pass the chunk as a weight grows, and how many are always ahead.

    `upwards` are the weights, sorted, from which on one is ahead, `downwards` those
    up to which one is; `points` are all of them within the bounds, and the bounds.
    """

    points: Scores
    upwards: Scores
    downwards: Scores
    always: int

    def _ahead(self, above: Scores, below: Scores, *, with_ties: bool) -> Counts:
        up = np.searchsorted(self.upwards, above, "right" if with_ties else "left")
        down = np.searchsorted(self.downwards, below, "left" if with_ties else "right")
        return np.asarray(self.always + up + len(self.downwards) - down)

    def fits(self, free: int) -> tuple[Mask, Mask]:
        """Return where fewer than `free` are ahead, ties too: at and between points."""
        at_points = self._ahead(self.points, self.points, with_ties=True)
        inside = self._ahead(self.points[:-1], self.points[1:], with_ties=True)
        return at_points < free, inside < free

    def is_open(self, free: int) -> Mask:
        """Return at which points the ties decide."""
        strictly = self._ahead(self.points, self.points, with_ties=False)
        return (strictly < free) & ~self.fits(free)[0]


def _passings(
    line: Line, config: Config, leg: str, bounds: tuple[float, float], rivals: Mask
) -> _Passings:
    legs = [surface_of(name) for name in line.legs]
    others = {name: config.weight(name) for name in legs} | {leg: 0.0}
    alone = dict.fromkeys(legs, 0.0) | {leg: 1.0}
    rest = fused_scores(line, replace(config, weights=others))
    slope = fused_scores(line, replace(config, weights=alone))
    rest, slope = rest - rest[line.row], slope - slope[line.row]
    still = rivals & (slope == 0)
    before = np.arange(len(rest)) < line.row
    always = still & ((rest > 0) | ((rest == 0) & before))
    moving = np.flatnonzero(rivals & (slope != 0))
    roots = -rest[moving] / slope[moving]
    least, most = bounds
    for n in np.flatnonzero((roots > least - 1) & (roots < most + 1)):
        roots[n] = _meeting(line, config, leg, int(moving[n]))
    inside = roots[(roots > least) & (roots < most)]
    return _Passings(
        np.unique(np.concatenate([[least, most], inside])),
        np.sort(roots[slope[moving] > 0]),
        np.sort(roots[slope[moving] < 0]),
        int(np.count_nonzero(always)),
    )


def _meeting(line: Line, config: Config, leg: str, rival: int) -> float:
    """Return the weight at which a rival has the chunk's score, rounded once."""
    rest, slope = Fraction(0), Fraction(0)
    for name, ordinals in zip(line.legs, line.ordinals, strict=True):
        lead = _share(config, ordinals[rival]) - _share(config, ordinals[line.row])
        if surface_of(name) == leg:
            slope += lead
        else:
            rest += Fraction(config.weight(name)) * lead
    return float(-rest / slope)


def _share(config: Config, ordinal: float) -> Fraction:
    known = np.isfinite(ordinal)
    return Fraction(1, config.rrf_k + int(ordinal)) if known else Fraction(0)
