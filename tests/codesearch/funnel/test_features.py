"""Each feature is an absolute number of its own, and its definition is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from codesearch.funnel.features import add_up
from codesearch.funnel.legs import rank_legs, score_legs
from codesearch.funnel.query import read_query
from codesearch.funnel.types import Config, Models, QueryEncoder, Sum
from codesearch.funnel.weights import DENSE, LEXICAL
from tests.codesearch.funnel.fake_corpus import FakeCorpus

# One query term of idf 1: the most it can earn is 2.2.
MOST = 2.2
NO_MODEL = Models()
MODEL = Models([QueryEncoder("1a2b3c4d", lambda text: np.ones(1, dtype=np.float32))])


def measure(corpus: FakeCorpus, query: str = "save", models: Models = NO_MODEL) -> Sum:
    read = read_query(query)
    legs = rank_legs(score_legs(read, corpus, models), Config())
    return add_up(read, corpus, legs, range(corpus.chunk_count))


def column(total: Sum, name: str) -> list[float]:
    values: list[float] = total.values[:, total.names.index(name)].tolist()
    return values


def test_bm25_is_the_share_of_what_the_query_can_earn() -> None:
    total = measure(FakeCorpus(2, bm25={0: 1.1}))

    assert column(total, "bm25") == [pytest.approx(0.5), 0.0]


def test_an_unknown_word_counts_among_what_can_be_earned() -> None:
    total = measure(FakeCorpus(1, bm25={0: 1.1}), "save zebra")

    assert column(total, "bm25") == [pytest.approx(0.25)]


def test_a_file_is_spoken_for_by_its_second_and_third_best_chunk() -> None:
    total = measure(FakeCorpus(8, bm25={0: 2.2, 1: 1.1, 2: 0.66, 3: 0.44, 4: 2.2}))

    assert column(total, "file bm25")[:5] == [pytest.approx(0.4)] * 4 + [0.0]


def test_a_class_is_spoken_for_by_its_members_only_where_several_match() -> None:
    corpus = FakeCorpus(8, bm25={1: 2.2, 2: 1.1, 3: 1.1, 5: 2.2})
    for chunk, members in ((0, [1, 2, 3]), (4, [5, 6])):
        facts = corpus.facts(chunk)
        corpus.special[chunk] = replace(facts, kind="class", members=np.array(members))

    total = measure(corpus)

    assert column(total, "members bm25") == [pytest.approx(0.5)] + [0.0] * 7


def test_the_dense_formula_waits_for_every_purpose() -> None:
    corpus = FakeCorpus(2, purpose={0: 0.5, 1: 0.4}, body={0: 0.3, 1: 0.2})
    complete = measure(corpus, models=MODEL)
    corpus.purpose_count = 3

    partial = measure(corpus, models=MODEL)

    assert (complete.names, complete.is_dense) == (tuple(DENSE), True)
    assert (partial.names, partial.is_dense) == (tuple(LEXICAL), False)


def test_the_body_cosine_does_not_run_before_every_body_has_its_vector() -> None:
    total = measure(
        FakeCorpus(2, purpose={0: 0.5, 1: 0.4}, body={0: 0.3}), models=MODEL
    )

    body = [part[1:] for part in total.parts(0) if part[0] == "body cosine"]

    assert body == [(None, DENSE["body cosine"], 0.0)]


def test_a_window_has_its_body_s_cosine_for_a_purpose() -> None:
    corpus = FakeCorpus(2, purpose={0: 0.5}, body={0: 0.3, 1: 0.2})

    total = measure(corpus, models=MODEL)

    assert column(total, "purpose cosine") == [0.5, 0.2]


def test_a_file_s_purpose_is_the_mean_of_its_best_three() -> None:
    purposes = {0: 0.6, 1: 0.3, 2: 0.3, 3: 0.1, 4: 0.6, 5: -0.2}
    corpus = FakeCorpus(6, purpose=purposes, body=dict.fromkeys(range(6), 0.0))

    total = measure(corpus, models=MODEL)

    expected = [pytest.approx(0.4)] * 4 + [pytest.approx(0.2)] * 2
    assert column(total, "file purpose") == expected


@pytest.mark.parametrize(
    ("query", "weight"), [("save", 1.0), ("save it now please", 0.35)]
)
def test_a_plain_word_among_others_is_hardly_a_name(query: str, weight: float) -> None:
    total = measure(FakeCorpus(3, symbol={1: 1.0}), query)

    # A function, and the only one of that name.
    assert column(total, "exact name") == [0.0, pytest.approx(0.9 * weight), 0.0]


@pytest.mark.parametrize(
    ("query", "value"), [("save", 1.0), (" Save ", 1.0), ("save it", 0.0)]
)
def test_a_query_that_is_a_name_and_nothing_else_asks_for_it(
    query: str, value: float
) -> None:
    total = measure(FakeCorpus(3, symbol={1: 1.0}), query)

    assert column(total, "whole name") == [0.0, value, 0.0]


def test_coverage_is_the_share_of_the_query_that_a_chunk_holds() -> None:
    corpus = FakeCorpus(2, bm25={0: 1.0})
    corpus.unknown = {"zebra"}

    total = measure(corpus, "save zebra")

    assert column(total, "coverage") == [0.5, 0.0]


def test_marks_and_kinds_that_count_against_a_chunk_are_ones() -> None:
    corpus = FakeCorpus(3, bm25={0: 1.0})
    corpus.special[1] = replace(corpus.facts(1), marks=("test",), kind="module")

    total = measure(corpus)

    assert column(total, "test") == [0.0, 1.0, 0.0]
    assert column(total, "no symbol") == [0.0, 1.0, 0.0]
    assert total.scores[1] < total.scores[2]


def test_a_stem_counts_as_far_as_the_query_holds_it() -> None:
    corpus = FakeCorpus(3)
    for chunk, stem in enumerate(("save_file", "saved", "other")):
        facts = corpus.facts(chunk)
        near = range(chunk, chunk + 1)
        corpus.special[chunk] = replace(facts, stem=stem, neighbours=near)

    total = measure(corpus, "save file")

    whole, begun, nothing = column(total, "path stem")
    assert whole > begun > nothing == 0.0


def test_values_are_the_same_whatever_else_is_measured() -> None:
    corpus = FakeCorpus(8, bm25={0: 2.2, 1: 1.1, 5: 0.3})
    read = read_query("save")
    legs = rank_legs(score_legs(read, corpus, NO_MODEL), Config())

    alone = add_up(read, corpus, legs, [1])

    assert alone.values.tolist()[0] == measure(corpus).values.tolist()[1]
