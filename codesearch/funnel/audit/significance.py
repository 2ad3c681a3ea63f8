"""Significance: two systems over the same queries, query by query.

The tests are two-sided and paired (Smucker, Allan and Carterette 2007).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codesearch.funnel.audit.intervals import SEED, Floats, means

FLIPS = 10_000  # A p of .05 then moves by .004 at most, in 95 of 100 seeds.
BLOCK = 1000  # Flips that are in memory at once.
ROUNDING = 1e-9  # Sums in another order differ by less than this share of them.


@dataclass(frozen=True, slots=True)
class Comparison:
    """System a against b over `n` queries; a `difference` above 0 is for a.

    `low` and `high` are the 95 % bootstrap interval of the mean difference. A win is a
    query where a is above b. Without a query the means and their interval are None.
    """

    mean_a: float | None
    mean_b: float | None
    difference: float | None
    low: float | None
    high: float | None
    wins: int
    ties: int
    losses: int
    p_randomisation: float
    p_sign: float
    n: int


def compare_values(a: Sequence[float], b: Sequence[float]) -> Comparison:
    """Compare one value a query of a with that of b for the same query, in order."""
    first, second = np.array(a, dtype=np.float64), np.array(b, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"{len(a)} values of a, {len(b)} of b: give those of the same")
    if not len(first):
        return Comparison(None, None, None, None, None, 0, 0, 0, 1.0, 1.0, 0)
    differences = first - second
    found = means(differences[:, np.newaxis])[0]
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return Comparison(
        mean_a=float(first.mean()),
        mean_b=float(second.mean()),
        difference=found.mean,
        low=found.low,
        high=found.high,
        wins=wins,
        ties=len(first) - wins - losses,
        losses=losses,
        p_randomisation=randomisation_test(differences),
        p_sign=sign_test(wins, losses),
        n=len(first),
    )


def randomisation_test(differences: Floats) -> float:
    """Return how likely a mean at least as far from 0 is if a and b are exchangeable.

    Each difference keeps its size and takes either sign. All ways are counted where
    they are no more than FLIPS, else FLIPS random ones by a fixed seed and the
    observed one. Queries without a difference change nothing.
    """
    moved = differences[differences != 0]
    seen = abs(moved.sum()) - ROUNDING * abs(moved).sum()
    if 2 ** len(moved) <= FLIPS:
        ways = np.arange(2 ** len(moved))[:, np.newaxis] >> np.arange(len(moved)) & 1
        return float((abs((1 - 2 * ways) @ moved) >= seen).mean())
    rng = np.random.default_rng(SEED)
    extreme = 1
    for _ in range(FLIPS // BLOCK):
        flipped = rng.integers(0, 2, size=(BLOCK, len(moved)), dtype=np.int8)
        extreme += int((abs((1.0 - 2.0 * flipped) @ moved) >= seen).sum())
    return extreme / (FLIPS + 1)


def sign_test(wins: int, losses: int) -> float:
    """Return how likely a count this uneven is if wins and losses are equally likely.

    It is exact; ties are left out.
    """
    tosses = wins + losses
    tail = sum(math.comb(tosses, count) for count in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / (1 << tosses))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return each p corrected for all of them (Holm 1979), in their order."""
    order = sorted(range(len(p_values)), key=lambda number: p_values[number])
    corrected = [0.0] * len(p_values)
    most = 0.0
    for done, number in enumerate(order):
        most = max(most, min(1.0, (len(p_values) - done) * p_values[number]))
        corrected[number] = most
    return corrected
