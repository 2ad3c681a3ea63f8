"""Code as HTML: every character survives, escaped, on the line where it stands."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.highlight import (
    COLOUR_LIMIT,
    LINE_LIMIT,
    highlight_lines,
    show_unseen,
)

TAG = re.compile(r"<[^>]+>")
UNSEEN = re.compile(r'<span class="ctrl">U\+([0-9A-F]+)</span>')


def plain(markup: str) -> str:
    return html.unescape(TAG.sub("", markup))


def seen_again(written: re.Match[str]) -> str:
    return chr(int(written[1], 16))


def test_markup_in_the_code_is_escaped() -> None:
    lines = highlight_lines('x = "<script>alert(1)</script>"\n', language="python")

    assert "<script>" not in lines[0].html
    assert plain(lines[0].html) == 'x = "<script>alert(1)</script>"'


def test_leading_blank_lines_keep_the_numbers() -> None:
    lines = highlight_lines("\n\nx = 1\n", language="python")

    assert [line.number for line in lines] == [1, 2, 3]
    assert plain(lines[2].html) == "x = 1"


def test_a_token_over_two_lines_is_closed_on_each() -> None:
    lines = highlight_lines('"""a\nb"""\n', language="python")

    assert [plain(line.html) for line in lines] == ['"""a', 'b"""']
    assert all(line.html.count("<span") == line.html.count("</span>") for line in lines)


def test_words_that_share_a_term_with_the_query_are_marked() -> None:
    lines = highlight_lines(
        "return matching_objects\n", language="python", terms=["match", "object"]
    )

    assert "<mark>matching_objects</mark>" in lines[0].html
    assert "<mark>return" not in lines[0].html


def test_a_bidirectional_override_is_written_out() -> None:
    lines = highlight_lines("a = '\u202e'\n", language="python")

    assert 'data-code="U+202E"><bdi>\u202e</bdi></span>' in lines[0].html
    assert lines[0].html.count("\u202e") == 1  # To be copied, where it turns nothing.


def test_a_zero_width_space_in_a_path_is_written_out() -> None:
    shown = show_unseen("a\u200bb<c>.py")

    seen = '<span class="ctrl" data-code="U+200B"><bdi>\u200b</bdi></span>'
    assert shown == f"a{seen}b&lt;c&gt;.py"


def test_a_long_line_is_cut_and_the_rest_is_counted() -> None:
    lines = highlight_lines("x" * (LINE_LIMIT + 7) + "\ny\n")

    assert plain(lines[0].html) == "x" * LINE_LIMIT
    assert lines[0].cut == 7
    assert lines[1].cut == 0


def test_a_line_is_read_as_far_as_it_is_shown() -> None:
    string = 'x = "' + "a" * COLOUR_LIMIT + '"'

    lines = highlight_lines(f"{string}\ndef f(): pass\n", language="python")

    assert plain(lines[0].html) == string[:LINE_LIMIT]
    assert '<span class="o">=</span>' in lines[0].html
    assert lines[0].cut == len(string) - LINE_LIMIT
    assert '<span class="k">def</span>' in lines[1].html


def test_a_very_long_text_is_not_coloured() -> None:
    lines = highlight_lines("def f():\n" * (COLOUR_LIMIT // 9 + 1), language="python")

    assert lines[0].html == "def f():"


def test_an_unknown_language_falls_back_to_the_file_name() -> None:
    lines = highlight_lines("def f(): pass\n", language="", path="a/b.py")

    assert '<span class="k">def</span>' in lines[0].html


def test_a_text_without_a_language_is_plain() -> None:
    assert highlight_lines("<a>\n", path="NOTES")[0].html == "&lt;a&gt;"


def test_an_empty_text_has_no_lines() -> None:
    assert highlight_lines("") == []


@pytest.mark.parametrize("language", ["python", "javascript", "html", "json", ""])
def test_a_lone_carriage_return_is_no_line_end(language: str) -> None:
    assert len(highlight_lines("a\rb\nc\n", language=language)) == 2


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_no_character_is_lost_or_left_raw(text: str) -> None:
    lines = highlight_lines(text, language="python", terms=["a"])

    wanted = text.removesuffix("\n").split("\n") if text else []
    assert [plain(UNSEEN.sub(seen_again, line.html)) for line in lines] == wanted
    assert all("<" not in TAG.sub("", line.html) for line in lines)
