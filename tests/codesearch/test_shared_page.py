"""A shared result is shown as it was recorded, to those who may read all of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from codesearch import selectors, services
from codesearch.models import ShareLink
from indexer import files
from indexer.models import Repository
from tests.codesearch.example_payload import REVISION, make_search, make_trace
from tests.codesearch.links import link_to


@pytest.fixture
def link(db: None, monkeypatch: pytest.MonkeyPatch) -> ShareLink:
    """Return a link to a search that everyone may read; its index is unchanged."""
    for key, name in ((1, "shop"), (2, "docs")):
        Repository.objects.create(pk=key, name=name, source=f"/srv/{name}")
    monkeypatch.setattr(selectors, "newer_builds", lambda viewer, answer: [])
    monkeypatch.setattr(files, "read_texts", lambda viewer, wanted: {})
    return link_to("search", make_search())


def test_the_recorded_numbers_are_shown(client: Client, link: ShareLink) -> None:
    page = client.get(f"/s/{link.token}").content.decode()

    assert "frozen as it was recorded" in page
    assert "bm25 19.00" in page
    assert "The index has moved on" not in page


def test_code_that_is_gone_is_said_to_be_gone(client: Client, link: ShareLink) -> None:
    page = client.get(f"/s/{link.token}").content.decode()

    assert "its text at 4f9c2d17ab03 is no longer on this server" in page


def test_an_index_that_moved_on_is_said(
    client: Client, link: ShareLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = [{"repository": "shop", "recorded": REVISION, "current": "b" * 40}]
    monkeypatch.setattr(selectors, "newer_builds", lambda viewer, answer: newer)

    page = client.get(f"/s/{link.token}").content.decode()

    assert "The index has moved on since" in page
    assert "<code>bbbbbbbbbbbb</code> now" in page


def test_a_recorded_result_can_be_seen_as_a_list(
    client: Client, link: ShareLink
) -> None:
    address = f"/s/{link.token}"

    page = client.get(address, {"view": "list"}).content.decode()

    assert 'id="hit-6"' in page
    assert f'href="{address}">Cards' in page
    assert f'href="{address}?view=list" aria-current="true">List' in page


def test_it_can_be_run_again_in_the_same_scope(client: Client, link: ShareLink) -> None:
    page = client.get(f"/s/{link.token}").content.decode()

    assert "/?q=format+money&amp;repository=shop&amp;profile=symbol" in page


def test_a_trace_shows_its_verdict_as_recorded(client: Client, link: ShareLink) -> None:
    link = link_to("trace", make_trace())

    page = client.get(f"/s/{link.token}").content.decode()

    assert "Died at the pool: outvoted" in page
    assert "as recorded" in page


def test_json_is_the_recorded_payload(client: Client, link: ShareLink) -> None:
    response = client.get(f"/s/{link.token}", {"format": "json"})

    assert response.json() == make_search()


def test_sharing_records_and_leads_to_the_record(
    client: Client, link: ShareLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    def share(**wish: Any) -> ShareLink:  # Any: stands in for the service
        asked.append(wish)
        return link

    monkeypatch.setattr(services, "share", share)

    response = client.post(
        "/share/",
        {"kind": "trace", "q": "a", "target": ["b", "c"], "repository": "shop"},
    )

    assert response["Location"] == f"/s/{link.token}"
    assert asked[0]["targets"] == ["b", "c"]
    assert asked[0]["repositories"] == ["shop"]


def test_a_refusal_repeats_what_was_sent_as_plain_text(
    client: Client, link: ShareLink
) -> None:
    wish = {"kind": "search", "q": "a", "repository": "<script>"}

    response = client.post("/share/", wish)

    assert response.status_code == 400
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert "“<script>”" in response.content.decode()


def test_sharing_without_a_query_is_refused(client: Client, link: ShareLink) -> None:
    client.force_login(User.objects.create_user("reader"))

    assert client.post("/share/", {"kind": "search"}).status_code == 400


def test_a_recorded_search_shows_its_filters_and_asks_repositories_by_their_name(
    client: Client, link: ShareLink
) -> None:
    text = "repo:old"
    named = {"name": "repo", "value": "old", "negated": False, "text": text, "start": 6}
    payload = make_search(query=f"money {text}", filters=[named])
    link.record.payload = payload
    link.record.save()

    page = client.get(f"/s/{link.token}").content.decode()

    assert 'chip__key">repo:</span><span class="chip__value">old<' in page
    assert "Remove filter" not in page
    assert 'href="/?q=money&amp;repository=shop&amp;profile=symbol"' in page


def test_a_record_from_before_there_were_filters_is_shown(
    client: Client, link: ShareLink
) -> None:
    for key in ("filters", "in_scope", "without"):
        del link.record.answer[key]
    link.record.save()

    page = client.get(f"/s/{link.token}")

    assert page.status_code == 200
    assert "1,234 chunks" in page.content.decode()
