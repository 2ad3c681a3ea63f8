"""Comparisons: exact where they can be, the same at every call, corrected together."""

from __future__ import annotations

from itertools import product
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.audit.significance import (
    compare_values,
    holm,
    randomisation_test,
    sign_test,
)

SIXTHS = st.integers(-6, 6).map(lambda n: n / 6)


def enumerated(differences: list[float]) -> float:
    """Return the share of all sign flips whose sum is as far from 0, by definition."""
    seen = abs(sum(differences))
    ways = list(product((-1, 1), repeat=len(differences)))
    sums = (
        abs(sum(s * d for s, d in zip(way, differences, strict=True))) for way in ways
    )
    return sum(one >= seen - 1e-9 for one in sums) / len(ways)


@given(st.lists(SIXTHS, max_size=9))
def test_the_randomisation_test_counts_every_way_of_few_queries(
    differences: list[float],
) -> None:
    found = randomisation_test(np.array(differences, dtype=np.float64))

    assert found == pytest.approx(enumerated(differences))


def test_of_many_queries_it_draws_and_comes_close_to_the_count_of_all() -> None:
    differences = [0.5, -0.25, 0.125, 1.0, -0.5, 0.75, 0.25] * 2  # 16,384 ways

    found = randomisation_test(np.array(differences))

    assert found == pytest.approx(enumerated(differences), abs=0.01)
    assert found == randomisation_test(np.array(differences))


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (8, 1, 0.0390625), (3, 3, 1.0)],
)
def test_the_sign_test_is_exact(wins: int, losses: int, p: float) -> None:
    assert sign_test(wins, losses) == p
    assert sign_test(losses, wins) == p


def test_the_sign_test_bears_thousands_of_queries() -> None:
    assert sign_test(3000, 1) < 1e-300
    assert sign_test(2500, 2500) == 1.0


def test_holm_multiplies_the_least_most_and_never_lets_a_larger_p_pass_it() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_win_is_a_query_where_a_is_above_b() -> None:
    found = compare_values([1.0, 0.5, 0.0, 1.0], [0.0, 0.5, 0.5, 0.0])

    assert (found.wins, found.ties, found.losses, found.n) == (2, 1, 1, 4)
    assert found.mean_a == 0.625
    assert found.mean_b == 0.25
    assert found.difference == 0.375
    assert (found.p_randomisation, found.p_sign) == (0.5, 1.0)


@given(st.lists(st.tuples(SIXTHS, SIXTHS), min_size=1, max_size=20))
def test_a_against_b_is_b_against_a_with_the_other_sign(
    pairs: list[tuple[float, float]],
) -> None:
    a, b = [one for one, _ in pairs], [one for _, one in pairs]

    found, turned = compare_values(a, b), compare_values(b, a)

    assert found.difference == pytest.approx(fmean(a) - fmean(b))
    assert found.difference == pytest.approx(-(turned.difference or 0))
    assert (found.wins, found.losses) == (turned.losses, turned.wins)
    assert found.p_randomisation == turned.p_randomisation
    assert (found.low, found.high) == pytest.approx(
        (-(turned.high or 0), -(turned.low or 0))
    )


def test_without_a_query_nothing_is_compared() -> None:
    found = compare_values([], [])

    assert (found.difference, found.p_randomisation, found.n) == (None, 1.0, 0)


def test_values_of_other_queries_are_refused() -> None:
    with pytest.raises(ValueError, match="2 values of a, 1 of b"):
        compare_values([1.0, 2.0], [1.0])
