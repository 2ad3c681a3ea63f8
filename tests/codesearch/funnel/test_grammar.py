"""A query is a tree of what it asks for; code that is pasted into it is words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.expression import FilterError, Node
from codesearch.funnel.filters import drop_filters
from codesearch.funnel.query import read_query, rephrase
from indexer.pipeline.literals import Pattern
from tests.codesearch.funnel.spelling import spell


@pytest.mark.parametrize(
    ("typed", "tree", "text"),
    [
        ("open file", "(open file)", "open file"),
        ("open AND file", "(open file)", "open file"),
        ("open OR close", "[open close]", "open close"),
        ("a b OR c d", "[(a b) (c d)]", "a b c d"),
        ("a (b OR c) d", "(a [b c] d)", "a b c d"),
        ("a -b NOT c", "(a !b !c)", "a"),
        ("a -(b OR c)", "(a ![b c])", "a"),
        ('"two words" /re gex/', '("two words" /re gex/)', "two words"),
        (r'"say \"hi\"" /a\/b/', r'("say "hi"" /a/b/)', 'say "hi"'),
        ('c:one content:"a b" -c:/x/', '("one" "a b" !/x/)', "one a b"),
        ("lang:go open OR close", "(lang=go [open close])", "open close"),
        ("open OR close lang:go", "([open close] lang=go)", "open close"),
        ("lang:go a OR lang:c b", "[(lang=go a) (lang=c b)]", "a b"),
        ("lang:go OR open", "[lang=go open]", "open"),
        ("(lang:go open) shut", "((lang=go open) shut)", "open shut"),
    ],
)
def test_signs_join_what_stands_beside_them(typed: str, tree: str, text: str) -> None:
    query = read_query(typed)

    assert (spell(query.expression), query.text) == (tree, text)


@pytest.mark.parametrize(
    "typed",
    [
        'print("x") foo(bar)',
        "range(a, b) f() ( ) x)",
        'd["key"] = {"key": 1}',
        '" ".join(parts)',
        "a->b --flag - -1 x - y",
        "x / y / z // note",
        "/usr/bin/python /* note */",
        "std::sort a:b path: str kind::new http://x",
        "Return (x, y) of the pair",
        "an open (bracket",
        "OR conditions joined by and or not",
        "android NOTE ORDER",
    ],
)
def test_code_and_prose_are_words_as_typed(typed: str) -> None:
    query = read_query(typed)

    assert (query.text, query.filters, query.literals) == (typed, (), ())


@pytest.mark.parametrize(
    ("typed", "part", "why"),
    [
        ('say "hello', '"hello', "nothing closes its quotation mark"),
        ('path:"my f', 'path:"my f', "nothing closes its quotation mark"),
        ("a (b OR c", "(b OR c", "nothing closes its parenthesis"),
        ("-(b c", "(b c", "nothing closes its parenthesis"),
        ("open OR", "OR", "nothing stands behind it"),
        ("open AND OR x", "AND", "nothing stands behind it"),
        ("(OR x)", "OR", "nothing stands before it"),
        ("open NOT", "NOT", "nothing stands behind it"),
        ("NOT -x", "-", "it stands behind another one"),
        ("a /b(/ c", "/b(/", "it cannot be read: missing ): b("),
        ("x OR case:yes", "case:yes", "it holds for the whole query"),
        ("-rev:main", "rev:main", "it holds for the whole query"),
        ("(" * 1000 + "a" + ")" * 1000, "(", "more than 20 groups stand in each other"),
    ],
)
def test_what_cannot_be_read_is_shown_with_its_place(
    typed: str, part: str, why: str
) -> None:
    with pytest.raises(FilterError) as refused:
        read_query(typed)

    error = refused.value
    assert typed[error.start : error.end] == part
    assert str(error).startswith(f"“{part}” at character {error.start + 1}: {why}")


@pytest.mark.parametrize(
    ("typed", "texts"),
    [
        ("a lang:go b", ["lang:go"]),
        ('a "b c" -d', ['"b c"', "-d"]),
        ("(a lang:go) -(b c)", ["lang:go", "-(b c)"]),
        ("a OR b", []),
        ("a b OR lang:go", ["a b OR lang:go"]),
        ("x (a OR -b)", ["a OR -b"]),
    ],
)
def test_the_conditions_are_what_leaves_something_out(
    typed: str, texts: list[str]
) -> None:
    assert [one.text for one in read_query(typed).filters] == texts


@pytest.mark.parametrize(
    ("typed", "dropped", "left"),
    [
        ("a AND lang:go AND b", "lang:go", "a AND b"),
        ("lang:go AND b", "lang:go", "b"),
        ("(lang:go AND b) c", "lang:go", "( b) c"),
        ("a ((lang:go)) b", "lang:go", "a b"),
        ("a -(b OR c) d", "-(b OR c)", "a d"),
        ("lang:go a OR b", "lang:go", "a OR b"),
        ("ANDROID AND lang:go ANDROID", "lang:go", "ANDROID ANDROID"),
    ],
)
def test_a_dropped_condition_takes_its_joints_with_it(
    typed: str, dropped: str, left: str
) -> None:
    (one,) = [one for one in read_query(typed).filters if one.text == dropped]

    assert drop_filters(typed, [one]) == left


def test_literals_are_those_that_are_asked_for_once_and_in_order() -> None:
    query = read_query('case:yes "a b" (/x+/ OR "c d") -"e f" -(g "h i") "a b"')

    assert query.literals == (
        Pattern("a b", has_case=True),
        Pattern("x+", is_regex=True, has_case=True),
        Pattern("c d", has_case=True),
    )


def test_other_words_keep_the_conditions_and_are_not_read() -> None:
    query = rephrase(read_query('lang:go "a b" -x save'), "-not OR (this")

    assert query.text == "-not OR (this"
    assert query.words == ("not", "OR", "this")
    assert [one.text for one in query.filters] == ["lang:go", '"a b"', "-x"]
    assert query.literals == (Pattern("a b"),)


SIGNS = st.text(st.sampled_from('ab1 ()"/\\-:.*[]|ANDORT\t\nlangcpth'), max_size=40)


@given(st.one_of(st.text(max_size=40), SIGNS))
def test_any_text_is_read_or_refused_with_a_place_in_it(typed: str) -> None:
    places: list[FilterError | Node]
    try:
        places = [*read_query(typed).filters]
    except FilterError as error:
        places = [error]

    assert all(0 <= one.start < one.end <= len(typed) for one in places)


PIECES = st.sampled_from(
    [
        *("save", "f(x)", "f(", "a)", "a,", "-1", '"k":', "lang:go", "-lang:c"),
        *("path:a", '"b c"', "/d+/", "-x", '-"y z"', "-f(", "NOT (lang:go)"),
        *("(lang:go)", "(a AND path:b)", "((is:test) -q)", "(a OR lang:go)"),
        *("AND", "OR", "(", ")", "c:x"),
    ]
)


@given(st.lists(PIECES, max_size=10), st.data())
def test_a_query_without_some_of_its_conditions_can_be_read(
    words: list[str], data: st.DataObject
) -> None:
    typed = " ".join(words)
    try:
        filters = read_query(typed).filters
    except FilterError:
        return
    kept = data.draw(st.lists(st.sampled_from(filters))) if filters else []
    dropped = [one for one in filters if one not in kept]

    left = read_query(drop_filters(typed, dropped))

    stay = [one.text for one in filters if one in kept]
    assert [one.text for one in left.filters] == stay
