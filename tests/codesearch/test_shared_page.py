"""A shared result is shown as it was recorded, to those who may read all of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from codesearch import selectors, services
from codesearch.models import SearchRecord
from codesearch.views import shared as view
from indexer import files
from tests.codesearch.example_payload import REVISION, make_search, make_trace


@pytest.fixture
def record(db: None, monkeypatch: pytest.MonkeyPatch) -> SearchRecord:
    """Return a recorded search that everyone may read; its index is unchanged."""
    made = SearchRecord.objects.create(
        kind="search", query="format money", payload=make_search()
    )
    monkeypatch.setattr(selectors, "shared_record", lambda viewer, token: made)
    monkeypatch.setattr(selectors, "newer_builds", lambda viewer, record: [])
    monkeypatch.setattr(files, "read_texts", lambda viewer, wanted: {})
    monkeypatch.setattr(view, "repository_names", lambda viewer: ["shop"])
    return made


def test_the_recorded_numbers_are_shown(client: Client, record: SearchRecord) -> None:
    page = client.get(f"/s/{record.token}").content.decode()

    assert "frozen as it was recorded" in page
    assert "bm25 19.00" in page
    assert "The index has moved on" not in page


def test_code_that_is_gone_is_said_to_be_gone(
    client: Client, record: SearchRecord
) -> None:
    page = client.get(f"/s/{record.token}").content.decode()

    assert "its text at 4f9c2d17ab03 is no longer on this server" in page


def test_an_index_that_moved_on_is_said(
    client: Client, record: SearchRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = [{"repository": "shop", "recorded": REVISION, "current": "b" * 40}]
    monkeypatch.setattr(selectors, "newer_builds", lambda viewer, record: newer)

    page = client.get(f"/s/{record.token}").content.decode()

    assert "The index has moved on since" in page
    assert "<code>bbbbbbbbbbbb</code> now" in page


def test_a_recorded_result_can_be_seen_as_a_list(
    client: Client, record: SearchRecord
) -> None:
    address = f"/s/{record.token}"

    page = client.get(address, {"view": "list"}).content.decode()

    assert 'id="hit-6"' in page
    assert f'href="{address}">Cards' in page
    assert f'href="{address}?view=list" aria-current="true">List' in page


def test_it_can_be_run_again_in_the_same_scope(
    client: Client, record: SearchRecord
) -> None:
    page = client.get(f"/s/{record.token}").content.decode()

    assert "/?q=format+money&amp;repository=shop&amp;profile=symbol" in page


def test_a_trace_shows_its_verdict_as_recorded(
    client: Client, record: SearchRecord
) -> None:
    record.kind, record.payload = "trace", make_trace()

    page = client.get(f"/s/{record.token}").content.decode()

    assert "Died at the pool: outvoted" in page
    assert "as recorded" in page


def test_json_is_the_recorded_payload(client: Client, record: SearchRecord) -> None:
    response = client.get(f"/s/{record.token}", {"format": "json"})

    assert response.json() == make_search()


def test_who_may_not_read_it_does_not_learn_of_it(
    client: Client, record: SearchRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "shared_record", lambda viewer, token: None)

    assert client.get(f"/s/{record.token}").status_code == 404


def test_sharing_records_and_leads_to_the_record(
    client: Client, record: SearchRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    def share(**wish: Any) -> SearchRecord:  # Any: stands in for the service
        asked.append(wish)
        return record

    monkeypatch.setattr(services, "share", share)

    response = client.post(
        "/share/",
        {"kind": "trace", "q": "a", "target": ["b", "c"], "repository": "shop"},
    )

    assert response["Location"] == f"/s/{record.token}"
    assert asked[0]["targets"] == ["b", "c"]
    assert asked[0]["repositories"] == ["shop"]


def test_a_refusal_repeats_what_was_sent_as_plain_text(
    client: Client, record: SearchRecord
) -> None:
    wish = {"kind": "search", "q": "a", "repository": "<script>"}

    response = client.post("/share/", wish)

    assert response.status_code == 400
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert "“<script>”" in response.content.decode()


def test_sharing_without_a_query_is_refused(
    client: Client, record: SearchRecord
) -> None:
    client.force_login(User.objects.create_user("reader"))

    assert client.post("/share/", {"kind": "search"}).status_code == 400


def test_a_recorded_search_shows_its_filters_and_asks_repositories_by_their_name(
    client: Client, record: SearchRecord
) -> None:
    text = "repo:old"
    named = {"name": "repo", "value": "old", "negated": False, "text": text, "start": 6}
    record.payload = make_search(query=f"money {text}", filters=[named])

    page = client.get(f"/s/{record.token}").content.decode()

    assert 'chip__key">repo:</span><span class="chip__value">old<' in page
    assert "Remove filter" not in page
    assert 'href="/?q=money&amp;repository=shop&amp;profile=symbol"' in page


def test_a_record_from_before_there_were_filters_is_shown(
    client: Client, record: SearchRecord
) -> None:
    for key in ("filters", "in_scope", "without"):
        del record.answer[key]

    page = client.get(f"/s/{record.token}")

    assert page.status_code == 200
    assert "1,234 chunks" in page.content.decode()
