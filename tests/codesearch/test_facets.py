"""Facets count the ranked chunks, and each leads to a query that keeps only those."""

from __future__ import annotations

from codesearch.pages.facets import Facet, facets, narrow
from codesearch.payloads import Payload
from tests.codesearch.example_payload import make_hit, make_search


def found(*paths: str, **more: object) -> dict[str, Facet]:
    """Return the facets of hits in these files, by title."""
    hits = [make_hit(n, n, path, f"f{n}") for n, path in enumerate(paths, 1)]
    payload: Payload = make_search(hits=hits, **more)
    return {one.title: one for one in facets(payload, str)}


def rows(facet: Facet) -> list[tuple[str, int]]:
    """Return values and counts."""
    return [(one.label, one.count) for one in [*facet.shown, *facet.more]]


def test_a_folder_is_one_below_what_all_paths_share() -> None:
    paths = ("a/b/x/1.py", "a/b/x/y/2.py", "a/b/z/3.py", "a/b/4.py")

    folder = found(*paths)["Folder"]

    assert rows(folder) == [("a/b/x/", 2), ("a/b/z/", 1)]
    assert folder.shown[0].url == "format money path:a/b/x/"


def test_what_all_have_narrows_nothing() -> None:
    assert found("a/1.py", "a/2.py") == {}
    assert found() == {}


def test_the_most_frequent_come_first_and_equal_ones_by_name() -> None:
    paths = [f"{name}/x.py" for name in "cbbaadddefgh"]

    folder = found(*paths)["Folder"]

    assert [one.label for one in folder.shown] == ["d/", "a/", "b/", "c/", "e/", "f/"]
    assert [one.label for one in folder.more] == ["g/", "h/"]


def test_a_value_that_is_asked_for_leads_back() -> None:
    row = {
        **{"name": "kind", "value": "function", "negated": False},
        **{"text": "kind:function", "start": 0},
    }

    facet = found("a.py", query="kind:function money", filters=[row])["Kind"]

    assert [(one.label, one.is_on, one.url) for one in facet.shown] == [
        ("function", True, "money")
    ]


def test_a_value_with_signs_stands_in_quotation_marks() -> None:
    folder = found("a b/1.py", 'c"(d/2.py')["Folder"]

    assert [one.url for one in folder.shown] == [
        'format money path:"a b/"',
        'format money path:"c\\"(d/"',
    ]


def test_a_folder_with_signs_of_a_glob_is_meant_as_it_is() -> None:
    row = {
        **{"name": "path", "value": "app/\\[id]/", "negated": False},
        **{"text": "path:app/\\[id]/", "start": 6},
    }
    paths = ("app/[id]/a.ts", "app/[id]/b.ts", "app/(x)/c.ts")

    folder = found(*paths)["Folder"]
    asked = found(*paths, query="money path:app/\\[id]/", filters=[row])["Folder"]

    assert [one.url for one in folder.shown] == [
        "format money path:app/\\[id]/",
        'format money path:"app/(x)/"',
    ]
    assert (asked.shown[0].is_on, asked.shown[0].url) == (True, "money")


def test_a_condition_holds_for_all_of_an_or() -> None:
    assert narrow("open OR close", "lang:go") == "(open OR close) lang:go"
    assert narrow("(open OR close) x", "lang:go") == "(open OR close) x lang:go"


def test_marks_and_languages_are_counted_each() -> None:
    hits = [
        make_hit(1, 1, "a.py", "f", marks=["test", "example"]),
        make_hit(2, 2, "a.go", "g", marks=["test"], language="go"),
        make_hit(3, 3, "a.py", "h", language=""),
    ]

    by_title = {one.title: one for one in facets(make_search(hits=hits), str)}

    assert rows(by_title["Mark"]) == [("test", 2), ("example", 1)]
    assert rows(by_title["Language"]) == [("go", 1), ("python", 1)]
    assert by_title["Mark"].shown[0].url == "format money is:test"
