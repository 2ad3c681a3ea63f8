"""Query: from what was typed to terms, words and names."""

from __future__ import annotations

from codesearch.funnel.types import Query
from indexer.pipeline.terms import names, tokenize, words


def read_query(text: str) -> Query:
    """Return the query that `text` stands for. It may hold no term at all.

    A stop word is no name: "a" in a question does not ask for the class `A`.
    """
    return Query(
        text=text,
        terms=tuple(tokenize(text)),
        words=tuple(dict.fromkeys(words(text))),
        names=tuple(
            dict.fromkeys(name.lower() for name in names(text) if tokenize(name))
        ),
    )
