"""A leg knows the true rank of every chunk, and says when it knows nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.legs import normalised, rank_leg, standing, standings
from codesearch.funnel.types import Hit, Standing

NAN = float("nan")


def test_ties_share_a_rank_and_the_smaller_number_has_the_smaller_ordinal() -> None:
    leg = rank_leg("bm25", np.array([2.0, 5.0, NAN, 5.0, 1.0]), depth=3)

    assert leg.run.hits == (Hit(1, 1, 5.0), Hit(3, 2, 5.0), Hit(0, 3, 2.0))
    assert standing(leg, 3) == Standing(
        rank=1, ordinal=2, tie_size=2, raw=5.0, percentile=60.0
    )
    assert standing(leg, 4) == Standing(
        rank=4, ordinal=4, tie_size=1, raw=1.0, percentile=20.0
    )


def test_no_evidence_is_no_standing_and_not_a_score_of_zero() -> None:
    leg = rank_leg("bm25", np.array([0.0, NAN, -0.5]), depth=10)

    assert standing(leg, 1) is None
    assert standing(leg, 2) == Standing(
        rank=2, ordinal=2, tie_size=1, raw=-0.5, percentile=100 / 3
    )
    assert leg.matched == 2


def test_the_floor_is_the_score_at_the_depth_or_nothing() -> None:
    scores = np.array([3.0, 2.0, 1.0])

    assert rank_leg("body", scores, depth=2).floor == 2.0
    assert rank_leg("body", scores, depth=4).floor is None


def test_normalised_is_within_the_list_only() -> None:
    leg = rank_leg("bm25", np.array([9.0, 7.0, 5.0, 1.0]), depth=3)

    assert [normalised(leg, chunk) for chunk in range(4)] == [1.0, 0.5, 0.0, None]
    assert normalised(rank_leg("bm25", np.array([2.0, 2.0]), depth=5), 0) is None


@given(
    st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=1, max_size=50),
    st.integers(1, 60),
)
def test_the_list_holds_exactly_the_ordinals_down_to_the_depth(
    values: list[int | None], depth: int
) -> None:
    scores = np.array([NAN if value is None else value for value in values], float)

    leg = rank_leg("bm25", scores, depth=depth)

    listed = {hit.chunk: hit.ordinal for hit in leg.run.hits}
    for chunk in range(len(values)):
        found = standing(leg, chunk)
        assert (found is None) == (values[chunk] is None)
        if found:
            assert (chunk in listed) == (found.ordinal <= depth)
            assert listed.get(chunk, found.ordinal) == found.ordinal


def count_standing(values: list[float], chunk: int) -> Standing | None:
    """Count a chunk's standing out, one other chunk at a time."""
    own = values[chunk]
    if own != own:
        return None
    higher = sum(value > own for value in values)
    ties = [other for other, value in enumerate(values) if value == own]
    return Standing(
        rank=1 + higher,
        ordinal=1 + higher + ties.index(chunk),
        tie_size=len(ties),
        raw=own,
        percentile=100 * (len(values) - higher - len(ties)) / len(values),
    )


@given(
    st.lists(
        st.one_of(st.just(NAN), st.sampled_from([-1.5, -0.0, 0.0, 0.1, 7.0, 1e300])),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 50),
    st.data(),
)
def test_standings_of_many_are_those_counted_one_by_one(
    values: list[float], depth: int, data: st.DataObject
) -> None:
    chunks = data.draw(st.lists(st.integers(0, len(values) - 1)))
    leg = rank_leg("bm25", np.array(values), depth=depth)

    found = standings(leg, chunks)

    assert found == [count_standing(values, chunk) for chunk in chunks]
    assert found == [standing(leg, chunk) for chunk in chunks]
