"""Cases that were saved before there were sets move into sets of their repositories."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codesearch.cases import find_case
from indexer.access import COMMAND_LINE
from tests.codesearch.migrating import Apps, migrate, migrate_on, tables_at

BEFORE = ("codesearch", "0003_packed_records")
AFTER = ("codesearch", "0006_cases_live_in_sets")


@pytest.fixture
def before(
    transactional_db: None, django_db_serialized_rollback: None
) -> Iterator[Apps]:
    with tables_at(BEFORE) as apps:
        yield apps


def save(apps: Apps, query: str, names: list[str], count: int, **more: str) -> None:
    repositories = apps.get_model("indexer", "Repository").objects
    case = apps.get_model("codesearch", "Case").objects.create(
        query=query, targets=["a", "b"], repository_count=count, digest=query, **more
    )
    case.repositories.set(repositories.get_or_create(name=name)[0] for name in names)


def test_cases_move_into_the_sets_of_their_repositories(before: Apps) -> None:
    save(before, "pay", ["till", "shop"], 2)
    save(before, "send", ["till", "shop"], 2)
    save(before, "mail", ["till", "shop"], 2, profile="window")

    cases = migrate(AFTER).get_model("codesearch", "Case").objects

    pay, send, mail = (cases.get(query=query) for query in ("pay", "send", "mail"))
    assert pay.case_set == send.case_set != mail.case_set
    names = pay.case_set.repositories.values_list("name", flat=True)
    assert sorted(names) == ["shop", "till"]
    assert pay.case_set.name == "saved for shop, till"
    assert (pay.case_set.repository_count, mail.case_set.profile) == (2, "window")
    assert (pay.targets, pay.grades, pay.is_synthetic) == (["a", "b"], {}, False)
    assert pay.key == pay.digest[:12] != send.key


def test_a_case_whose_repository_is_gone_is_dropped(before: Apps) -> None:
    save(before, "pay", ["shop"], 2)
    save(before, "send", ["shop"], 1)

    apps = migrate(AFTER)

    cases = apps.get_model("codesearch", "Case").objects
    assert [case.query for case in cases.all()] == ["send"]
    assert apps.get_model("codesearch", "CaseSet").objects.count() == 1


def test_a_case_that_moved_is_found_by_its_question(before: Apps) -> None:
    save(before, "pay", ["shop"], 1)
    shop = before.get_model("indexer", "Repository").objects.get()

    migrate_on()

    moved = find_case(COMMAND_LINE, "pay", ["b", "a"], [shop.pk])
    assert moved is not None
    assert moved.case_set.name == "saved for shop"
