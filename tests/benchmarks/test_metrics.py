"""Metrics: binary nDCG with one place per file, AUC, and intervals that stay equal."""

from __future__ import annotations

import pytest

from benchmarks.metrics import (
    LAST,
    Found,
    auc,
    auc_interval,
    file_ranks,
    list_ranks,
    mean,
    ndcg,
    overlaps,
    reciprocal,
)

A1, A2 = Found("a.py", 1, 10), Found("a.py", 30, 40)
B, C = Found("b.py", 1, 5), Found("c.py", 1, LAST)


def test_a_file_has_one_place_however_many_hits_it_has() -> None:
    assert file_ranks([A1, A2, B, C], [{"path": "c.py"}, {"path": "b.py"}]) == [2, 3]


def test_in_a_list_as_it_is_a_file_met_twice_costs_a_place() -> None:
    assert list_ranks([A1, A2, B, C], [{"path": "c.py"}, {"path": "b.py"}]) == [3, 4]


def test_a_file_whose_later_hit_touches_the_span_keeps_the_place_of_its_first() -> None:
    wanted = [{"path": "a.py", "start_line": 35, "end_line": 60}]

    assert file_ranks([B, A1, C, A2], wanted) == [2]
    assert list_ranks([B, A1, C, A2], wanted) == [4]


def test_a_file_that_no_hit_touches_is_not_found() -> None:
    wanted = [{"path": "a.py", "start_line": 11, "end_line": 29}]

    assert file_ranks([A1, A2], wanted) == []


def test_two_spans_of_one_file_count_once() -> None:
    wanted = [
        {"path": "a.py", "start_line": 1, "end_line": 2},
        {"path": "a.py", "start_line": 31, "end_line": 32},
    ]

    assert file_ranks([A1, A2], wanted) == [1]


@pytest.mark.parametrize(
    ("start", "end", "touched"),
    [(10, 12, True), (11, 12, False), (1, 1, True), (0, 99, True)],
)
def test_spans_touch_when_they_share_a_line(
    start: int, end: int, touched: bool
) -> None:
    wanted = {"path": "a.py", "start_line": start, "end_line": end}

    assert overlaps(A1, wanted) is touched


def test_a_whole_file_touches_every_span() -> None:
    assert overlaps(C, {"path": "c.py", "start_line": 9_000, "end_line": 9_001})


def test_ndcg_is_one_for_the_best_order() -> None:
    assert ndcg([1, 2], 2) == 1.0


def test_ndcg_of_a_second_place_is_its_discount() -> None:
    assert ndcg([2], 1) == pytest.approx(0.6309, abs=1e-4)


def test_ndcg_counts_what_was_not_found() -> None:
    assert ndcg([1], 2) == pytest.approx(1 / 1.6309, abs=1e-4)


def test_ndcg_ends_at_its_depth() -> None:
    assert ndcg([11], 1) == 0.0


def test_ndcg_agrees_with_the_common_implementation() -> None:
    import ir_measures
    from ir_measures import nDCG

    judged = {"q": {"a": 1, "b": 1, "c": 1}}
    run = {"q": {"x": 9.0, "a": 8.0, "y": 7.0, "z": 6.0, "c": 5.0}}
    expected = ir_measures.calc_aggregate([nDCG @ 10], judged, run)[nDCG @ 10]

    assert ndcg([2, 5], 3) == pytest.approx(expected)


def test_what_was_not_found_or_lies_too_deep_has_no_reciprocal_rank() -> None:
    assert [reciprocal(r, 10) for r in (None, 11, 10, 1)] == [0.0, 0.0, 0.1, 1.0]


def test_auc_counts_a_tie_half() -> None:
    assert auc([3.0, 2.0], [2.0, 1.0]) == 0.875


def test_auc_of_what_is_apart_has_no_width() -> None:
    assert auc_interval([2.0, 3.0], [0.0, 1.0]) == {
        "mean": 1.0,
        "low": 1.0,
        "high": 1.0,
        "n": 4,
    }


def test_an_interval_holds_its_mean_and_stays_equal() -> None:
    values = [0.0, 1.0, 1.0, 0.5, 0.0, 1.0]

    found = mean(values)

    assert found["low"] < found["mean"] < found["high"]
    assert found["n"] == 6
    assert mean(values) == found


def test_an_interval_narrows_with_more_queries() -> None:
    few, many = mean([0.0, 1.0] * 10), mean([0.0, 1.0] * 1000)

    assert many["high"] - many["low"] < few["high"] - few["low"]
