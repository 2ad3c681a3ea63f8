"""Weak and empty queries: noted without who asked, for staff alone, for some days."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from codesearch import weak_queries
from codesearch.models import Case, WeakQuery
from codesearch.weak_queries import band_of, forget_queries
from indexer.models import Build

pytestmark = pytest.mark.django_db

NOWHERE = "zzqqx"


def keep(query: str, band: str = "weak", repositories: str = "") -> WeakQuery:
    return WeakQuery.objects.create(query=query, band=band, repositories=repositories)


@pytest.mark.parametrize(
    ("hits", "band", "expected"),
    [
        ([], "nothing", "empty"),
        ([1], "nothing", "nothing"),
        ([1], "weak", "weak"),
        ([1], "close", ""),
        ([1], "uncalibrated", ""),
    ],
)
def test_what_is_weak(hits: list[int], band: str, expected: str) -> None:
    assert band_of({"hits": hits, "closeness": {"band": band}}) == expected


def test_a_query_without_a_hit_is_noted_once_an_answer(
    client: Client, shop: Build
) -> None:
    client.get("/", {"q": f"path:none/** {NOWHERE}", "repository": "shop"})

    row = WeakQuery.objects.get()
    assert (row.query, row.repositories) == (f"path:none/** {NOWHERE}", "shop")
    assert row.band == "empty"


def test_what_is_typed_or_paged_is_not_noted(client: Client, shop: Build) -> None:
    asked = {"q": f"path:none/** {NOWHERE}"}
    typing = {"HX-Request": "true", "HX-Source": "input#q"}

    client.get("/", asked, headers=typing)
    client.get("/", asked, headers=typing | {"HX-Source": "span#follows"})
    client.get("/", {**asked, "page": "2"})
    client.get("/", {**asked, "format": "json"})
    client.get("/", {"q": "total"})

    assert not WeakQuery.objects.exists()


def test_nothing_is_noted_where_the_setting_says_so(
    client: Client, shop: Build, settings: Settings
) -> None:
    settings.QUERY_DAYS = 0

    client.get("/", {"q": f"path:none/** {NOWHERE}"})

    assert not WeakQuery.objects.exists()


def test_a_failure_to_note_is_logged_and_the_answer_stands(
    client: Client,
    shop: Build,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(**_: object) -> None:
        raise DatabaseError("locked")

    monkeypatch.setattr(WeakQuery.objects, "create", fail)
    with caplog.at_level(logging.WARNING):
        answer = client.get("/", {"q": f"path:none/** {NOWHERE}"})

    assert answer.status_code == 200
    assert "a weak query was not noted" in caplog.text
    assert NOWHERE not in caplog.text


def test_only_staff_sees_them(client: Client) -> None:
    keep("secret plan")

    assert client.get("/queries/").status_code == 403
    assert client.post("/queries/forget/").status_code == 403
    client.force_login(User.objects.create_user("reader"))
    assert client.get("/queries/").status_code == 403
    assert "/queries/" not in client.get("/cases/").content.decode()


def test_they_are_counted_by_text_and_scope(staff: Client) -> None:
    for _ in range(3):
        keep("where is billing")
    keep("where is billing", "empty", "shop")

    page = " ".join(staff.get("/queries/").content.decode().split())

    assert page.count(">where is billing</a>") == 2
    assert '<td class="num">3</td>' in page
    assert "/trace/?q=where+is+billing&amp;repository=shop" in page
    assert "in the last 30 days" in page
    assert 'href="/queries/"' in staff.get("/cases/").content.decode()


def test_what_is_not_listed_is_said(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for query in ("old", "older", "new"):
        keep(query)
    assert "not listed" not in staff.get("/queries/").content.decode()
    monkeypatch.setattr(weak_queries, "SHOWN", 1)

    page = staff.get("/queries/").content.decode()

    assert page.count(">Make a case<") == 1
    assert "2 more queries were asked before and are not listed." in page
    assert "counted are the newest 5,000 times" in page


def test_a_case_is_made_of_one(staff: Client, shop: Build) -> None:
    keep("sum of rows", repositories="shop")

    staff.post(
        "/cases/save/",
        {
            "q": "sum of rows",
            "repository": "shop",
            "target": "Invoice.total",
            "expected": "on_page",
        },
    )

    assert Case.objects.get().query == "sum of rows"


def test_they_are_forgotten_in_time_and_when_asked(
    staff: Client, settings: Settings
) -> None:
    keep("old")
    WeakQuery.objects.update(asked_at=timezone.now() - timedelta(days=8))
    keep("new")
    settings.QUERY_DAYS = 7

    assert ">old</a>" not in staff.get("/queries/").content.decode()
    assert forget_queries() == 1
    assert WeakQuery.objects.get().query == "new"
    staff.post("/queries/forget/")
    assert not WeakQuery.objects.exists()
