"""A record keeps the whole answer in few bytes; those of before stay readable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.test import Client

from codesearch import services
from codesearch.models import SearchRecord, ShareLink
from codesearch.payloads import Payload
from codesearch.records import VERSION, pack, unpack
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build
from tests.codesearch.links import link_to

FIRST = Path(__file__).parent / "records"  # Made by the services before version 2.


def share(kind: str = "trace", **more: object) -> ShareLink:
    wish = {"query": "format money", "targets": ["Report.send"]} | more
    return services.share(viewer=ANYONE, user=AnonymousUser(), kind=kind, **wish)  # type: ignore[arg-type] # by name


def old_record(kind: str, build: Build) -> ShareLink:
    """A record of the first version, of the build that there is."""
    payload = json.loads((FIRST / f"{kind}_1.json").read_text())
    payload["builds"][0] |= {
        "id": build.pk - 1,
        "repository_id": build.index.repository_id,
    }
    return link_to(kind, payload)


def test_a_record_gives_back_every_number_to_the_last_bit(shop: Build) -> None:
    wish = {"query": "format money total", "targets": ["Report.send", "logo.png"]}
    payload: Payload = services.trace(viewer=ANYONE, **wish)  # type: ignore[arg-type]
    as_json = json.loads(json.dumps(payload))

    packed = pack(payload)

    assert json.dumps(unpack(packed)) == json.dumps(as_json)
    assert json.loads(json.dumps(payload)) == as_json
    assert len(packed) * 5 < len(json.dumps(payload))


def test_a_record_says_its_version(client: Client, shop: Build) -> None:
    link = share()

    found = client.get(f"/s/{link.token}", {"format": "json"}).json()

    assert found["record"] == VERSION == 2
    assert SearchRecord.objects.get().payload is None


def test_a_record_is_packed_or_of_the_first_version(db: None) -> None:
    for values in ({}, {"payload": {}, "packed": b""}):
        with pytest.raises(IntegrityError), transaction.atomic():
            SearchRecord.objects.create(kind="search", query="a", **values)


@pytest.mark.parametrize("kind", ["search", "trace"])
def test_a_record_of_the_first_version_is_shown_and_marked(
    client: Client, shop: Build, kind: str
) -> None:
    link = old_record(kind, shop)

    page = client.get(f"/s/{link.token}").content.decode()
    listed = client.get(f"/s/{link.token}", {"view": "list"})
    found = client.get(f"/s/{link.token}", {"format": "json"}).json()

    assert "frozen as it was recorded" in page
    assert "The index has moved on since" in page
    assert 'id="hit-1"' in page
    assert listed.status_code == 200
    assert "record" not in found
    assert found["hits"][0]["symbol"] == "format_money"


def test_a_trace_of_the_first_version_shows_its_verdicts_and_no_new_section(
    client: Client, shop: Build
) -> None:
    link = old_record("trace", shop)

    page = client.get(f"/s/{link.token}").content.decode()

    assert "<code>Report.send</code> is number" in page
    assert "Died at the corpus: skipped (binary)" in page
    assert "Died at the corpus: data file" in page
    assert "Died at the corpus: not in repository" in page
    assert "Words of the query" not in page
    assert "Looking up" not in page


def test_a_record_of_a_build_that_is_gone_or_other_says_which(
    client: Client, shop: Build
) -> None:
    link = share()
    address = f"/s/{link.token}"
    assert "The index has moved on" not in client.get(address).content.decode()

    Build.objects.update(vectors_done=shop.vectors_done - 1)
    fewer = client.get(address).content.decode()
    again = indexing.request_build(index=shop.index, enqueue=False)
    indexing.finish_build(build=again)
    rebuilt = client.get(address).content.decode()
    shop.index.refresh_from_db()
    shop.index.current_build = None
    shop.index.save()
    gone = client.get(address).content.decode()

    assert "shop has more vectors now" in fewer
    assert f"shop was indexed again at <code>{shop.revision[:12]}</code>" in rebuilt
    assert "shop is no longer indexed" in gone


def test_a_shared_trace_keeps_the_settings_of_its_address(
    client: Client, shop: Build
) -> None:
    wish = {
        "kind": "trace",
        "q": "format money",
        "target": "billing/exports.py#L1-L9",
        "pool": "150",
        "off": "body",
    }

    page = client.post("/share/", wish, follow=True).content.decode()

    (kept,) = SearchRecord.objects.all()
    assert kept.answer["settings"] == [["pool", "150"], ["off", "body"]]
    assert kept.answer["targets"][0]["target"] == "billing/exports.py#L1-L9"
    assert (
        "/trace/?q=format+money&amp;repository=shop&amp;profile=symbol"
        "&amp;target=billing%2Fexports.py%23L1-L9&amp;pool=150&amp;off=body" in page
    )


def test_equal_answers_share_one_record(shop: Build) -> None:
    first, again = share(), share()

    assert again.record == first.record
    assert share(query="format").record != first.record
