"""Vocabulary: what a query's words weigh, and how much of it occurs nowhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.query import read_query
from codesearch.funnel.vocabulary import (
    QueryWord,
    WordCount,
    count_words,
    lacked_share,
    missing_share,
    weigh_words,
)


class Lexicon:
    """Five chunks; a known term weighs 1, an unknown one 3."""

    DF = {"kei": 4, "password": 2, "hash": 1}

    def document_frequency(self, term: str) -> int:
        return self.DF.get(term, 0)

    def idf(self, terms: Sequence[str]) -> Mapping[str, float]:
        return {term: 1.0 if term in self.DF else 3.0 for term in terms}

    def term_frequency(self, term: str, chunk: int) -> int:
        return {"kei": 2, "password": 1}.get(term, 0) if chunk == 4 else 0


def test_an_identifier_is_weighed_whole_and_its_parts_are_counted() -> None:
    words = weigh_words(read_query("the NoSuchKey of a password"), Lexicon())

    assert words == (
        QueryWord("NoSuchKey", 0, (("no", 0), ("such", 0), ("kei", 4)), 0.75),
        QueryWord("password", 2, (), 0.25),
    )
    assert missing_share(words) == 0.75


def test_a_query_of_stop_words_has_no_words() -> None:
    assert weigh_words(read_query("what is this"), Lexicon()) == ()
    assert missing_share(()) == 0


@given(st.text(st.characters(exclude_characters='"/()-:'), max_size=60))
def test_the_shares_of_all_words_are_one(text: str) -> None:
    words = weigh_words(read_query(text), Lexicon())

    assert not words or math.isclose(sum(word.share for word in words), 1)
    assert 0 <= missing_share(words) <= 1 + 1e-9


def test_words_are_counted_in_a_chunk_whole_and_in_parts() -> None:
    words = count_words(read_query("the NoSuchKey of a password"), Lexicon(), 4)

    parts = (("no", 0, 0), ("such", 0, 0), ("kei", 4, 2))
    assert words == (
        WordCount("NoSuchKey", df=0, tf=0, idf=3.0, share=0.75, parts=parts),
        WordCount("password", df=2, tf=1, idf=1.0, share=0.25),
    )
    assert lacked_share(words) == 0.75
