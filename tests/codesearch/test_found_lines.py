"""Found lines: all lines of the files in scope that match, and no others."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from codesearch import found_lines
from codesearch.found_lines import find_lines
from codesearch.highlight import mark_spans
from codesearch.pages.found_lines import found_page
from codesearch.payloads import Payload
from indexer.access import ANYONE
from indexer.engines.exact import as_numbers, own_lines
from indexer.models import Build
from indexer.pipeline.full_texts import FullTexts
from indexer.pipeline.literals import Integers, Pattern, matching_lines
from indexer.places import full_texts_of


def find(query: str, **more: Any) -> Payload:
    return find_lines(viewer=ANYONE, query=query, **more)


def by_path(payload: Payload) -> dict[str, list[int]]:
    return {
        group["path"]: [line["number"] for line in group["lines"]]
        for group in payload["groups"]
    }


def test_lines_come_by_path_with_what_matches(shop: Build) -> None:
    payload = find("/money|sent/")

    assert by_path(payload) == {
        "billing/money.py": [1, 6, 7],
        "locale/de.po": [1],
        "notes.txt": [1],
    }
    assert (payload["lines"], payload["files"], payload["outside"]) == (5, 3, 1)
    assert payload["groups"][2]["lines"] == [
        {"number": 1, "text": "Invoices are sent at night.", "spans": [(13, 17)]}
    ]


def test_files_out_of_scope_are_not_looked_at(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bytes] = []

    def note(pattern: Pattern, data: bytes) -> Integers:
        asked.append(data)
        return matching_lines(pattern, data)

    monkeypatch.setattr("indexer.engines.exact.matching_lines", note)

    payload = find("/./ lang:python path:money")

    assert list(by_path(payload)) == ["billing/money.py"]
    assert len(asked) == 1


def test_a_line_that_several_literals_match_is_one(shop: Build) -> None:
    payload = find('"format" /form.*ney/ "amount"')

    assert by_path(payload) == {"billing/money.py": [1, 6, 7, 8]}
    assert payload["groups"][0]["lines"][1]["spans"] == [(4, 16), (17, 23)]


def test_conditions_of_files_narrow_and_others_are_told(shop: Build) -> None:
    assert by_path(find('"money" lang:python')) == {"billing/money.py": [1, 6, 7]}
    assert by_path(find('"money" -path:billing')) == {"locale/de.po": [1]}
    payload = find('"money" kind:class')
    assert payload["not_of_lines"] == ["kind:class"]
    assert payload["lines"] == 4


def test_what_is_left_out_is_quoted_as_typed(shop: Build) -> None:
    page = found_page(find('"money" sym:a..b'), str)
    assert page.sentences[-1].startswith("“sym:a..b” says nothing of files")


def test_pages_hold_so_many_lines_each(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(found_lines, "PAGE_LINES", 2)

    pages = [find('"money"', page=number) for number in (1, 2, 9)]

    assert [(page["page"], page["pages"]) for page in pages] == [(1, 2), (2, 2), (2, 2)]
    assert by_path(pages[0]) == {"billing/money.py": [1, 6]}
    assert by_path(pages[1]) == {"billing/money.py": [7], "locale/de.po": [1]}
    assert [group["count"] for group in pages[1]["groups"]] == [3, 1]


def test_what_was_not_looked_at_is_told(shop: Build) -> None:
    FullTexts(full_texts_of(shop.index.repository)).keep([])

    payload = find('"money"')

    assert payload["lines"] == 0
    assert payload["left_out"] != []


def test_files_without_an_indexed_text_are_counted(shop: Build) -> None:
    page = found_page(find('"money" lang:python'), str)

    assert page.sentences == ["1 file is not indexed, and not looked at."]


def test_the_page_links_each_line(shop: Build, client: Client) -> None:
    response = client.get("/", {"q": '"money" lang:python', "view": "lines"})

    text = response.content.decode()
    assert "<b>3 lines in 1 file</b>" in text
    link = f"/r/shop/blob/{shop.revision}/billing/money.py#L6"
    assert f'href="{link}"' in text
    assert "format_<mark>money</mark>" in text
    assert 'aria-current="true">Lines</a>' in text


def test_the_fragment_and_the_payload_say_the_same(shop: Build, client: Client) -> None:
    wish = {"q": '"money"', "view": "lines"}

    fragment = client.get("/", wish, headers={"HX-Request": "true"}).content.decode()
    payload = client.get("/", {**wish, "format": "json"}).json()

    assert '<div id="results">' in fragment
    assert "<html" not in fragment
    assert "4 lines in 2 files" in fragment
    assert (payload["lines"], payload["files"]) == (4, 2)


def test_lines_are_offered_where_there_is_a_literal(
    shop: Build, client: Client
) -> None:
    with_one = client.get("/", {"q": '"money" format'}).content.decode()
    without = client.get("/", {"q": "money format"}).content.decode()
    asked = client.get("/", {"q": "money format", "view": "lines"}).content.decode()

    assert ">Lines</a>" in with_one
    assert ">Lines</a>" not in without
    assert "the query holds none" in asked


@pytest.mark.parametrize("query", ["/(a/", "repo:nowhere /a/"])
def test_what_cannot_be_asked_is_a_sentence(
    shop: Build, client: Client, query: str
) -> None:
    response = client.get("/", {"q": query, "view": "lines"})

    assert response.status_code in (400, 404)
    assert 'role="alert"' in response.content.decode()


def test_markup_of_a_line_is_text_and_a_long_one_is_cut_about_its_match() -> None:
    line = mark_spans(3, "<b>" + "x" * 2000 + "needle" + "y" * 2000, [[2003, 2009]])

    assert "<mark>needle</mark>" in line.html
    assert line.html.startswith("… x")
    assert line.cut == 4009 - 500
    assert "&lt;b&gt;<mark>" in mark_spans(1, "<b>a", [[3, 4]]).html


class Spans:
    """As much of a catalogue as tells which lines are whose."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self.file_starts = np.array([0, len(spans)], np.int32)
        self.span_offsets = np.arange(len(spans) + 1)
        self.spans = np.array(spans, np.int32).reshape(-1, 2)


@given(
    st.lists(st.tuples(st.integers(1, 20), st.integers(0, 9)), max_size=6),
    st.sets(st.integers(1, 30)),
)
def test_own_lines_are_those_within_a_span(
    pairs: list[tuple[int, int]], lines: set[int]
) -> None:
    spans = [(first, first + more) for first, more in pairs]
    numbers = as_numbers(np.zeros(len(lines)), sorted(lines))

    found = own_lines(Spans(spans), numbers)  # type: ignore[arg-type] # Spans will do.

    assert found.tolist() == [
        any(first <= line <= last for first, last in spans) for line in sorted(lines)
    ]


def test_the_words_of_a_count_are_plain(shop: Build, client: Client) -> None:
    text = client.get("/", {"q": '"msgstr"', "view": "lines"}).content.decode()

    assert "1 line in 1 file" in text
    assert re.search(r"1 of the lines is of no chunk", text)


def test_cards_of_a_phrase_count_the_files_that_were_not_looked_at(
    client: Client, shop: Build
) -> None:
    told = "1 file is not indexed, and not looked at."

    assert told in client.get("/", {"q": '"money"'}).content.decode()
    assert told not in client.get("/", {"q": "money"}).content.decode()
