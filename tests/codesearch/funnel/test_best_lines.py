"""The lines that are shown of a chunk: its signature, and what the query is about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.best_lines import (
    MOST_LINES,
    WINDOWS,
    choose_lines,
    find_signature,
)
from indexer.pipeline.literals import Pattern, matching_lines
from indexer.pipeline.terms import tokenize

WORDS = ["def f(a):", "    price = 1", "    return tax", "", "    tax += price", "x"]
BODY = ["def f(a):"] + [f"    step_{n} = a" for n in range(1, 40)]


def pieces(chosen: list[int]) -> int:
    return sum(b != a + 1 for a, b in zip([-2, *chosen], chosen, strict=False))


def test_a_short_chunk_is_shown_whole() -> None:
    assert choose_lines(BODY[:12], name="f", idf={"tax": 1.0}) == [*range(12)]


def test_a_chunk_that_holds_nothing_of_the_query_shows_its_first_lines() -> None:
    assert choose_lines(BODY, name="f", idf={"tax": 1.0}) == [*range(12)]


def test_the_line_with_the_querys_word_is_shown_beside_the_signature() -> None:
    lines = [*BODY]
    lines[30] = "    tax = a"

    chosen = choose_lines(lines, name="f", idf={"tax": 2.0})

    assert chosen == [0, 1, 2, 3, 4, 5, 6, 29, 30, 31, 32, 33]


def test_rare_words_win_over_common_ones() -> None:
    lines = [*BODY]
    lines[15] = lines[22] = "    price = a"
    lines[30] = "    tax = a"

    chosen = choose_lines(lines, name="f", idf={"price": 1.0, "tax": 5.0})

    assert {15, 30} <= set(chosen)
    assert 22 not in chosen


def test_two_words_together_win_over_one_alone() -> None:
    lines = [*BODY]
    lines[12] = lines[24] = "    price = a"
    lines[32], lines[34] = "    price = a", "    tax = a"

    chosen = choose_lines(lines, name="f", idf={"price": 1.0, "tax": 1.0})

    assert {32, 34} <= set(chosen)


def test_a_phrase_wins_over_all_words() -> None:
    lines = [*BODY]
    lines[14], lines[22] = "    price = tax", "    tax = price + 2"
    lines[30] = "    total(a)"
    idf = {"price": 9.0, "tax": 9.0}

    chosen = choose_lines(lines, name="f", idf=idf, literals=[Pattern("total(")])

    assert 30 in chosen


def test_a_signature_over_several_lines_is_shown_to_its_end() -> None:
    lines = ["@cached", "def f(", "    a,", "    b):", *BODY[1:]]
    lines[35] = "    tax = a"

    assert find_signature(lines, "f") == range(4)
    assert choose_lines(lines, name="f", idf={"tax": 1.0})[:4] == [0, 1, 2, 3]


def test_a_comment_that_says_the_name_is_no_signature() -> None:
    lines = [f"// f {n}" for n in range(5)] + ["void f(int a) {", "  tax();", "}"]

    assert find_signature(lines, "f") == range(5, 6)


def test_what_has_no_name_begins_with_its_first_line() -> None:
    assert find_signature(BODY, "") == range(1)


@given(
    st.lists(st.sampled_from(WORDS), max_size=60),
    st.sampled_from(["f", "", "nowhere"]),
    st.dictionaries(st.sampled_from(["tax", "price"]), st.floats(0.1, 9)),
    st.lists(st.sampled_from([Pattern("return "), Pattern("a+", is_regex=True)])),
)
def test_chosen_lines_are_few_in_few_pieces_and_hold_what_there_is(
    lines: list[str], name: str, idf: dict[str, float], literals: list[Pattern]
) -> None:
    chosen = choose_lines(lines, name=name, idf=idf, literals=literals)

    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(len(lines), MOST_LINES)
    assert pieces(chosen) <= WINDOWS + 1
    assert set(find_signature(lines, name)) & set(range(len(lines))) <= set(chosen)
    text = [lines[number] for number in chosen]
    for literal in literals:
        data = "\n".join(lines).encode()
        if len(matching_lines(literal, data)) and len(set(literals)) == 1:
            assert any(len(matching_lines(literal, one.encode())) for one in text)
    if idf and not literals and any(idf.keys() & tokenize(one) for one in lines):
        assert any(idf.keys() & tokenize(one) for one in text)
