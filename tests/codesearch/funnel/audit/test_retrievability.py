"""Retrievability counts pools, and its Gini coefficient is that of the definition."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.audit.retrievability import gini, retrievability


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20).filter(any))
def test_gini_is_the_mean_difference_of_pairs_over_twice_the_mean(
    counts: list[int],
) -> None:
    size = len(counts)
    pairs = sum(abs(a - b) for a, b in product(counts, repeat=2)) / size**2

    found = gini([one for one in counts if one], size)

    assert found == pytest.approx(pairs / (2 * sum(counts) / size))


def test_gini_is_0_where_all_are_equal_and_nears_1_where_one_takes_all() -> None:
    assert gini([3, 3, 3], 3) == 0
    assert gini([7], 100) == pytest.approx(0.99)
    assert gini([], 100) is None


def test_hubs_are_in_most_pools_and_ties_go_by_name() -> None:
    found = retrievability([["b", "a", "c"], ["b", "a"], ["b", "d"]], 10)

    assert found.hubs == (("b", 3), ("a", 2), ("c", 1), ("d", 1))
    assert (found.chunks, found.never, found.share) == (10, 6, 0.6)


def test_pools_hold_no_more_than_there_is() -> None:
    found = retrievability([["a", "b"]], 1)

    assert (found.chunks, found.never, found.gini) == (2, 0, 0)
