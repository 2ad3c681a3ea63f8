"""Lists are as alike as the definitions say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.audit.similarity import overlap, rank_biased_overlap
from codesearch.funnel.audit.topics import overlap_of_first

LISTS = st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1, max_size=10)


def extrapolated(a: list[str], b: list[str], p: float) -> float:
    """Return RBO with the agreement below each list's end carried on, term by term.

    The shorter list is taken to agree below its end as it did there; below the longer
    one's end the agreement stays.
    """
    short, long = sorted((a, b), key=len)
    s, count = len(short), len(long)
    at_end = len(set(short) & set(long[:s])) / s
    agreement = 0.0
    total = 0.0
    for depth in range(1, 3000):
        if depth <= count:
            shared = len(set(short[:depth]) & set(long[:depth]))
            agreement = (shared + max(0, depth - s) * at_end) / depth
        total += (1 - p) * p ** (depth - 1) * agreement
    return total


@given(a=LISTS, b=LISTS, p=st.sampled_from([0.5, 0.9, 0.98]))
def test_rbo_is_the_sum_of_the_agreements_of_all_depths(
    a: list[str], b: list[str], p: float
) -> None:
    found = rank_biased_overlap(a, b, p)

    assert found == pytest.approx(extrapolated(a, b, p))
    assert found == rank_biased_overlap(b, a, p)


def test_rbo_of_equal_lists_is_1_and_of_lists_apart_0() -> None:
    assert rank_biased_overlap("abc", "abc") == pytest.approx(1)
    assert rank_biased_overlap("abc", "def") == 0
    assert rank_biased_overlap("abc", "") == 0
    assert rank_biased_overlap("", "") is None


def test_rbo_weighs_the_first_places_most() -> None:
    first = rank_biased_overlap("abcdef", "abcxyz") or 0
    last = rank_biased_overlap("abcdef", "xyzdef") or 0

    assert first > 0.6 > 0.4 > last


def test_an_overlap_divides_by_the_longer_of_two_short_lists() -> None:
    assert overlap("abcdefghijk", "jihgfedcbak") == 1.0
    assert overlap("abcd", "ab") == 0.5
    assert overlap("", "ab") == 0.0
    assert overlap("", "") is None


def test_the_first_five_of_each_pair_are_compared() -> None:
    assert overlap_of_first(["abcdex", "abcdey"]) == 1.0
    assert overlap_of_first(["ab", "bc", "ab"]) == pytest.approx(
        (1 / 3 + 1 / 3 + 1) / 3
    )
    assert overlap_of_first(["", "a"]) == 0.0
    assert overlap_of_first(["", ""]) is None
    assert overlap_of_first(["a"]) is None
