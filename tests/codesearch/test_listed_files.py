"""Conditions alone: what they leave is listed by path, and nothing is ranked."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from codesearch import listed_files
from codesearch.inquiry import is_of_conditions
from codesearch.listed_files import folders_of, list_files
from indexer.access import ANYONE
from indexer.models import Build

pytestmark = pytest.mark.django_db


def listed(query: str, page: int = 1) -> dict[str, Any]:  # Any: JSON
    return list_files(viewer=ANYONE, query=query, page=page)


def paths(query: str, page: int = 1) -> list[str]:
    return [group["path"] for group in listed(query, page)["groups"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lang:python", True),
        ("repo:shop file:test", True),
        ("-password lang:go", True),
        ("lang:python money", False),
        ('lang:python "money"', False),
        ("money", False),
        ("", False),
        ("lang:(", False),
    ],
)
def test_conditions_alone_are_told_from_a_query(query: str, expected: bool) -> None:
    assert is_of_conditions(query) is expected


def test_files_are_listed_by_path_with_their_chunks_in_scope(shop: Build) -> None:
    found = listed("lang:python kind:method")

    assert [
        (group["path"], [chunk["symbol"] for chunk in group["chunks"]])
        for group in found["groups"]
    ] == [
        ("billing/exports.py", ["Report.send"]),
        ("billing/money.py", ["Invoice.total", "Invoice.send"]),
    ]
    assert (found["files"], found["in_scope"]) == (2, 3)


def test_files_without_chunks_are_listed_by_conditions_on_files(shop: Build) -> None:
    assert paths("repo:shop") == [
        "billing/exports.py",
        "billing/money.py",
        "locale/de.po",
        "notes.txt",
    ]
    assert paths(r"file:\.po$") == ["locale/de.po"]
    assert paths("type:place path:billing") == [
        "billing/exports.py",
        "billing/money.py",
    ]
    assert paths("kind:window") == ["notes.txt"]
    assert paths("lang:go") == []


def test_a_word_that_is_not_wanted_is_a_condition(shop: Build) -> None:
    assert paths("-mail lang:python kind:function") == [
        "billing/exports.py",
        "billing/money.py",
    ]
    assert paths("-mail kind:method") == ["billing/money.py"]


def test_counts_are_of_files(shop: Build) -> None:
    counts = listed("lang:python")["counts"]

    assert counts["repo"] == {"shop": 2}
    assert counts["lang"] == {"python": 2}
    assert counts["kind"]["method"] == 2
    assert counts["kind"]["function"] == 2


def test_pages_follow_each_other_and_the_last_stands_for_later_ones(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listed_files, "PAGE_FILES", 3)

    assert paths("repo:shop", 2) == ["notes.txt"]
    assert paths("repo:shop", 9) == ["notes.txt"]
    assert listed("repo:shop", 9)["page"] == 2


def test_the_page_says_that_nothing_was_ranked(client: Client, shop: Build) -> None:
    page = client.get("/?q=lang:python+kind:method").content.decode()
    summary = page.partition('id="result-summary"')[2].partition("</p>")[0]

    assert "Not ranked" in summary
    assert "The query has no word to rank by" in summary
    assert "<b>2 files</b>" in summary
    assert "3 of 9 chunks in scope" in page
    assert "of the 2 files in scope" in page
    assert re.search(r'href="/r/shop/blob/[0-9a-f]+/billing/money.py#L18-L19"', page)


def test_a_list_is_paged_by_links_and_kept_from_other_views(
    client: Client, shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listed_files, "PAGE_FILES", 1)

    page = client.get("/?q=lang:python&view=lines").content.decode()

    assert 'href="/?q=lang%3Apython&amp;page=2" rel="next"' in page
    later = client.get("/?q=lang:python&page=2").content.decode()
    assert "billing/money.py" in later
    assert 'aria-label="billing/exports.py"' not in later


def test_nothing_that_meets_the_conditions_is_said(client: Client, shop: Build) -> None:
    page = client.get("/?q=lang:go").content.decode()

    assert "No file meets all conditions." in page
    assert 'aria-label="Remove filter lang:go"' in page


def test_the_list_is_answered_as_json_too(client: Client, shop: Build) -> None:
    found = client.get("/?q=lang:python&format=json").json()

    assert (found["schema"], found["files"], found["query"]) == (1, 2, "lang:python")
    assert "hits" not in found


def test_what_ranks_still_asks_for_a_word(client: Client, shop: Build) -> None:
    answer = client.get("/trace/?q=lang:python&target=Invoice")

    assert answer.status_code == 400
    assert "says where to look" in answer.content.decode()


def test_a_folder_is_one_below_what_all_share() -> None:
    assert folders_of(["a/b/c/x.py", "a/b/d/e/y.py", "a/b/z.py"]) == [
        "a/b/c/",
        "a/b/d/",
        "",
    ]
