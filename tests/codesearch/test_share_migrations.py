"""Results that were shared before a link was apart from its record stay in place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from codesearch.models import SearchRecord, ShareLink
from codesearch.opening import open_link
from codesearch.payloads import Payload
from codesearch.records import pack
from indexer.access import ANYONE, COMMAND_LINE
from tests.codesearch.migrating import Apps, migrate_on, tables_at

BEFORE = ("codesearch", "0008_experiments")
WHEN = datetime(2026, 6, 11, 9, 5, tzinfo=UTC)
FIRST = Path(__file__).parent / "records" / "search_1.json"


@pytest.fixture
def before(
    transactional_db: None, django_db_serialized_rollback: None
) -> Iterator[Apps]:
    with tables_at(BEFORE) as apps:
        yield apps


def save(apps: Apps, token: str, repository: int, **kept: object) -> None:
    """Save a record as it was made then."""
    records = apps.get_model("codesearch", "SearchRecord").objects
    record = records.create(
        kind="search", query="format money", token=token, digest=token, **kept
    )
    records.filter(pk=record.pk).update(created_at=WHEN)
    if repository:
        record.repositories.set([repository])


def payload_of(key: int) -> Payload:
    payload: Payload = json.loads(FIRST.read_text())
    payload["builds"][0]["repository_id"] = key
    return payload


def test_a_record_becomes_a_link_with_its_token_its_maker_and_its_time(
    before: Apps,
) -> None:
    shop = before.get_model("indexer", "Repository").objects.create(name="shop")
    ada = before.get_model("auth", "User").objects.create(username="ada")
    payload = payload_of(shop.pk)
    save(before, "packed", shop.pk, packed=pack(payload), created_by=ada)
    save(before, "first", shop.pk, payload=payload)

    migrate_on()

    packed, first = (ShareLink.objects.get(token=one) for one in ("packed", "first"))
    assert (packed.created_by_id, first.created_by_id) == (ada.pk, None)
    assert packed.created_at == first.created_at == WHEN
    assert packed.expires_at is packed.revoked_at is None
    assert packed.record.names == first.record.names == {str(shop.pk): "shop"}
    assert packed.record.answer == first.record.answer == payload
    assert open_link(ANYONE, "packed") is not None


def test_a_record_of_a_repository_that_is_gone_is_for_staff_alone(
    before: Apps,
) -> None:
    save(before, "gone", 0, payload=payload_of(77))

    migrate_on()

    assert SearchRecord.objects.get().names == {"77": "shop"}
    assert open_link(ANYONE, "gone") is None
    found = open_link(COMMAND_LINE, "gone")
    assert found is not None
    assert [(one.name, one.at) for one in found.removed] == [("shop", None)]
