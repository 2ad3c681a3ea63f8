"""A cut says who stands on either side of it, and whether it falls inside a tie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.edges import (
    Tie,
    behind,
    leg_neighbours,
    leg_tie,
    overtakers,
    pool_cut,
    pool_neighbours,
    pool_tie,
)
from codesearch.funnel.legs import rank_leg, standing
from codesearch.funnel.query import read_query
from codesearch.funnel.search import run_search
from codesearch.funnel.types import Config, Leg, Models, Outcome
from tests.codesearch.funnel.fake_corpus import FakeCorpus

PLAIN = Config(pool_size=4, guarantee=0, reranker="identity")


def leg(*scores: float, depth: int = 3) -> Leg:
    return rank_leg("bm25", np.array(scores), depth=depth)


def outcome(config: Config, **scores: dict[int, float]) -> Outcome:
    corpus = FakeCorpus(40, **scores)
    return run_search(read_query("money"), corpus, Models(), config)


def test_a_list_that_ends_within_equal_scores_says_how_many_of_them_it_took() -> None:
    assert leg_tie(leg(9, 5, 5, 5, 5, 1)) == Tie(first=2, size=4, kept=2, score=5)


@pytest.mark.parametrize(
    "scores",
    [
        (9, 5, 5, 1),  # The tie is in as a whole.
        (9, 5),  # The list is not full.
        (9, 7, 5, 3, 3),  # The tie is out as a whole.
    ],
)
def test_a_list_that_ends_beside_a_tie_has_none(scores: tuple[float, ...]) -> None:
    assert leg_tie(leg(*scores)) is None


def test_a_legs_neighbours_are_three_on_each_side_of_the_end_of_its_list() -> None:
    found = leg_neighbours(leg(*range(20, 0, -1), depth=10))

    assert found == [7, 8, 9, 10, 11, 12]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_the_difference_to_the_chunk_above_is_that_of_their_scores(
    scores: list[int],
) -> None:
    ranked = leg(*scores, depth=20)

    above: float | None = None
    for hit in ranked.run.hits:
        found = standing(ranked, hit.chunk)
        assert found
        assert behind(ranked, found) == (None if above is None else hit.score - above)
        above = hit.score


def test_the_cut_of_a_pool_is_where_the_fused_order_is_first_left_out() -> None:
    scores = {chunk: 20.0 - chunk for chunk in range(8)}

    found = outcome(PLAIN, bm25=scores)

    assert pool_cut(found) == 4
    assert pool_neighbours(found, 4, [7, 39]) == [0, 1, 2, 3, 4, 5, 6, 7]


def test_a_pool_that_takes_all_has_no_cut() -> None:
    assert pool_cut(outcome(PLAIN, bm25={1: 3.0, 2: 2.0})) is None


def test_two_legs_that_each_found_one_chunk_tie_and_the_cut_says_so() -> None:
    # Ordinal n of either leg has one score: the pool of 3 takes one of two.
    found = outcome(
        Config(pool_size=3, guarantee=0, reranker="identity"),
        bm25={1: 9.0, 2: 8.0, 3: 7.0},
        symbol={11: 9.0, 12: 8.0, 13: 7.0},
    )

    assert pool_tie(found, 3) == Tie(first=3, size=2, kept=1, score=1 / 62)


def test_a_tie_in_which_only_guarantees_are_in_is_not_cut() -> None:
    found = outcome(
        Config(
            pool_size=4,
            guarantee=2,
            weights={"symbol": 0.1, "bm25": 1.0},
            reranker="identity",
        ),
        bm25={n: 9.0 - n for n in range(6)},
        symbol={11: 9.0, 12: 8.0},
    )

    assert pool_cut(found) == 2
    assert pool_tie(found, 2) is None
    assert overtakers(found, 2) == [11, 12]
