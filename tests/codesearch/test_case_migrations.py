"""Cases that were saved before there were sets move into sets of their repositories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from codesearch.cases import find_case
from indexer.access import COMMAND_LINE

BEFORE = ("codesearch", "0003_packed_records")
AFTER = ("codesearch", "0006_cases_live_in_sets")

Apps = Any  # Any: the models of a state are made at run time


def migrate(target: tuple[str, str]) -> Apps:
    """Move our tables; those of the indexer stay as they are."""
    executor = MigrationExecutor(connection)
    targets = [target, *executor.loader.graph.leaf_nodes("indexer")]
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


def migrate_on() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


@pytest.fixture
def before(
    transactional_db: None, django_db_serialized_rollback: None
) -> Iterator[Apps]:
    """The tables as they were: made anew, because cases do not move back."""
    with connection.schema_editor() as editor:
        for table in connection.introspection.table_names():
            if table.startswith("codesearch_"):
                name = editor.quote_name(table)
                editor.execute(editor.sql_delete_table % {"table": name})
    MigrationRecorder(connection).migration_qs.filter(app="codesearch").delete()
    yield migrate(BEFORE)
    migrate_on()


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
