"""Costs are counts that were read, and overlaps are shares of those that are known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.audit.reading import Cost, cost_of, overlap_shares


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=40))
def test_half_and_nine_of_ten_read_no_more(counts: list[int]) -> None:
    cost = cost_of(counts)

    for least, share in ((cost.median, 0.5), (cost.p90, 0.9)):
        assert least in counts
        assert sum(one <= (least or 0) for one in counts) >= share * len(counts)
        assert sum(one < (least or 0) for one in counts) < share * len(counts)


def test_without_an_answer_there_is_no_cost() -> None:
    assert cost_of([]) == Cost(None, None, 0)


def test_overlaps_count_above_nothing_and_from_each_share_on() -> None:
    overlaps = [0.0, 0.05, 0.1, 0.3, 1.0]

    assert overlap_shares(overlaps) == {0.0: 0.8, 0.1: 0.6, 0.3: 0.4, 0.5: 0.2}
    assert overlap_shares([]) == dict.fromkeys([0.0, 0.1, 0.3, 0.5])
