"""What is measured of random lists is what ir_measures makes of them."""

from __future__ import annotations

import random
from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, P, R, Success, nDCG

from benchmarks import metrics as benchmark
from codesearch.funnel.audit.intervals import means
from codesearch.funnel.audit.measures import (
    DEPTHS,
    Metric,
    depths_of,
    judged_share,
    metrics_of,
    query_values,
    wanted_of,
)
from codesearch.funnel.audit.types import Answered, Judged, Stage, StageKind
from tests.codesearch.funnel.audit.lists import judged, query

POOL = Stage("pool", StageKind.POOL, 200)
THEIRS = {
    Metric.RECALL: R,
    Metric.SUCCESS: Success,
    Metric.PRECISION: P,
    Metric.NDCG: nDCG,
}

# A query: how long its list is, and of each judged document its place in the list of
# all documents (below the list's length it is found) and its grade.
Drawn = tuple[int, dict[int, int]]
QUERIES = st.lists(
    st.tuples(
        st.integers(0, 30), st.dictionaries(st.integers(1, 40), st.integers(0, 3))
    ),
    min_size=1,
    max_size=6,
)


def answered_of(number: int, drawn: Drawn) -> Answered:
    length, grades = drawn
    targets = tuple(
        Judged(f"d{place}", grade, {"pool": place if place <= length else None})
        for place, grade in grades.items()
    )
    return query(f"q{number}", *targets)


def files_of(drawn: list[Drawn]) -> tuple[list[Any], list[Any]]:
    """Return qrels and run; Any: ir_measures has no types."""
    qrels, run = [], []
    for number, (length, grades) in enumerate(drawn):
        for place, grade in grades.items():
            qrels.append(ir_measures.Qrel(f"q{number}", f"d{place}", grade))
        for place in range(1, length + 1):
            run.append(ir_measures.ScoredDoc(f"q{number}", f"d{place}", -float(place)))
    random.Random(0).shuffle(run)  # noqa: S311 - an order, no secret
    return qrels, run


def theirs(measure: Any, drawn: list[Drawn]) -> dict[str, float]:
    """Return the value of each query that has a wanted target."""
    found = dict.fromkeys(
        [f"q{n}" for n, (_, grades) in enumerate(drawn) if any(grades.values())], 0.0
    )
    read: Any = ir_measures
    for one in read.iter_calc([measure], *files_of(drawn)):
        if one.query_id in found:
            found[one.query_id] = one.value
    return found


@pytest.mark.parametrize("k", [1, 5, 10, 20])
@pytest.mark.parametrize("metric", THEIRS)
@given(drawn=QUERIES)
def test_a_measure_at_k_is_that_of_ir_measures(
    metric: Metric, k: int, drawn: list[Drawn]
) -> None:
    answers = [answered_of(*one) for one in enumerate(drawn)]
    wanted = wanted_of(answers, [POOL])

    found = query_values(wanted, "pool", metric, k)

    expected = theirs(THEIRS[metric] @ k, drawn)
    assert dict(zip(wanted.keys, found, strict=True)) == pytest.approx(expected)


@pytest.mark.parametrize("k", [None, 1, 10])
@given(drawn=QUERIES)
def test_the_reciprocal_rank_is_that_of_ir_measures(
    k: int | None, drawn: list[Drawn]
) -> None:
    answers = [answered_of(*one) for one in enumerate(drawn)]
    wanted = wanted_of(answers, [POOL])

    found = query_values(wanted, "pool", Metric.RECIPROCAL, k)

    expected = theirs(RR if k is None else RR @ k, drawn)
    assert dict(zip(wanted.keys, found, strict=True)) == pytest.approx(expected)


@given(drawn=QUERIES)
def test_of_a_whole_list_ndcg_is_that_of_ir_measures(drawn: list[Drawn]) -> None:
    answers = [answered_of(*one) for one in enumerate(drawn)]
    wanted = wanted_of(answers, [POOL])

    found = query_values(wanted, "pool", Metric.NDCG)

    expected = theirs(nDCG, drawn)
    assert dict(zip(wanted.keys, found, strict=True)) == pytest.approx(expected)


def test_a_grade_is_the_gain_itself() -> None:
    targets = [judged("a", {"pool": 2}, grade=3), judged("b", {"pool": 1}, grade=1)]
    wanted = wanted_of([query("q", *targets)], [POOL])

    (found,) = query_values(wanted, "pool", Metric.NDCG, 10)

    assert found == pytest.approx(
        (1 + 3 / 1.584962500721156) / (3 + 0.6309297535714575)
    )


def test_a_query_without_a_wanted_target_is_in_no_mean() -> None:
    answers = [
        query("none"),
        query("zero", judged("a", {"pool": 1}, grade=0)),
        query("one", judged("b", {"pool": None})),
    ]

    assert wanted_of(answers, [POOL]).keys == ("one",)


def test_depths_end_with_that_of_the_stage() -> None:
    assert depths_of(POOL) == (1, 5, 10, 20, 60, 100, 200)
    assert depths_of(Stage("page", StageKind.PAGE, 30)) == (1, 5, 10, 20, 30)
    assert depths_of(Stage("body", StageKind.LEG, 1000)) == (*DEPTHS, 1000)
    assert depths_of(Stage("symbol", StageKind.LEG, 0)) == ()
    assert depths_of(Stage("result", StageKind.RESULT)) == DEPTHS


def test_where_targets_share_places_no_measure_of_a_list_is_taken() -> None:
    union = metrics_of(Stage("union", StageKind.UNION, 200))

    assert union == (Metric.RECALL, Metric.SUCCESS, Metric.RECIPROCAL)
    assert metrics_of(POOL) == tuple(Metric)


def test_precision_of_a_whole_list_is_refused() -> None:
    wanted = wanted_of([query("q", judged("a", {"pool": 1}))], [POOL])

    with pytest.raises(ValueError, match="give a k"):
        query_values(wanted, "pool", Metric.PRECISION)


def test_judged_ones_are_a_share_of_k() -> None:
    wanted = judged("a", {"pool": 1})
    answers = [
        Answered("a", "", "a", (wanted,), judged_at={"pool": {10: 3}}),
        Answered("b", "", "b", (wanted,), judged_at={"pool": {10: 1}}),
        Answered("unjudged", "", "c", (), judged_at={"pool": {10: 0}}),
    ]

    assert judged_share(answers, "pool", 10) == pytest.approx(0.2)
    assert judged_share(answers, "pool", 20) is None
    assert judged_share([query("d", wanted)], "pool", 10) is None
    assert judged_share([], "pool", 10) is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_an_interval_is_that_of_the_benchmark(values: list[float]) -> None:
    sample = [[value, 1 - value] for value in values]

    found, other = means(np.array(sample))

    expected = benchmark.mean(values)
    assert found.mean == pytest.approx(expected["mean"])
    assert found.n == len(values)
    assert (found.low, found.high) == pytest.approx((expected["low"], expected["high"]))
    assert (other.low, other.high) == pytest.approx((1 - found.high, 1 - found.low))
