"""Copies and re-export stubs go beneath the hit they repeat; nothing is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.folding import fold
from codesearch.funnel.types import Fold, Hit, Run
from tests.codesearch.funnel.fake_corpus import FakeCorpus


def corpus_of(
    contents: Mapping[int, bytes], stubs: Mapping[int, Sequence[int]]
) -> FakeCorpus:
    corpus = FakeCorpus(12)
    corpus.contents = dict(contents)
    corpus.stubs = {chunk: list(held) for chunk, held in stubs.items()}
    return corpus


def run_of(*chunks: int) -> Run:
    return Run("rerank", tuple(Hit(c, n, 1.0 / n) for n, c in enumerate(chunks, 1)))


def chunks_of(run: Run) -> list[int]:
    return [hit.chunk for hit in run.hits]


def test_the_first_copy_in_the_final_order_stays() -> None:
    corpus = corpus_of({3: b"a", 1: b"a", 2: b"b", 0: b"a"}, {})

    shown, folded = fold(run_of(3, 2, 1, 0), corpus)

    assert shown.hits == (Hit(3, 1, 1.0), Hit(2, 2, 0.5))
    assert folded == {
        1: Fold("duplicate_of", of=3, under=3),
        0: Fold("duplicate_of", of=3, under=3),
    }


def test_chunks_too_short_to_be_recognised_are_no_copies() -> None:
    shown, folded = fold(run_of(3, 2), corpus_of({}, {}))

    assert (chunks_of(shown), folded) == ([3, 2], {})


def test_a_stub_folds_under_its_best_definition_above_or_below_it() -> None:
    corpus = corpus_of({}, {5: [1, 2, 9]})

    shown, folded = fold(run_of(5, 4, 2, 1), corpus)

    assert chunks_of(shown) == [4, 2, 1]
    assert folded == {5: Fold("re_export_of", of=2, under=2)}
    assert fold(run_of(2, 5), corpus)[1] == folded


def test_a_stub_whose_definitions_are_not_in_the_pool_stays() -> None:
    assert fold(run_of(5, 4), corpus_of({}, {5: [1]}))[1] == {}


def test_a_stub_goes_beneath_the_copy_that_stays() -> None:
    corpus = corpus_of({1: b"a", 2: b"a"}, {5: [2]})

    _, folded = fold(run_of(5, 1, 2), corpus)

    assert folded[5] == Fold("re_export_of", of=2, under=1)


def test_copies_of_a_stub_go_with_it() -> None:
    corpus = corpus_of({5: b"s", 6: b"s"}, {5: [1], 6: [7]})

    shown, folded = fold(run_of(5, 6, 1), corpus)

    assert chunks_of(shown) == [1]
    assert folded[6] == Fold("duplicate_of", of=5, under=1)


ordinals = st.integers(0, 11)


@given(
    st.lists(ordinals, unique=True),
    st.dictionaries(ordinals, st.sampled_from([b"a", b"b", b"c"])),
    st.dictionaries(ordinals, st.lists(ordinals, min_size=1, max_size=4)),
)
def test_every_chunk_is_shown_or_beneath_one_that_is(
    order: list[int], contents: dict[int, bytes], stubs: dict[int, list[int]]
) -> None:
    shown, folded = fold(run_of(*order), corpus_of(contents, stubs))

    assert sorted([*chunks_of(shown), *folded]) == sorted(order)
    assert [hit.ordinal for hit in shown.hits] == list(range(1, len(shown.hits) + 1))
    assert chunks_of(shown) == [chunk for chunk in order if chunk not in folded]
    assert {one.under for one in folded.values()} <= set(chunks_of(shown))
    kept = [contents[chunk] for chunk in chunks_of(shown) if chunk in contents]
    assert len(kept) == len(set(kept))
