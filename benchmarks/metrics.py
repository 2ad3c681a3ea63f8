"""What the benchmarks count: ranked lists against what was wanted, with intervals.

Pure functions of plain values. Ranks count from 1; lines count from 1 and are
inclusive.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

DEPTH = 10  # A page.
RESAMPLES = 2000  # The ends of an interval then move by less than .002.
SEED = 0


class Mean(TypedDict):
    """A mean with its 95 % bootstrap interval over `n` queries."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Found:
    """One line of a ranked list: a span of a file. A whole file ends at `LAST`."""

    path: str
    start_line: int
    end_line: int


LAST = 1 << 31  # Below the last line of any file.

# {"path"} with, for some, "start_line" and "end_line".
Wanted = Mapping[str, object]


def overlaps(found: Found, wanted: Wanted) -> bool:
    """Return whether a hit is in the wanted file and touches its span, if any."""
    if found.path != wanted["path"]:
        return False
    first, last = wanted.get("start_line"), wanted.get("end_line")
    if not (isinstance(first, int) and isinstance(last, int)):
        return True
    return found.start_line <= last and first <= found.end_line


def file_ranks(found: Iterable[Found], wanted: Sequence[Wanted]) -> list[int]:
    """Return the place of each wanted file in the list that has one place per file.

    A file's place is that of its first hit; it counts when any hit of the file
    touches a wanted span of it.
    """
    places: dict[str, int] = {}
    good: set[str] = set()
    for hit in found:
        places.setdefault(hit.path, len(places) + 1)
        if any(overlaps(hit, target) for target in wanted):
            good.add(hit.path)
    return sorted(places[path] for path in good)


def list_ranks(found: Iterable[Found], wanted: Sequence[Wanted]) -> list[int]:
    """Return the position in the list as it is of each wanted file's first good hit."""
    ranks: dict[str, int] = {}
    for position, hit in enumerate(found, start=1):
        if any(overlaps(hit, target) for target in wanted):
            ranks.setdefault(hit.path, position)
    return sorted(ranks.values())


def ndcg(ranks: Iterable[int], relevant: int, depth: int = DEPTH) -> float:
    """Return binary nDCG at `depth` for the ranks of what was found of `relevant`."""
    gained = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= depth)
    best = range(1, 1 + min(relevant, depth))
    ideal = sum(1 / math.log2(place + 1) for place in best)
    return gained / ideal if ideal else 0.0


def reciprocal(rank: int | None, depth: int | None = None) -> float:
    """Return 1 / rank, 0 for what was not found or lies below `depth`."""
    if rank is None or (depth is not None and rank > depth):
        return 0.0
    return 1 / rank


def auc(present: Sequence[float], absent: Sequence[float]) -> float:
    """Return how often a present one scores above an absent one; ties count half."""
    wins = [(p > a) + (p == a) / 2 for p in present for a in absent]
    return sum(wins) / len(wins)


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of one value per query, and the percentiles of its bootstrap."""
    sample = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(SEED)
    drawn = rng.choice(sample, size=(RESAMPLES, len(sample))).mean(axis=1)
    return _ends(float(sample.mean()), drawn, len(sample))


def auc_interval(present: Sequence[float], absent: Sequence[float]) -> Mean:
    """Return the AUC; present and absent ones are drawn again apart."""
    rng = np.random.default_rng(SEED)
    drawn = [
        auc(
            rng.choice(present, len(present)).tolist(),
            rng.choice(absent, len(absent)).tolist(),
        )
        for _ in range(RESAMPLES)
    ]
    return _ends(auc(present, absent), drawn, len(present) + len(absent))


def _ends(value: float, drawn: Sequence[float] | Floats, count: int) -> Mean:
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Mean(mean=value, low=float(low), high=float(high), n=count)
