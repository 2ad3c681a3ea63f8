"""A distribution counts every chunk in scope once, in a bin or as without a score."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.distribution import Distribution, distribution
from codesearch.funnel.legs import idle_leg, rank_leg

NAN = float("nan")
SCORES = st.one_of(
    st.just(NAN),
    st.integers(-3, 3).map(float),
    st.floats(-40, 40, allow_nan=False, width=32),
)


def spread(
    scores: list[float], scope: list[bool] | None = None, depth: int = 3
) -> Distribution:
    mask = None if scope is None else np.array(scope)
    leg = rank_leg("bm25", np.array(scores), depth=depth, scope=mask)
    found = distribution(leg)
    assert found
    return found


@given(rows=st.lists(st.tuples(SCORES, st.booleans()), min_size=1, max_size=200))
def test_bins_and_chunks_without_a_score_add_up_to_the_scope(
    rows: list[tuple[float, bool]],
) -> None:
    scores, scope = [row[0] for row in rows], [row[1] for row in rows]

    found = spread(scores, scope)

    assert sum(found.counts) + found.unscored == sum(scope)
    assert len(found.edges) == (len(found.counts) + 1 if found.counts else 0)
    kept = [score for score, inside in rows if inside and not math.isnan(score)]
    for start, end, count in zip(
        found.edges[:-2], found.edges[1:-1], found.counts, strict=False
    ):
        assert count == sum(start <= score < end for score in kept)


def test_the_highest_score_is_in_the_last_bin() -> None:
    found = spread([0.0, 3.0, 6.0, 6.0, NAN])

    assert len(found.counts) == 60
    assert len(found.edges) == 61
    assert (found.counts[0], found.counts[30], found.counts[59]) == (1, 1, 2)
    assert (found.edges[0], found.edges[30], found.edges[60]) == (0.0, 3.0, 6.0)
    assert found.unscored == 1


def test_the_figures_are_those_of_the_scores_in_scope() -> None:
    found = spread([1.0, 3.0, 5.0, 99.0, NAN], [True, True, True, False, True])

    assert (found.mean, found.min, found.max, found.first) == (3.0, 1.0, 5.0, 5.0)
    assert found.sd == pytest.approx(1.632993161855452)
    assert found.floor == 1.0
    assert found.z(5.0) == pytest.approx(1.224744871391589)


def test_scores_that_are_all_equal_are_one_bin_and_have_no_z() -> None:
    found = spread([0.1, 0.1, 0.1, NAN])

    assert (found.edges, found.counts, found.unscored) == ((0.1, 0.1), (3,), 1)
    assert (found.mean, found.sd) == (0.1, 0.0)
    assert found.z(0.1) is None


def test_a_leg_that_knows_nothing_has_no_bin_and_no_figure() -> None:
    found = spread([NAN, NAN])

    assert (found.edges, found.counts, found.unscored) == ((), (), 2)
    assert found.first is None
    assert found.z(1.0) is None


def test_a_leg_that_did_not_run_has_no_distribution() -> None:
    assert distribution(idle_leg("body", 3, "no model")) is None
