"""Findings are kept for who asks again, and access is decided anew each time."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from codesearch import inquiry
from codesearch.errors import NothingIndexed
from codesearch.inquiry import PairScorer, inquire
from codesearch.knobs import AS_SHIPPED
from indexer import encoders
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build, Index, Repository
from tests.conftest import build_all
from tests.encoders import WordEncoder

QUERY = "format money for a locale"


def test_findings_are_used_again_where_that_is_asked_for(shop: Build) -> None:
    first = inquire(ANYONE, QUERY)

    assert inquire(ANYONE, QUERY, again=True).findings is first.findings
    assert inquire(ANYONE, QUERY).findings is not first.findings
    assert inquire(ANYONE, "format", again=True).query.text == "format"


def test_words_and_names_are_asked_without_any_model(
    shop: Build, encoder: WordEncoder
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        for owner, name in (
            (encoder, "encode_query"),
            (inquiry, "current_cross_encoder"),
        ):
            patched.setattr(owner, name, lambda *asked: pytest.fail("a model"))
        found = inquire(ANYONE, QUERY, again=True, by_words=True)

    assert [(leg.name, leg.ran) for leg in found.findings.legs] == [
        ("purpose", False),
        ("body", False),
        ("bm25", True),
        ("symbol", True),
    ]
    assert found.answer(AS_SHIPPED).shown.hits
    whole = inquire(ANYONE, QUERY, again=True)
    assert all(leg.ran for leg in whole.findings.legs)


def test_what_was_found_in_a_build_is_let_go_with_the_next(shop: Build) -> None:
    lexical = weakref.ref(inquire(ANYONE, QUERY).searched.corpus.builds[0].lexical)
    gc.collect()
    assert lexical() is not None  # It is kept for the next query.
    build_all(shop.index)

    inquire(ANYONE, QUERY)

    gc.collect()
    assert lexical() is None


def test_a_layer_more_is_another_inquiry(shop: Build) -> None:
    Index.objects.update(current_build=None)  # The next is searched before it is done.
    build = indexing.request_build(index=shop.index, enqueue=False)
    indexing.advance_build(build_id=build.pk)
    lexical = inquire(ANYONE, QUERY, again=True)
    assert inquire(ANYONE, QUERY, again=True).findings is lexical.findings

    indexing.finish_build(build=build)

    found = inquire(ANYONE, QUERY, again=True).findings
    assert [leg.ran for leg in lexical.findings.legs] == [False, False, True, True]
    assert all(leg.ran for leg in found.legs)


def test_what_failed_is_not_kept(shop: Build) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(encoders, "encoder_of", lambda *build: (None, "no model"))
        failed = inquire(ANYONE, QUERY, again=True).findings

    found = inquire(ANYONE, QUERY, again=True).findings

    assert [leg.ran for leg in failed.legs] == [False, False, True, True]
    assert all(leg.ran for leg in found.legs)


def test_what_is_kept_is_not_for_who_may_not_read_it_any_more(shop: Build) -> None:
    inquire(ANYONE, QUERY)
    Repository.objects.update(visibility=Repository.Visibility.STAFF)

    with pytest.raises(NothingIndexed):
        inquire(ANYONE, QUERY, again=True)


class Reader:
    """A cross-encoder that leaves one token of every text unread."""

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [float(len(text)) for text in texts]

    def count_unread(self, query: str, texts: Sequence[str]) -> list[int]:
        return [1 for _ in texts]


class Growing(dict[int, int]):
    """What another thread adds to with every step that someone looks through it."""

    def __iter__(self) -> Iterator[int]:
        for number in super().__iter__():
            self[-len(self) - 1] = 1
            yield number

    def items(self) -> Iterator[tuple[int, int]]:  # type: ignore[override] # Lazy.
        return ((number, self[number]) for number in self)


def test_threads_share_a_scorer_that_goes_on_scoring(shop: Build) -> None:
    found = inquire(ANYONE, QUERY)
    scorer = PairScorer(Reader(), found.searched)  # type: ignore[arg-type] # A stand-in.
    scorer.unread = Growing()

    reranked = replace(found, scorer=scorer).answer(AS_SHIPPED).reranked

    assert reranked.unread == dict.fromkeys(reranked.logits, 1)
