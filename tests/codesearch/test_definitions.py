"""What a query names is listed by name: all of it, product code first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from codesearch import chunk_texts, services
from codesearch.payloads import definitions
from indexer.access import ANYONE
from indexer.models import Build
from indexer.pipeline.surfaces import load_texts
from tests.codesearch.example_payload import make_hit, make_search


def named(query: str) -> list[tuple[str, int, list[str]]]:
    """Return the definitions of a search: name, total, and symbols."""
    found = services.search(viewer=ANYONE, query=query)["definitions"]
    return [
        (one["name"], one["total"], [chunk["symbol"] for chunk in one["chunks"]])
        for one in found
    ]


def test_every_chunk_of_a_name_is_a_definition_with_its_signature(shop: Build) -> None:
    [one] = services.search(viewer=ANYONE, query="how does Invoice.total add up")[
        "definitions"
    ]

    assert (one["name"], one["total"]) == ("Invoice.total", 1)
    [chunk] = one["chunks"]
    assert (chunk["path"], chunk["kind"]) == ("billing/money.py", "method")
    assert chunk["signature"] == "def total(self)"


def test_the_signatures_of_a_build_are_read_at_once(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def load(stem: Path, ordinals: Sequence[int]) -> list[str]:
        read.append(len(ordinals))
        return load_texts(stem, ordinals)

    monkeypatch.setattr(chunk_texts, "load_texts", load)
    assert named("total") == [("total", 2, ["total", "Invoice.total"])]

    assert read == [2]


def test_what_has_the_name_in_full_comes_before_members(shop: Build) -> None:
    assert named("total") == [("total", 2, ["total", "Invoice.total"])]
    assert named("send") == [("send", 2, ["Report.send", "Invoice.send"])]


def test_a_plain_word_of_a_sentence_names_nothing(shop: Build) -> None:
    assert named("send the total to a customer") == []


def test_a_chunk_stands_under_the_first_of_its_names(shop: Build) -> None:
    assert named("Invoice.total format_money Invoice") == [
        ("Invoice.total", 1, ["Invoice.total"]),
        ("format_money", 1, ["format_money"]),
        ("Invoice", 1, ["Invoice"]),
    ]


def test_filters_hold_for_definitions_too(shop: Build) -> None:
    assert named("send path:exports") == [("send", 1, ["Report.send"])]


def test_more_than_fit_are_counted(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(definitions, "CHUNKS_SHOWN", 1)

    assert named("total") == [("total", 2, ["total"])]


def test_a_page_shows_the_first_and_leads_to_all(
    client: Client, monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    def chunk(n: int) -> dict[str, Any]:
        return make_hit(n, 1, "shop/a.py", f"A{n}.<b>") | {"signature": "def b(x: <i>)"}

    row = {"name": "b", "total": 9, "chunks": [chunk(n) for n in range(1, 6)]}
    found = make_search(definitions=[row])
    monkeypatch.setattr(services, "search", lambda **wish: found)

    page = client.get("/", {"q": "b"}).content.decode()

    assert "9 definitions of <code>b</code>" in page
    assert page.count("def b(x: &lt;i&gt;)") == 5
    third, more, fourth = map(page.index, ("A3.&lt;b", "2 more here", "A4.&lt;b"))
    assert third < more < fourth
    assert 'href="/?q=b+sym%3A%5Cbb%24&amp;view=list">All 9 in a list' in page
    assert page.index("definitions of") < page.index("Places to explore")
