"""A filter is read as one or refused in a sentence, and can be dropped again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.expression import FilterError, Not, name_of, value_of
from codesearch.funnel.filters import drop_filters
from codesearch.funnel.query import read_query


@pytest.mark.parametrize(
    ("typed", "filters", "rest"),
    [
        ("lang:python save", ["lang:python"], "save"),
        ("save lang:py", ["lang:python"], "save"),
        ("LANG:C++ save", ["lang:cpp"], "save"),
        ("save  -lang:go  cart", ["-lang:go"], "save cart"),
        ("path:DB/Models save", ["path:DB/Models"], "save"),
        ('path:"my files/a" save', ["path:my files/a"], "save"),
        ("-path:/tests/ save", ["-path:/tests/"], "save"),
        ("kind:Class kind:enum save", ["kind:class", "kind:enum"], "save"),
        ("is:test -is:generated a", ["is:test", "-is:generated"], "a"),
        ("repo:Shop save", ["repo:Shop"], "save"),
        ("lang:python", ["lang:python"], ""),
        ("path:a:b save", ["path:a:b"], "save"),
        ("std::sort http://x a:b", [], "std::sort http://x a:b"),
        ("path::Path kind::new", [], "path::Path kind::new"),
        ("path: str", [], "path: str"),
        ("f(path:str) xlang:go", [], "f(path:str) xlang:go"),
        ("count:int before:each --is:test", [], "count:int before:each --is:test"),
        ("f:a.py l:ts b:v1", ["file:a.py", "lang:typescript", "rev:v1"], ""),
        ("-r:shop type:symbol save", ["-repo:shop", "type:code"], "save"),
        ("  two  blanks ", [], "  two  blanks "),
        ("", [], ""),
    ],
)
def test_a_query_is_its_filters_and_the_rest(
    typed: str, filters: list[str], rest: str
) -> None:
    query = read_query(typed)

    found = [
        f"{'-' * isinstance(one, Not)}{name_of(one)}:{value_of(one)}"
        for one in query.filters
    ]
    assert (found, query.text, query.typed) == (filters, rest, typed)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (
            "save is:tests",
            "“is:tests” at character 6: no mark is called tests; there are test,"
            " generated, vendored, documentation, example, reexport.",
        ),
        (
            "kind:clas",
            "“kind:clas” at character 1: no kind is called clas; there are function,"
            " method, class, interface, enum, type, namespace, macro, property, module,"
            " section, file, window.",
        ),
        (
            "lang:pyhton",
            "“lang:pyhton” at character 1: no language is called pyhton;"
            " is python meant?",
        ),
        (
            "a -lang:xyzzy",
            "“lang:xyzzy” at character 4: no language is called xyzzy;"
            " try a file extension.",
        ),
        (
            'path:"a b',
            '“path:"a b” at character 1: nothing closes its quotation mark.',
        ),
        (
            "save -rev:main",
            "“rev:main” at character 7: it holds for the whole query, and can be"
            " neither negated nor in an OR.",
        ),
        (
            "path:src/[a",
            "“path:src/[a” at character 1: it cannot be read: nothing closes its [.",
        ),
        ("file:a(", "“file:a(” at character 1: it cannot be read: missing ): a(."),
        (
            "type:diff a",
            "“type:diff” at character 1: no type is called diff; there are code, place,"
            " doc.",
        ),
        (
            "x count:100",
            "“count:100” at character 3: results come in pages, and all are there;"
            " leave it out.",
        ),
        (
            "repo:has.file(a)",
            "“repo:has.file(a)” at character 1: predicates are not known; ask for a"
            " path or name.",
        ),
    ],
)
def test_a_value_that_a_filter_cannot_have_is_refused_with_its_place(
    typed: str, sentence: str
) -> None:
    with pytest.raises(FilterError) as refused:
        read_query(typed)

    assert str(refused.value) == sentence


def test_a_condition_too_many_is_refused_with_its_place() -> None:
    read_query("/a/ " * 40 + "and words that are no conditions")

    with pytest.raises(FilterError) as refused:
        read_query("(/a/ OR b) " * 19 + 'lang:go -path:"x y" /last/')

    assert str(refused.value) == (
        "“/last/” at character 230: a query has 40 conditions at most, and this is one"
        " more."
    )


def test_the_terms_and_names_of_a_query_are_those_of_its_rest() -> None:
    query = read_query("lang:python save_cart path:models")

    assert query.terms == read_query("save_cart").terms
    assert query.names == ("save_cart",)
    assert query.words == ("save_cart",)


def test_dropping_one_filter_leaves_the_others_as_typed() -> None:
    typed = "-lang:go save lang:go  KIND:class"
    _, second, _ = read_query(typed).filters

    assert drop_filters(typed, [second]) == "-lang:go save KIND:class"


FILTERS = {"lang", "path", "is", "kind"}
PIECES = ["save", "a:b", "--x", "lang:go", "-lang:py", "path:a", "is:test", "kind:file"]


@given(
    st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from([" ", "  ", "\t"])
)
def test_filters_and_rest_hold_every_word_once_in_order(
    words: list[str], blank: str
) -> None:
    query = read_query(blank.join(words))

    is_filter = [word.lstrip("-").partition(":")[0] in FILTERS for word in words]
    pairs = list(zip(words, is_filter, strict=True))
    assert [one.text for one in query.filters] == [w for w, known in pairs if known]
    assert query.text.split() == [word for word, known in pairs if not known]
