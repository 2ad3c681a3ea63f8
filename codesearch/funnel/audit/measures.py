"""Measures: recall, success, precision, reciprocal rank and nDCG at every stage.

They are those of trec_eval: a target with a grade above 0 is wanted, a grade is the
gain itself, precision divides by k, and what lies below k is not found. Each is a
value for every query that has a wanted target.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from codesearch.funnel.audit.intervals import Floats
from codesearch.funnel.audit.types import Answered, Stage, StageKind

DEPTHS = (1, 5, 10, 20, 60, 100, 200)


class Metric(StrEnum):
    """What is measured of one query's list, down to a depth."""

    RECALL = "recall"
    SUCCESS = "success"
    PRECISION = "precision"
    NDCG = "ndcg"
    RECIPROCAL = "mrr"


# Several targets may share a place there, so that k places hold more than k targets.
SHARED = (StageKind.UNION, StageKind.CARD)
OF_LISTS = (Metric.PRECISION, Metric.NDCG)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wanted targets of all queries that have one; arrays have one value a target.

    `query` is the number of its query, from 0, in the order of `keys`. `places` are by
    stage, NaN for not in its list.
    """

    keys: tuple[str, ...]
    query: npt.NDArray[np.intp]
    grade: Floats
    places: Mapping[str, Floats]

    def total(self, values: npt.ArrayLike) -> Floats:
        """Return the sum of one value a target, for each query."""
        weights = np.asarray(values, dtype=np.float64)
        return _sums(self.query, weights, len(self.keys))

    def best(self, values: Floats) -> Floats:
        """Return the largest of one value from 0 a target, for each query."""
        largest = np.zeros(len(self.keys))
        np.maximum.at(largest, self.query, values)
        return largest


def wanted_of(answers: Sequence[Answered], stages: Sequence[Stage]) -> Wanted:
    """Return the wanted targets of `answers`, in order."""
    asked = [(one.key, one.wanted) for one in answers if one.wanted]
    flat = [(n, target) for n, (_, found) in enumerate(asked) for target in found]
    return Wanted(
        keys=tuple(key for key, _ in asked),
        query=np.array([n for n, _ in flat], dtype=np.intp),
        grade=np.array([target.grade for _, target in flat], dtype=np.float64),
        places={
            stage.name: np.array(
                [target.places.get(stage.name) or math.nan for _, target in flat],
                dtype=np.float64,
            )
            for stage in stages
        },
    )


def depths_of(stage: Stage) -> tuple[int, ...]:
    """Return the k of a stage: those of DEPTHS that it reaches, and its own depth."""
    if stage.depth is None:
        return DEPTHS
    reached = {k for k in (*DEPTHS, stage.depth) if 0 < k <= stage.depth}
    return tuple(sorted(reached))


def metrics_of(stage: Stage) -> tuple[Metric, ...]:
    """Return what can be measured at a stage."""
    is_list = stage.kind not in SHARED
    return tuple(one for one in Metric if is_list or one not in OF_LISTS)


def query_values(
    wanted: Wanted, stage: str, metric: Metric, k: int | None = None
) -> Floats:
    """Return one value a query, in the order of `wanted.keys`.

    `k` is None for the whole list. Precision needs a k.
    """
    places = wanted.places[stage]
    inside = places <= (math.inf if k is None else k)
    if metric is Metric.RECALL:
        return wanted.total(inside) / wanted.total(np.ones_like(places))
    if metric is Metric.SUCCESS:
        return wanted.best(inside.astype(np.float64))
    if metric is Metric.PRECISION:
        if k is None:
            raise ValueError("precision of a whole list: give a k")
        return wanted.total(inside) / k
    if metric is Metric.RECIPROCAL:
        return wanted.best(np.where(inside, 1 / places, 0.0))
    gained = np.where(inside, wanted.grade / np.log2(places + 1), 0.0)
    return wanted.total(gained) / _ideal(wanted, k)


def judged_share(answers: Sequence[Answered], stage: str, k: int) -> float | None:
    """Return the mean share of judged ones among the first k; None if not counted.

    Over the queries with a wanted target. A list shorter than k has holes.
    """
    shares = []
    for one in answers:
        counted = (one.judged_at or {}).get(stage, {}).get(k)
        if one.wanted and counted is None:
            return None
        if one.wanted and counted is not None:
            shares.append(counted / k)
    return math.fsum(shares) / len(shares) if shares else None


def _ideal(wanted: Wanted, k: int | None) -> Floats:
    """Return the gain of the best possible order of each query's wanted targets."""
    order = np.lexsort((-wanted.grade, wanted.query))
    query = wanted.query[order]  # Sorted: the first of each query is found by search.
    place = 1 + np.arange(len(query)) - np.searchsorted(query, query)
    gain = wanted.grade[order] / np.log2(place + 1)
    gain[place > (math.inf if k is None else k)] = 0.0
    return _sums(query, gain, len(wanted.keys))


def _sums(query: npt.NDArray[np.intp], values: Floats, count: int) -> Floats:
    """Return the sum of the values of each of `count` queries."""
    return np.bincount(query, values, minlength=count).astype(np.float64)
