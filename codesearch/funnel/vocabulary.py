"""Vocabulary: which words of a query are in the index, in a chunk, and their weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from codesearch.funnel.types import Query
from indexer.pipeline.terms import tokenize


class Lexicon(Protocol):
    """What is asked of the searched builds about their words."""

    def document_frequency(self, term: str) -> int:
        """Return how many chunks hold `term`."""

    def idf(self, terms: Sequence[str]) -> Mapping[str, float]:
        """Return the idf of each term over the searched builds."""

    def term_frequency(self, term: str, chunk: int) -> int:
        """Return how often one chunk holds `term`."""


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word as it was written: `df` chunks hold it, `parts` counts its parts.

    `share` is its part of the query's idf mass, 0 to 1.
    """

    word: str
    df: int
    parts: tuple[tuple[str, int], ...]
    share: float


def weigh_words(query: Query, lexicon: Lexicon) -> tuple[QueryWord, ...]:
    """Return the words of a query in order, each once, without stop words.

    A compound identifier that no chunk holds has the idf of df 0, whatever
    becomes of its parts.
    """
    terms = {word: tokenize(word) for word in query.words}
    whole = {word: found[0] for word, found in terms.items() if found}
    idf = lexicon.idf(list(whole.values()))
    mass = sum(idf[term] for term in whole.values())
    return tuple(
        QueryWord(
            word,
            lexicon.document_frequency(term),
            tuple((part, lexicon.document_frequency(part)) for part in terms[word][1:]),
            idf[term] / mass,
        )
        for word, term in whole.items()
    )


def missing_share(words: Sequence[QueryWord]) -> float:
    """Return the share of the query's idf mass that occurs nowhere, 0 to 1."""
    return sum(word.share for word in words if not word.df)


@dataclass(frozen=True, slots=True)
class WordCount:
    """One query word, as it was written, in the index and in one chunk.

    `tf` is how often the chunk holds it, `parts` are (part, df, tf). The rest is as in
    QueryWord; `idf` is the weight that `share` is a share of.
    """

    word: str
    df: int
    tf: int
    idf: float
    share: float
    parts: tuple[tuple[str, int, int], ...] = ()


def count_words(query: Query, lexicon: Lexicon, chunk: int) -> tuple[WordCount, ...]:
    """Count the words of a query in the index and in a chunk, whole and in parts."""
    rows = []
    for word in weigh_words(query, lexicon):
        whole = tokenize(word.word)[0]
        parts = tuple(
            (part, df, lexicon.term_frequency(part, chunk)) for part, df in word.parts
        )
        tf, idf = lexicon.term_frequency(whole, chunk), lexicon.idf([whole])[whole]
        rows.append(WordCount(word.word, word.df, tf, idf, word.share, parts))
    return tuple(rows)


def lacked_share(words: Sequence[WordCount]) -> float:
    """Return the share of the query's idf mass that the chunk lacks, 0 to 1."""
    return sum(word.share for word in words if not word.tf)
