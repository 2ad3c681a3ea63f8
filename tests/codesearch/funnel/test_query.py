"""A query is read once: its terms, its words and the names it may hold."""

from __future__ import annotations

from codesearch.funnel.query import read_query


def test_terms_are_those_of_the_index_and_words_are_as_written() -> None:
    query = read_query("where is QuerySet.get_or_create tested")

    assert query.terms == (
        *("queryset", "queri", "set"),
        *("get_or_create", "get", "creat"),
        "test",
    )
    assert query.words == ("where", "is", "QuerySet", "get_or_create", "tested")
    assert query.names == ("queryset.get_or_create", "tested")


def test_a_query_may_hold_no_term_at_all() -> None:
    assert read_query(" ?! ").terms == ()
