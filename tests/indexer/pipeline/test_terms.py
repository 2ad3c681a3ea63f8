"""Terms: one tokeniser, whole identifiers and their parts, for index and query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.terms import (
    STOP_WORDS,
    count_chunk,
    count_path,
    names,
    split_identifier,
    tokenize,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("get_user", ["get_user", "get", "user"]),
        ("getUtf8Name", ["getutf8name", "get", "utf8", "name"]),
        ("QuerySet.get", ["queryset", "queri", "set", "get"]),
        ("MAX_RETRIES", ["max_retries", "max", "retri"]),
        ("get2x", ["get2x"]),
        ("12.5", ["12", "5"]),
    ],
)
def test_a_compound_identifier_gives_its_whole_form_and_its_parts(
    text: str, expected: list[str]
) -> None:
    assert tokenize(text) == expected


@pytest.mark.parametrize("text", ["__init__", "_init", "init_", "Init"])
def test_outer_underscores_and_capitals_make_no_compound(text: str) -> None:
    assert tokenize(text) == ["init"]


def test_plain_words_are_stemmed_and_stop_words_dropped() -> None:
    assert tokenize("Where are the connections closed?") == ["connect", "close"]


def test_a_stop_word_is_dropped_as_a_part_and_kept_in_the_whole_form() -> None:
    assert tokenize("is_not_found") == ["is_not_found", "found"]


def test_the_plural_of_an_acronym_is_one_word() -> None:
    assert tokenize("URLs") == ["url"]


def test_letters_beyond_ascii_are_letters() -> None:
    assert tokenize("größeÄndern") == ["größeändern", "größe", "ändern"]


def test_a_word_that_the_stemmer_would_empty_stays() -> None:
    assert tokenize("s") == ["s"]


@pytest.mark.parametrize("text", ["", "   ", "_", "+-*/", "the"])
def test_a_text_without_words_has_no_terms(text: str) -> None:
    assert tokenize(text) == []


def test_there_are_36_stop_words() -> None:
    assert len(STOP_WORDS) == 36


def test_words_are_as_written() -> None:
    assert words("Why QuerySet.get_or_create?") == ["Why", "QuerySet", "get_or_create"]


def test_names_keep_dotted_names_together() -> None:
    assert names("see QuerySet.get and std::sort. Then") == [
        "see",
        "QuerySet.get",
        "and",
        "std::sort",
        "Then",
    ]


def test_the_fields_of_a_chunk_weigh_two_three_two_one() -> None:
    assert count_path("p") == {"p": 2}
    assert count_chunk(symbol="s", head="h", body="b") == {"s": 3, "h": 2, "b": 1}


@given(st.text())
def test_any_text_has_non_empty_lower_cased_terms(text: str) -> None:
    assert all(terms and terms == terms.lower() for terms in tokenize(text))


@given(st.from_regex(r"\w+", fullmatch=True))
def test_the_parts_of_a_word_are_the_word_without_underscores(word: str) -> None:
    assert "".join(split_identifier(word)) == word.replace("_", "")
