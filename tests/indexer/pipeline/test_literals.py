"""Literals: what a phrase or a regex matches, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.literals import (
    Pattern,
    PatternError,
    compile_pattern,
    find_spans,
    joined_spans,
    matches_every_line,
    matching_lines,
)

TEXT = b"First line\nsecond (line)\n"


def _found(pattern: Pattern) -> list[bytes]:
    return [match.group() for match in compile_pattern(pattern).finditer(TEXT)]


def test_a_phrase_is_itself_whatever_its_case() -> None:
    assert _found(Pattern("(LINE)")) == [b"(line)"]


def test_case_is_told_apart_where_it_counts() -> None:
    assert _found(Pattern("(LINE)", has_case=True)) == []


def test_the_ends_are_those_of_a_line() -> None:
    assert _found(Pattern("^.+$", is_regex=True)) == [b"First line", b"second (line)"]


def test_no_match_goes_over_a_line_end() -> None:
    assert _found(Pattern(r"line\s+second", is_regex=True)) == []


@pytest.mark.parametrize("text", ["(a", "a)(b", "((a{100}){100}){100}", "(?=a)", "a**"])
def test_what_cannot_be_read_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(PatternError, match=r"\w"):
        compile_pattern(Pattern(text, is_regex=True))


def _lines(text: str, data: str) -> list[int]:
    found = matching_lines(Pattern(text, is_regex=True), data.encode())
    return [int(line) for line in found]


@pytest.mark.parametrize(
    ("text", "data", "lines"),
    [
        ("a", "a\nb\na", [1, 3]),
        ("a", "a\na\n", [1, 2]),
        ("", "a\n\nb\n", [1, 2, 3]),
        ("^$", "a\n\nb\n", [2]),
        ("^$", "a\n", []),
        ("$", "a\nb", [1, 2]),
        ("^", "", []),
        ("^$", "\n\n", [1, 2]),
        ("x*$", "a\nx\n", [1, 2]),
        ("a.b", "a\nb\nacb\n", [3]),
        ("(?s)a.b", "a\nb\n", []),
        ("[^x]b", "a\nb\n", []),
        (r"\n", "a\nb\n", []),
        (r"a\s", "a\na \n", [2]),
        ("é", "e\né\n", [2]),
        (r"\r$", "a\r\nb\n", [1]),
        ("a$", "a\u2028\na\x0c\na\n", [3]),
    ],
)
def test_lines_match_one_by_one(text: str, data: str, lines: list[int]) -> None:
    assert _lines(text, data) == lines


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("", True),
        ("^", True),
        ("$", True),
        (".*", True),
        ("(?s).*", True),
        ("x*y?", True),
        ("a|$", True),
        (r"\b|\B", True),
        ("^$", False),
        (r"\b", False),
        (r"^\B", False),
        (r"\A", False),
        (r"\z", False),
        (r"^|\z", True),
        (".", False),
        ("x*y", False),
    ],
)
def test_what_matches_nothing_at_an_end_of_any_line_matches_every_line(
    text: str, every: bool
) -> None:
    assert matches_every_line(Pattern(text, is_regex=True)) is every


def test_what_is_quoted_may_go_on_to_the_end() -> None:
    assert _found(Pattern(r"(\w+ )\Q(line", is_regex=True)) == [b"second (line"]


def test_marks_are_in_characters_and_never_empty() -> None:
    pattern = Pattern("b*é|日", is_regex=True)

    assert find_spans(pattern, "日 abbé bb é") == [(0, 1), (3, 6), (10, 11)]
    assert find_spans(Pattern("x*", is_regex=True), "axx") == [(1, 3)]
    assert find_spans(Pattern("x"), "") == []


def test_marks_never_end_within_a_character() -> None:
    byte = Pattern(r"\C", is_regex=True)
    assert find_spans(byte, "a日") == [(0, 1), (1, 2), (1, 2), (1, 2)]
    assert find_spans(Pattern(r"b\C", is_regex=True), "béa") == [(0, 2)]


def test_spans_of_several_patterns_that_meet_are_one() -> None:
    patterns = [Pattern("cd"), Pattern("ab"), Pattern("b"), Pattern("f")]

    assert joined_spans(patterns, "abcd ef") == [(0, 4), (6, 7)]
    assert joined_spans([], "abcd") == []


@given(
    text=st.sampled_from(
        ["a", "a+b", "^a", "b$", "a|b", "", "^$", "[^a]", r"\bab", "."]
        + ["^", "$", ".*", "a*$", r"\b", r"\B", r"\b|\B", r"^\b|a?", r"\B$", "^|a"]
    ),
    data=st.text("ab\n ", max_size=30),
)
def test_lines_are_those_that_match_alone(text: str, data: str) -> None:
    compiled = compile_pattern(Pattern(text, is_regex=True))
    alone = data.removesuffix("\n").split("\n") if data else []

    assert _lines(text, data) == [
        number
        for number, line in enumerate(alone, 1)
        if compiled.search(line.encode()) is not None
    ]
