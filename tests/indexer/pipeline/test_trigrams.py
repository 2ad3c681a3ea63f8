"""Trigrams: whatever RE2 matches, the index proposes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.pipeline.literals import Pattern, PatternError, matching_lines
from indexer.pipeline.trigrams import (
    NOTHING,
    All,
    Either,
    match_expression,
    required_trigrams,
)

CHARS = "abkKsSſK.-_ é É ß ẞ ı İ 日本 Ᏸ ᏸ \r\x00\n9"
ATOMS = [
    "abc",
    "Kelvin",
    "straße",
    "É",
    "日本語",
    "Ᏸ",
    ".",
    r"\.",
    r"\w",
    r"\D",
    r"\b",
    "^",
    "$",
    r"\x41",
    r"\x{e9}",
    r"\pL",
    "[abk]",
    "[^a]",
    "[a-c]",
    "[]a]",
    "[[:alpha:]_]",
    r"[\]s]",
    "(?i)",
    "(?-i)",
    r"\t",
    " ",
    "-",
    "{",
    "a{,2}",
]


@st.composite
def regexes(draw: st.DrawFn) -> str:
    """A pattern in RE2's syntax, most of them valid."""
    parts = st.recursive(
        st.sampled_from(ATOMS),
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=4).map("".join),
            st.lists(inner, min_size=2, max_size=3).map("|".join),
            st.tuples(st.sampled_from(["(", "(?:", "(?i:", "(?P<n>", "(?s-i:"]), inner)
            .map("".join)
            .map("{})".format),
            st.tuples(
                inner,
                st.sampled_from(["*", "+", "?", "*?", "{2}", "{0,1}", "{1,}", "{4}"]),
            ).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        ),
        max_leaves=8,
    )
    return draw(parts)


texts = st.lists(
    st.one_of(st.text(CHARS, max_size=6), st.sampled_from(ATOMS)), max_size=6
).map("".join)


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE t USING fts5 (x, tokenize='trigram', detail=none)"
        )
        yield connection


def proposes(index: sqlite3.Connection, text: str, pattern: Pattern) -> bool:
    """Whether the index of one text finds it by what a pattern requires."""
    expression = match_expression(required_trigrams(pattern))
    index.execute("DELETE FROM t")
    index.execute("INSERT INTO t VALUES (?)", (text.replace("\x00", "\ufffd"),))
    if not expression:
        return True
    query = "SELECT count(*) FROM t WHERE t MATCH ?"
    return bool(index.execute(query, (expression,)).fetchone()[0])


def holds(text: str, pattern: Pattern) -> bool:
    """Whether RE2 finds a line of a text."""
    try:
        return len(matching_lines(pattern, text.encode())) > 0
    except PatternError:
        return False


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=regexes(), lines=texts, has_case=st.booleans())
def test_what_a_regex_matches_is_proposed(
    index: sqlite3.Connection, text: str, lines: str, *, has_case: bool
) -> None:
    pattern = Pattern(text, is_regex=True, has_case=has_case)

    assert proposes(index, lines, pattern) or not holds(lines, pattern)


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(before=texts, phrase=texts, after=texts, has_case=st.booleans())
def test_what_holds_a_phrase_is_proposed(
    index: sqlite3.Connection, before: str, phrase: str, after: str, *, has_case: bool
) -> None:
    pattern = Pattern(phrase, has_case=has_case)
    lines = before + (phrase if has_case else phrase.swapcase()) + after

    assert proposes(index, lines, pattern) or not holds(lines, pattern)


@pytest.mark.parametrize(
    ("text", "need"),
    [
        ("abcd", All(("abc", "bcd"))),
        ("ab", NOTHING),
        ("ABC", "abc"),
        ("abc|xyz", Either(("abc", "xyz"))),
        ("abc|.", NOTHING),
        ("abc.*xyz", All(("abc", "xyz"))),
        ("ab+c", NOTHING),
        ("abc+", "abc"),
        ("abcd?e", Either((All(("abc", "bcd", "cde")), All(("abc", "bce"))))),
        ("[ab]cd", Either(("acd", "bcd"))),
        (r"abc\b-d", All(("abc", "bc-", "c-d"))),
        (r"(?i)stra\x{df}e", All(("str", "tra"))),
        ("日本語", "日本語"),
        (r"abc\Qdef\E", NOTHING),
        ("(abc){2}", All(("abc", "bca", "cab"))),
        ("x{0}abc", "abc"),
    ],
)
def test_what_is_required(text: str, need: object) -> None:
    assert required_trigrams(Pattern(text, is_regex=True)) == need


def test_deep_nesting_requires_nothing_and_ends() -> None:
    text = "(" * 500 + "abcd" + ")" * 500

    assert required_trigrams(Pattern(text, is_regex=True)) == NOTHING


def test_a_pattern_that_stands_for_too_much_requires_what_is_sure() -> None:
    text = "".join(f"({a}|{b})" for a, b in zip("prtvxa", "qsuwyb", strict=True))

    need = required_trigrams(Pattern(text + "start", is_regex=True))

    assert isinstance(need, All)
    assert {"sta", "tar", "art"} < set(need.parts)
