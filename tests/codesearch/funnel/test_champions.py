"""The first of each leg is in the pool, and on page one or named there."""

from __future__ import annotations

from benchmarks.champions import count_firsts


def test_no_first_of_a_leg_is_lost_in_generated_searches() -> None:
    found = count_firsts(runs=300, seed=7)

    assert (found["not in the pool"], found["not on page one"]) == (0, 0)
    assert found["out of scope"] == 0
    assert found["with filters"] > found["nothing in scope"] > 0
    assert (found["firsts"] > 900, found["folded"] > 0) == (True, True)
    assert found["in the champions line"] > 0
