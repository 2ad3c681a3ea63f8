"""Literals: what a phrase or a regex matches, and what is refused."""

from __future__ import annotations

import pytest

from indexer.pipeline.literals import Pattern, PatternError, compile_pattern

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
