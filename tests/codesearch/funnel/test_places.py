"""A place is a sum of absolute values, each shown; its chunks speak for it too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.generated import make_corpus
from codesearch.funnel.legs import rank_leg
from codesearch.funnel.places import WEIGHTS, best_chunks, rank_places
from codesearch.funnel.query import read_query
from codesearch.funnel.types import Leg, Mask, Place, Scores
from indexer.pipeline.literals import Pattern
from tests.codesearch.funnel.fake_corpus import FakeCorpus

NAN = float("nan")
EVERYWHERE = np.ones(3, np.bool_)
QUERY = read_query("save cart")  # Two terms of idf 1 each.


class Files(FakeCorpus):
    """Three files of four chunks; the last one's place is a test."""

    def __init__(self) -> None:
        super().__init__(12)
        self.place_count = 3
        self.summaries = [NAN, NAN, NAN]
        self.paths = [NAN, NAN, NAN]

    def place_bm25(self, terms: Sequence[str]) -> Scores:
        return np.array(self.summaries)

    def place_paths(self, terms: Sequence[str]) -> Scores:
        return np.array(self.paths)

    def place_matches(self, name: str, value: str | Pattern) -> Mask:
        return np.array([False, False, (name, value) == ("is", "test")])

    def chunk_places(self) -> npt.NDArray[np.int32]:
        return np.arange(12, dtype=np.int32) // 4


def legs_of(scores: Mapping[str, Mapping[int, float]]) -> list[Leg]:
    legs = []
    for name in ("purpose", "bm25"):
        column = np.full(12, NAN)
        for chunk, score in scores.get(name, {}).items():
            column[chunk] = score
        legs.append(rank_leg(name, column, depth=12))
    return legs


def values(place: Place) -> dict[str, float]:
    return {t.name: t.value for t in place.terms if t.value is not None}


def test_a_path_is_worth_the_share_of_the_query_that_it_holds() -> None:
    corpus = Files()
    corpus.paths = [1.0, 2.0, NAN]

    first, second = rank_places(QUERY, corpus, None, legs_of({}), EVERYWHERE)

    assert (first.row, values(first)) == (1, {"path": 1.0})
    assert (second.row, values(second)) == (0, {"path": 0.5})


def test_the_points_of_a_place_sum_to_its_score() -> None:
    corpus = Files()
    corpus.paths, corpus.summaries = [1.0, NAN, 2.0], [2.2, NAN, NAN]
    cosines = np.array([0.5, NAN, 0.25])
    legs = legs_of({"purpose": {0: 0.6, 1: 0.3, 9: -0.2}, "bm25": {0: 4.4}})

    places = rank_places(QUERY, corpus, cosines, legs, EVERYWHERE)

    for place in places:
        assert place.score == pytest.approx(sum(term.points for term in place.terms))
        assert [term.name for term in place.terms] == list(WEIGHTS)
    assert [place.row for place in places] == [0, 2]
    assert values(places[0]) == pytest.approx(
        {
            "summary cosine": 0.5,
            "summary bm25": 0.5,
            "path": 0.5,
            "chunks bm25": 1 / 3,
            "chunks cosine": 0.3,
        }
    )


def test_a_test_is_put_after_an_equal_file_and_says_so() -> None:
    corpus = Files()
    corpus.paths = [1.0, NAN, 1.0]

    _, test = rank_places(QUERY, corpus, None, legs_of({}), EVERYWHERE)

    assert (test.row, values(test)["test or example"]) == (2, 1.0)
    assert test.score == pytest.approx(-0.5)


def test_a_file_that_nothing_ties_to_the_query_is_no_place() -> None:
    assert rank_places(QUERY, Files(), None, legs_of({}), EVERYWHERE) == ()


@given(
    st.lists(
        st.tuples(
            st.integers(-1, 4),
            st.none() | st.integers(-3, 3).map(float),
        )
    )
)
def test_best_chunks_are_the_three_best_of_each_file(
    chunks: list[tuple[int, float | None]],
) -> None:
    chunks.sort(key=lambda chunk: chunk[0])
    files = np.array([file for file, _ in chunks], np.int32)
    scores = np.array([NAN if s is None else s for _, s in chunks], float)

    found = best_chunks(scores, files, 5)

    for file in range(5):
        held = [s for f, s in chunks if f == file and s is not None]
        best = sorted((max(s, 0.0) for s in held), reverse=True)[:3]
        expected = sum(best) / 3 if held else NAN
        assert found[file] == pytest.approx(expected, nan_ok=True)


def test_rows_of_several_builds_do_not_mix(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path, Random(3))  # noqa: S311 - no secret
    files = corpus.chunk_places()

    for chunk in range(0, corpus.chunk_count, 7):
        build, file = corpus.locate_place(int(files[chunk]))
        which, ordinal = corpus.locate(chunk)
        lexical = corpus.builds[which].lexical
        assert (build, file) == (which, int(lexical.file_of[ordinal]))
    held = np.flatnonzero(~np.isnan(corpus.place_paths(["m5"])))
    where = [corpus.locate_place(int(row)) for row in held]
    assert [corpus.builds[b].lexical.catalogue.files[f].path for b, f in where] == [
        b"p1/m5.py",
        b"p1/m5.py",
    ]
