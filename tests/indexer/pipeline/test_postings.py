"""Postings: the scores of rank_bm25 to the last bit, and files that load at once."""

from __future__ import annotations

from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.postings import (
    CodeBM25,
    Postings,
    PostingsError,
    build_postings,
    document_frequency,
    idf,
    load_postings,
    save_postings,
    score,
    term_frequencies,
)

TERMS = st.sampled_from(["get", "set", "queri", "model", "größe", "x", "12"])
CORPORA = st.lists(st.lists(TERMS, max_size=12), max_size=12)
CORPUS = [["get", "set", "get"], [], ["set", "model"]]


def own_scores(postings: Postings, query: list[str]) -> np.ndarray:
    weights = {
        term: idf(postings.chunk_count, document_frequency(postings, term))
        for term in query
    }
    return score(postings, query, idf=weights, average_length=postings.average_length)


@given(CORPORA, st.lists(TERMS, max_size=6))
def test_scores_are_those_of_the_oracle_to_the_last_bit(
    corpus: list[list[str]], query: list[str]
) -> None:
    found = own_scores(build_postings(corpus), query)

    oracle = CodeBM25(corpus).get_scores(query)
    assert np.nan_to_num(found, nan=0.0).tobytes() == oracle.tobytes()


@given(CORPORA, st.lists(TERMS, max_size=6))
def test_a_chunk_without_any_term_scores_nan_and_every_other_above_0(
    corpus: list[list[str]], query: list[str]
) -> None:
    found = own_scores(build_postings(corpus), query)

    holds = [not set(query).isdisjoint(terms) for terms in corpus]
    assert (~np.isnan(found)).tolist() == holds
    assert (found[holds] > 0).all()


def test_a_second_oracle_agrees() -> None:
    corpus = [["get", "set"], ["get", "queri", "queri"], ["model"], ["set"] * 9]
    oracle = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    oracle.index(corpus, show_progress=False)

    found = own_scores(build_postings(corpus), ["get", "queri"])

    expected = oracle.get_scores(["get", "queri"]) * 2.2  # It leaves k1 + 1 out.
    assert np.nan_to_num(found) == pytest.approx(expected, rel=1e-5)


def test_the_weight_of_a_term_in_every_chunk_is_above_0() -> None:
    assert idf(3, 3) == pytest.approx(0.13353, abs=1e-5)
    assert idf(3, 0) == pytest.approx(2.07944, abs=1e-5)


@pytest.mark.parametrize("corpus", [[], [[]], [[], []]])
def test_a_corpus_without_terms_is_no_error(corpus: list[list[str]]) -> None:
    postings = build_postings(corpus)

    assert np.isnan(own_scores(postings, ["get"])).tolist() == [True] * len(corpus)
    assert postings.average_length == 1.0
    assert CodeBM25(corpus).get_scores(["get"]).tolist() == [0.0] * len(corpus)


def test_a_string_is_not_a_list_of_terms() -> None:
    with pytest.raises(TypeError, match="not a string"):
        CodeBM25(["get"])


def test_frequencies_of_terms_and_chunks() -> None:
    postings = build_postings(CORPUS)

    assert document_frequency(postings, "set") == 2
    assert document_frequency(postings, "absent") == 0
    assert [term_frequencies(postings, "get", chunk) for chunk in range(3)] == [2, 0, 0]
    assert postings.lengths.tolist() == [3, 0, 2]
    assert postings.term_count == 5


@given(CORPORA)
def test_postings_hold_the_whole_corpus(corpus: list[list[str]]) -> None:
    postings = build_postings(corpus)

    for chunk, terms in enumerate(corpus):
        for term in set(terms):
            assert term_frequencies(postings, term, chunk) == terms.count(term)
    assert int(postings.frequencies.sum()) == postings.term_count


@pytest.mark.parametrize("corpus", [CORPUS, [], [[]]])
def test_postings_are_loaded_as_they_were_saved(
    tmp_path: Path, corpus: list[list[str]]
) -> None:
    saved = build_postings(corpus)

    save_postings(saved, tmp_path / "new")
    loaded = load_postings(tmp_path / "new")

    assert loaded.vocabulary == saved.vocabulary
    assert loaded.lengths.tolist() == saved.lengths.tolist()
    assert own_scores(loaded, ["get"]).tobytes() == own_scores(saved, ["get"]).tobytes()


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    save_postings(build_postings(CORPUS), tmp_path)
    (tmp_path / "vocabulary.json").write_text('["get"]')

    with pytest.raises(PostingsError, match="1 terms, 4 offsets"):
        load_postings(tmp_path)
