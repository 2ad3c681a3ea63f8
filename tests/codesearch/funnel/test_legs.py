"""A leg knows the true rank of every chunk, and says when it knows nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.legs import (
    normalised,
    rank_leg,
    rank_legs,
    score_legs,
    standing,
    standings,
)
from codesearch.funnel.query import read_query
from codesearch.funnel.types import (
    Config,
    Hit,
    Models,
    Parts,
    QueryEncoder,
    Scores,
    Standing,
    surface_of,
)
from indexer.pipeline.loading import ModelError
from tests.codesearch.funnel.fake_corpus import FakeCorpus

NAN = float("nan")
FIRST, SECOND = "1a2b3c4d5e6f7a8b", "9f8e7d6c5b4a3f2e"


class TwoEmbedders(FakeCorpus):
    """Four chunks and four places: two of the first embedder, two of the second."""

    place_count = 4

    def embedded_by(self, fingerprint: str) -> npt.NDArray[np.bool_]:
        return np.array([fingerprint == FIRST] * 2 + [fingerprint == SECOND] * 2)

    def cosine(
        self, surface: str, vector: npt.NDArray[np.float32], fingerprint: str
    ) -> tuple[Scores, Parts]:
        scores = np.where(self.embedded_by(fingerprint), float(vector[0]), NAN)
        return scores, np.zeros(4, dtype=np.int32)

    def place_cosine(self, vector: npt.NDArray[np.float32], fingerprint: str) -> Scores:
        return self.cosine("summary", vector, fingerprint)[0]


def constant(value: float) -> npt.NDArray[np.float32]:
    return np.array([value], dtype=np.float32)


def test_each_embedder_ranks_the_chunks_of_its_builds_and_no_others() -> None:
    models = Models(
        [
            QueryEncoder(FIRST, lambda text: constant(0.5)),
            QueryEncoder(SECOND, lambda text: constant(0.25)),
        ]
    )

    found = score_legs(read_query("save"), TwoEmbedders(4), models)
    legs, places = rank_legs(found, Config()), found.places

    held = {leg.name: [hit.chunk for hit in leg.run.hits] for leg in legs}
    assert held == {
        "purpose:1a2b3c4d": [0, 1],
        "body:1a2b3c4d": [0, 1],
        "purpose:9f8e7d6c": [2, 3],
        "body:9f8e7d6c": [2, 3],
        "bm25": [],
        "symbol": [],
    }
    assert places is not None
    assert places.tolist() == [0.5, 0.5, 0.25, 0.25]
    assert surface_of("purpose:1a2b3c4d") == surface_of("purpose") == "purpose"


def test_a_model_that_is_missing_leaves_its_places_without_a_cosine() -> None:
    models = Models(
        [
            QueryEncoder(FIRST, None, "it is gone"),
            QueryEncoder(SECOND, lambda text: constant(0.25)),
        ]
    )

    found = score_legs(read_query("save"), TwoEmbedders(4), models)
    legs, places = rank_legs(found, Config()), found.places

    assert [(leg.ran, leg.note) for leg in legs[:3]] == [
        (False, "it is gone"),
        (False, "it is gone"),
        (True, ""),
    ]
    assert places is not None
    assert np.isnan(places).tolist() == [True, True, False, False]


def test_a_model_that_fails_on_a_query_is_named_and_the_others_answer() -> None:
    def fail(text: str) -> npt.NDArray[np.float32]:
        raise ModelError("the vector has no length")

    models = Models(
        [QueryEncoder(FIRST, fail), QueryEncoder(SECOND, lambda text: constant(0.25))]
    )

    found = score_legs(read_query("save"), TwoEmbedders(4), models)
    legs, places = rank_legs(found, Config()), found.places

    failed, _, purpose, _, bm25, _ = legs
    assert (failed.ran, failed.note) == (False, "the vector has no length")
    assert [hit.chunk for hit in purpose.run.hits] == [2, 3]
    assert bm25.ran
    assert places is not None
    np.testing.assert_array_equal(places, [NAN, NAN, 0.25, 0.25])


def test_a_leg_has_the_same_vote_for_every_embedder() -> None:
    config = Config(weights={"purpose": 0.5})

    assert config.weight("purpose:1a2b3c4d") == config.weight("purpose") == 0.5
    assert config.weight("body:1a2b3c4d") == 1.0


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


def test_a_leg_that_the_config_turns_off_did_not_run() -> None:
    found = score_legs(
        read_query("save"), FakeCorpus(4, bm25={0: 1.0}, symbol={0: 1.0}), Models()
    )

    bm25, symbol = rank_legs(found, Config(off=frozenset({"bm25"})))

    assert (bm25.ran, bm25.note, bm25.known) == (False, "off in this config", 0)
    assert symbol.ran


@pytest.mark.parametrize("typed", ["!!!", "::", "->", "the of and", "🚀", "/x+/"])
def test_without_words_no_leg_of_words_runs(typed: str) -> None:
    corpus = FakeCorpus(3, purpose={0: 0.5}, body={0: 0.5})
    models = Models([QueryEncoder("", lambda text: np.ones(3, np.float32))])

    findings = score_legs(read_query(f"{typed} lang:go"), corpus, models)

    legs = {leg.name: leg for leg in findings.legs}
    literal = legs.pop("literal", None)
    assert len(legs) == 4
    told = {(leg.ran, leg.note) for leg in legs.values()}
    assert told == {(False, "the query has no words")}
    assert (literal is not None and literal.ran) == (typed == "/x+/")
