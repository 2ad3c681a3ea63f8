"""Phrasings: variants by rule, each once, and what the ranks of all of them say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.phrasings import (
    IN_POOL,
    LEFT_OUT,
    LOST,
    ON_PAGE,
    TYPED,
    Phrasing,
    Spread,
    content_words,
    distinct,
    sensitivity,
    spread,
    vary,
)

QUERY = "get a single object from the database"
TEXTS = st.text(max_size=300) | st.lists(
    st.sampled_from(["get", "the", "a", "QuerySet.get", "get_user", "object", "3"]),
    max_size=40,
).map(" ".join)


def told(text: str, name: str = "", sentence: str = "") -> list[tuple[str, str]]:
    return [(one.text, one.origin) for one in vary(text, name, sentence)]


def test_a_question_loses_one_word_at_a_time_and_then_its_stop_words() -> None:
    assert told(QUERY) == [
        ("a single object from the database", "without “get”"),
        ("get a object from the database", "without “single”"),
        ("get a single from the database", "without “object”"),
        ("get a single object from the", "without “database”"),
        ("get_single_object_database", "words joined to a name"),
        ("GetSingleObjectDatabase", "words joined to a name"),
        ("get single object database", "stop words dropped"),
    ]


def test_the_words_of_the_target_come_last_and_are_marked() -> None:
    found = vary("one row", "QuerySet.get", "Perform the query")

    assert [(one.text, one.origin) for one in found if one.leaks] == [
        ("one row QuerySet.get", "its name added"),
        ("Perform the query", "first sentence of its docs: upper bound"),
        ("QuerySet.get", "its name alone: control, a lookup by name"),
    ]
    assert [one.leaks for one in found[-3:]] == [True, True, True]


def test_names_are_split_into_words() -> None:
    assert ("where is select for update checked", "names split into words") in told(
        "where is select_for_update checked"
    )
    assert ("query set get", "names split into words") in told("QuerySet.get")


def test_a_dotted_name_is_left_out_as_one() -> None:
    assert told("QuerySet.get raises")[:2] == [
        ("raises", "without “QuerySet.get”"),
        ("QuerySet.get", "without “raises”"),
    ]


def test_a_single_word_has_no_variant_of_its_own() -> None:
    assert told("filter") == []
    assert told("the") == []
    assert told("") == []


def test_a_name_that_is_the_query_is_no_phrasing_more() -> None:
    assert told("QuerySet.get", "QuerySet.get") == [
        ("query set get", "names split into words"),
        ("QuerySet.get QuerySet.get", "its name added"),
    ]


@given(TEXTS, st.text(max_size=20), st.text(max_size=60))
def test_variants_are_few_distinct_never_the_query_and_always_the_same(
    text: str, name: str, sentence: str
) -> None:
    found = vary(text, name, sentence)

    spelled = [" ".join(one.text.split()) for one in found]
    assert len(spelled) == len(set(spelled)) <= 20
    assert "" not in spelled
    assert " ".join(text.split()) not in spelled
    assert found == vary(text, name, sentence)


@given(TEXTS)
def test_what_a_variant_says_it_lacks_it_lacks(text: str) -> None:
    words = content_words(text)

    left = [one for one in vary(text) if one.origin.startswith("without ")]

    assert len(left) <= LEFT_OUT
    for one in left:
        word = one.origin[len("without “") : -1]
        assert word in words
        assert word not in content_words(one.text)


def test_of_equal_phrasings_the_first_stays() -> None:
    rows = [Phrasing(text, TYPED, text) for text in ("a b", " a  b ", "", "b", " ")]

    assert [one.origin for one in distinct(rows)] == ["a b", "b"]


def test_absent_ranks_are_counted_apart() -> None:
    assert spread([7, None, 1, 4, None]) == Spread(3, 2, 1, 4, 7)
    assert spread([1, 2]) == Spread(2, 0, 1, 1.5, 2)
    assert spread([None]) == Spread(0, 1, None, None, None)
    assert spread([]) == Spread(0, 0, None, None, None)


def test_a_target_that_does_not_always_end_alike_is_sensitive() -> None:
    ends = [ON_PAGE, LOST, ON_PAGE, IN_POOL]

    assert sensitivity(ends) == (
        True,
        "on page one for 2, in the pool but not on page one for 1, "
        "lost before the pool for 1 of 4",
    )
    assert sensitivity([LOST, LOST]) == (False, "lost before the pool for 2 of 2")
    assert sensitivity([]) == (False, "")
