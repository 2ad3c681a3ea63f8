"""Query: from what was typed to filters, terms, words and names."""

from __future__ import annotations

from codesearch.funnel.filters import drop_filters, read_filters
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
    filters = read_filters(typed)
    text = drop_filters(typed, filters)
    written = names(text)
    known = [name for name in dict.fromkeys(written) if tokenize(name)]
    named: dict[str, float] = {}
    for name in known:
        weight = _sureness(name, is_first=name == written[0], is_only=len(known) == 1)
        named[name.lower()] = max(weight, named.get(name.lower(), 0.0))
    return Query(
        typed=typed,
        filters=filters,
        text=text,
        terms=tuple(tokenize(text)),
        words=tuple(dict.fromkeys(words(text))),
        named=named,
    )


def _sureness(name: str, *, is_first: bool, is_only: bool) -> float:
    if "." in name or "::" in name:
        return QUALIFIED
    if is_only or len(split_identifier(name)) > 1:
        return NAME
    return NAME if name[:1].isupper() and not is_first else PLAIN
