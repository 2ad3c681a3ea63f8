"""Filters act before ranking: ranks are those of a corpus of the chunks in scope."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.generated import encode, make_corpus, make_query
from codesearch.funnel.legs import ALWAYS, rank_leg, standings, unfiltered_rank
from codesearch.funnel.query import read_query
from codesearch.funnel.scope import make_scope
from codesearch.funnel.search import count_without, run_search
from codesearch.funnel.types import Config, Models, Outcome, QueryEncoder
from indexer.engines.local import LocalCorpus
from tests.codesearch.funnel.fake_corpus import FakeCorpus

NAN = float("nan")
MODELS = Models([QueryEncoder("", encode)])
CONFIG = Config(depth=30, pool_size=40)
SCORES = st.one_of(st.just(NAN), st.integers(-3, 3).map(float))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> LocalCorpus:
    """Two builds of generated files, with stubs and copies."""
    return make_corpus(tmp_path_factory.mktemp("corpus"), Random(3))  # noqa: S311


def search(corpus: LocalCorpus, typed: str, config: Config = CONFIG) -> Outcome:
    return run_search(read_query(typed), corpus, MODELS, config)


def chunks_of(described: Mapping[str, set[int]], filters: str) -> list[int]:
    corpus = FakeCorpus(6)
    corpus.described = dict(described)
    scope = make_scope(read_query(filters).filters, corpus)
    return np.flatnonzero(scope.chunks).tolist()


DESCRIBED = {
    "lang:go": {0, 1},
    "lang:rust": {2},
    "kind:class": {1, 2, 3},
    "is:test": {3},
    "is:example": {4},
}


@pytest.mark.parametrize(
    ("filters", "chunks"),
    [
        ("", [0, 1, 2, 3, 4, 5]),
        ("lang:go", [0, 1]),
        ("lang:go lang:rust", [0, 1, 2]),
        ("lang:go kind:class", [1]),
        ("lang:go kind:class lang:rust", [1, 2]),
        ("-is:test", [0, 1, 2, 4, 5]),
        ("-is:test -is:example", [0, 1, 2, 5]),
        ("kind:class -is:test -lang:go", [2]),
        ("lang:go -lang:go", []),
        ("lang:zig", []),
        ("repo:shop", [0, 1, 2, 3, 4, 5]),
    ],
)
def test_one_of_a_name_must_hold_and_every_one_that_is_negated(
    filters: str, chunks: list[int]
) -> None:
    assert chunks_of(DESCRIBED, filters) == chunks


LINES = {
    0: "def open_file(path):\n    return open(path)",
    1: "def close(): pass",
    2: "open\nfile",
    3: "OPEN FILE",
}


@pytest.mark.parametrize(
    ("typed", "chunks"),
    [
        ('"open file"', [3]),
        ('case:yes "open"', [0, 2]),
        ("/open.?file/", [0, 3]),
        ("open file", [0, 1, 2, 3, 4, 5]),
        ("save -open", [1, 4, 5]),
        ("NOT (open close)", [0, 1, 2, 3, 4, 5]),
        ("open OR close", [0, 1, 2, 3, 4, 5]),
        ("close OR lang:rust", [1, 2]),
        ("(close lang:go) OR (file lang:rust)", [1, 2]),
        ("file -lang:go", [2, 3, 4, 5]),
        ('"open" -is:test', [0, 2]),
        ('-("open" is:test)', [0, 1, 2, 4, 5]),
    ],
)
def test_every_chunk_in_scope_meets_every_condition(
    typed: str, chunks: list[int]
) -> None:
    corpus = FakeCorpus(6)
    corpus.described, corpus.texts = dict(DESCRIBED), LINES

    scope = make_scope(read_query(typed).filters, corpus)

    assert np.flatnonzero(scope.chunks).tolist() == chunks


def test_a_place_holds_what_a_chunk_of_its_file_holds() -> None:
    corpus = FakeCorpus(6)
    corpus.texts, corpus.place_count = LINES, 2  # The chunks 0 to 3, and 4 and 5.
    corpus.described = {"kind:class": {5}}

    def places(typed: str) -> list[int]:
        scope = make_scope(read_query(typed).filters, corpus)
        return np.flatnonzero(scope.places).tolist()

    assert places('"open file"') == [0]
    assert places("-open") == [1]
    assert places("open OR kind:class") == [0, 1]  # A place has no kind.


@given(
    st.lists(st.tuples(SCORES, st.booleans()), min_size=1, max_size=40),
    st.integers(1, 50),
)
def test_ranks_are_those_of_a_corpus_of_the_chunks_in_scope(
    rows: list[tuple[float, bool]], depth: int
) -> None:
    scores = np.array([score for score, _ in rows])
    scope = np.array([inside for _, inside in rows])
    inside = np.flatnonzero(scope).tolist()

    filtered = rank_leg("bm25", scores, depth=depth, scope=scope)
    alone = rank_leg("bm25", scores[scope], depth=depth)

    assert standings(filtered, inside) == standings(alone, range(len(inside)))
    listed = [(inside[hit.chunk], hit.ordinal, hit.score) for hit in alone.run.hits]
    assert [(h.chunk, h.ordinal, h.score) for h in filtered.run.hits] == listed
    assert (filtered.floor, filtered.matched) == (alone.floor, alone.matched)
    outside = np.flatnonzero(~scope).tolist()
    assert standings(filtered, outside) == [None] * len(outside)


def test_the_unfiltered_rank_counts_what_is_out_of_scope() -> None:
    scores = np.array([5.0, 9.0, 7.0, NAN])
    leg = rank_leg("bm25", scores, depth=2, scope=np.array([True, False, True, True]))

    assert [unfiltered_rank(leg, chunk) for chunk in range(4)] == [3, 1, 2, None]


@pytest.mark.parametrize(
    ("filters", "kind", "path", "mark"),
    [
        ("kind:module", "module", "", ""),
        ("path:P1/M", "", "p1/m", ""),
        ("is:reexport", "", "", "reexport"),
        ("is:reexport kind:module path:p0/", "module", "p0/", "reexport"),
    ],
)
def test_a_search_ranks_what_the_catalogue_says_a_filter_describes(
    corpus: LocalCorpus, filters: str, kind: str, path: str, mark: str
) -> None:
    outcome = search(corpus, f"save cart {filters}")

    wanted = []
    for chunk in range(corpus.chunk_count):
        build, ordinal = corpus.locate(chunk)
        lexical = corpus.builds[build].lexical
        chunks = lexical.catalogue
        file = chunks.files[lexical.file_of[ordinal]]
        wanted.append(
            kind in (chunks.kinds[ordinal], "")
            and path.encode() in file.path
            and (not mark or mark in chunks.marks[ordinal])
        )
    assert outcome.scope.chunks.tolist() == wanted
    assert 0 < sum(wanted) < corpus.chunk_count


def test_scores_and_terms_of_a_chunk_are_the_same_with_and_without_filters(
    corpus: LocalCorpus,
) -> None:
    plain = search(corpus, "save cart")
    filtered = search(corpus, "save cart path:p1/")

    both = set(plain.pool.entry) & set(filtered.pool.entry)
    assert both
    assert plain.reranked.total
    assert filtered.reranked.total
    for chunk in both:
        parts = plain.reranked.total.parts(chunk)
        assert parts == filtered.reranked.total.parts(chunk)
    for leg, other in zip(plain.legs, filtered.legs, strict=True):
        np.testing.assert_array_equal(leg.scores, other.scores)


def test_places_are_filtered_by_their_files_and_have_no_kind(
    corpus: LocalCorpus,
) -> None:
    everything = search(corpus, "save cart").scope.places
    of_path = search(corpus, "save cart path:p1/").scope.places
    of_kind = search(corpus, "save cart -kind:module kind:function").scope.places

    assert everything.all()
    assert of_kind.all()
    assert of_path.sum() == sum(
        lexical.catalogue.files[place].path.startswith(b"p1/")
        for lexical in (build.lexical for build in corpus.builds)
        for place in lexical.places
    )
    rows = [place.row for place in search(corpus, "save cart path:p1/").places]
    assert rows
    assert of_path[rows].all()


def test_what_filters_cost_is_what_the_search_without_them_finds(
    corpus: LocalCorpus,
) -> None:
    outcome = search(corpus, "save lang:go is:reexport")
    of_language, of_mark = outcome.scope.conditions

    assert outcome.pool.entry == {}
    for dropped, typed in (
        ([of_language], "save is:reexport"),
        ([of_mark], "save lang:go"),
        ([of_language, of_mark], "save"),
    ):
        found = search(corpus, typed)
        assert count_without(outcome, corpus, dropped) == len(found.shown.hits)


def test_nothing_out_of_scope_is_seated_or_shown(corpus: LocalCorpus) -> None:
    chance = Random(5)  # noqa: S311
    for _ in range(60):
        outcome = search(corpus, make_query(chance))

        assert all(outcome.scope.chunks[chunk] for chunk in outcome.pool.entry)
        assert all(outcome.scope.places[place.row] for place in outcome.places)
        assert [leg.name for leg in outcome.legs] == list(ALWAYS)


def test_an_empty_corpus_has_an_empty_scope(tmp_path: Path) -> None:
    scope = make_scope(read_query("lang:go -is:test").filters, LocalCorpus([]))

    assert (scope.chunks.tolist(), scope.places.tolist()) == ([], [])
