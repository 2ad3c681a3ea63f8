"""Query: from what was typed to conditions, terms, words and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypedDict

from codesearch.funnel.expression import conditions, wanted_literals
from codesearch.funnel.filters import (
    ALIASES,
    CASE,
    NAMES,
    YES,
    refuse_many,
    refuse_misplaced,
)
from codesearch.funnel.grammar import Parser, cut_text
from codesearch.funnel.tokens import read_tokens
from codesearch.funnel.types import Query
from indexer.pipeline.terms import names, split_identifier, tokenize, words

# How surely a word is meant as a name, by its shape alone: `models.Field`;
# `get_user`, `QuerySet`, a capital inside a sentence, or the only word; `filter`.
QUALIFIED, NAME, PLAIN = 1.2, 1.0, 0.35


def read_query(typed: str) -> Query:
    """Return the query that was typed. It may hold no term at all.

    A stop word is no name: "a" in a question does not ask for the class `A`. Raises
    FilterError.
    """
    tokens = read_tokens(typed, NAMES)
    cases = [one.value.lower() for one in tokens if ALIASES.get(one.name) == CASE]
    parser = Parser(typed, tokens, has_case=cases[-1:] == [YES])
    expression = parser.parse()
    refuse_misplaced(expression)
    filters = conditions(expression)
    refuse_many(filters)
    text = cut_text(typed, parser.cuts)
    return Query(
        typed=typed,
        filters=filters,
        expression=expression,
        literals=tuple(dict.fromkeys(wanted_literals(expression))),
        **_words_of(text),
    )


def rephrase(query: Query, text: str) -> Query:
    """Return a query with the conditions of another one, and other words.

    `text` is words only: nothing in it is read as a sign.
    """
    kept = [one.text for one in query.filters]
    return replace(query, typed=" ".join([text, *kept]), **_words_of(text))


class _Words(TypedDict):
    """The fields of a query that are of its text."""

    text: str
    terms: tuple[str, ...]
    words: tuple[str, ...]
    named: Mapping[str, float]


def _words_of(text: str) -> _Words:
    written = names(text)
    known = [name for name in dict.fromkeys(written) if tokenize(name)]
    named: dict[str, float] = {}
    for name in known:
        weight = _sureness(name, is_first=name == written[0], is_only=len(known) == 1)
        named[name.lower()] = max(weight, named.get(name.lower(), 0.0))
    return {
        "text": text,
        "terms": tuple(tokenize(text)),
        "words": tuple(dict.fromkeys(words(text))),
        "named": named,
    }


def _sureness(name: str, *, is_first: bool, is_only: bool) -> float:
    if "." in name or "::" in name:
        return QUALIFIED
    if is_only or len(split_identifier(name)) > 1:
        return NAME
    return NAME if name[:1].isupper() and not is_first else PLAIN
