"""No leg is outvoted, no score is invented, and everything adds up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.fusion import fuse
from codesearch.funnel.legs import idle_leg, rank_leg
from codesearch.funnel.pool import fill_pool
from codesearch.funnel.types import Config, Hit, Leg

NAMES = ("purpose", "body", "bm25", "symbol")
CORPUS = 60

score_lists = st.lists(
    st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=CORPUS, max_size=CORPUS),
    min_size=1,
    max_size=4,
)
weights = st.fixed_dictionaries({name: st.floats(0, 5) for name in NAMES})


def leg(name: str, *chunks: int, depth: int = 200) -> Leg:
    """A leg that lists `chunks` best first, over a corpus of 100."""
    scores = np.full(100, np.nan)
    for place, chunk in enumerate(chunks):
        scores[chunk] = 1.0 / (1 + place)
    return rank_leg(name, scores, depth=depth)


def legs_of(lists: list[list[int | None]], depth: int) -> list[Leg]:
    return [
        rank_leg(
            name,
            np.array([np.nan if value is None else value for value in values], float),
            depth=depth,
        )
        for name, values in zip(NAMES, lists, strict=False)
    ]


def test_the_leg_that_is_sure_is_not_outvoted() -> None:
    # The bug from the field: bm25 had the answer first, two dense legs agreed on
    # six others, and a cut by fused score lost the answer.
    dense = (8, 7, 6, 5, 4, 3)
    legs = [leg("purpose", *dense), leg("body", *dense), leg("bm25", 99)]
    fused, _ = fuse(legs, Config())

    pool = fill_pool(legs, fused, Config(pool_size=6))

    assert fused.by_chunk[99] == Hit(chunk=99, ordinal=7, score=1 / 61)
    assert dict(pool.entry) == {
        8: "guarantee:purpose",
        99: "guarantee:bm25",
        7: "fusion",
        6: "fusion",
        5: "fusion",
        4: "fusion",
    }


def test_a_missed_chunk_earns_nothing_from_the_leg_that_missed_it() -> None:
    fused, shares = fuse([leg("bm25", 3), leg("body")], Config())

    assert shares == {3: {"bm25": 1 / 61}}
    assert fused.hits == (Hit(chunk=3, ordinal=1, score=1 / 61),)


def test_four_legs_of_a_pool_of_200_guarantee_25_each() -> None:
    legs = [leg(name, 1, 2) for name in NAMES]

    pool = fill_pool(legs, fuse(legs, Config())[0], Config())

    assert pool.guarantee == 25


def test_a_leg_that_did_not_run_leaves_its_seats_to_the_others() -> None:
    legs = [idle_leg("purpose", 100, "no model"), leg("bm25", 1)]

    assert fill_pool(legs, fuse(legs, Config())[0], Config()).guarantee == 100


def test_a_pool_too_small_for_its_legs_is_refused() -> None:
    legs = [leg("bm25", 1), leg("body", 2)]

    with pytest.raises(ValueError, match="pool of 3 cannot seat 2 legs"):
        fill_pool(legs, fuse(legs, Config())[0], Config(pool_size=3))


@given(score_lists, weights, st.integers(0, 200), st.integers(8, 40))
def test_every_chunk_within_a_legs_guarantee_is_pooled(
    lists: list[list[int | None]], weight: dict[str, float], k: int, size: int
) -> None:
    config = Config(depth=20, rrf_k=k, pool_size=size, weights=weight)
    legs = legs_of(lists, config.depth)
    fused, _ = fuse(legs, config)

    pool = fill_pool(legs, fused, config)

    within = {hit.chunk for row in legs for hit in row.run.hits[: pool.guarantee]}
    assert pool.guarantee >= 1
    assert within <= pool.entry.keys()
    assert len(pool.entry) == min(size, len(fused.hits))


@given(score_lists, weights)
def test_the_shares_of_the_legs_sum_to_the_fused_score(
    lists: list[list[int | None]], weight: dict[str, float]
) -> None:
    config = Config(depth=20, weights=weight)
    legs = legs_of(lists, config.depth)

    fused, shares = fuse(legs, config)

    for hit in fused.hits:
        assert sum(shares[hit.chunk].values()) == hit.score
    union = {hit.chunk for row in legs for hit in row.run.hits}
    assert {hit.chunk for hit in fused.hits} == union


@given(score_lists)
def test_the_order_is_total_and_its_ordinals_count_from_one(
    lists: list[list[int | None]],
) -> None:
    for row in legs_of(lists, depth=20):
        keys = [(-hit.score, hit.chunk) for hit in row.run.hits]
        assert keys == sorted(keys)
        assert [hit.ordinal for hit in row.run.hits] == list(range(1, len(keys) + 1))


def test_without_a_guarantee_fusion_alone_fills_the_pool() -> None:
    legs = [leg("purpose", 1, 2, 3), leg("body", 1, 2, 3), leg("bm25", 9)]
    config = Config(pool_size=6, guarantee=0, weights={"bm25": 0.1})
    fused, _ = fuse(legs, config)

    pool = fill_pool(legs, fused, config)

    assert set(pool.entry.values()) == {"fusion"}
    assert list(pool.entry) == [1, 2, 3, 9]


def test_a_guarantee_of_more_than_the_pool_says_how_many_have_no_seat() -> None:
    legs = [leg("purpose", 1, 2, 3), leg("body", 4, 5, 6)]
    config = Config(pool_size=4, guarantee=3)
    fused, _ = fuse(legs, config)

    pool = fill_pool(legs, fused, config)

    assert pool.entry == {
        1: "guarantee:purpose",
        4: "guarantee:body",
        2: "guarantee:purpose",
        5: "guarantee:body",
    }
    assert (pool.guarantee, pool.unseated) == (3, 2)
