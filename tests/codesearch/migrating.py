"""Our tables as they were before a migration, for what it does to rows of then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

Apps = Any  # Any: the models of a state are made at run time


def migrate(target: tuple[str, str]) -> Apps:
    """Move our tables; those of the indexer stay as they are."""
    executor = MigrationExecutor(connection)
    targets = [target, *executor.loader.graph.leaf_nodes("indexer")]
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


def migrate_on() -> None:
    """Move all tables to where they are now."""
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


@contextmanager
def tables_at(target: tuple[str, str]) -> Iterator[Apps]:
    """Make our tables anew as they were at `target`: data does not move back."""
    with connection.schema_editor() as editor:
        for table in connection.introspection.table_names():
            if table.startswith("codesearch_"):
                name = editor.quote_name(table)
                editor.execute(editor.sql_delete_table % {"table": name})
    MigrationRecorder(connection).migration_qs.filter(app="codesearch").delete()
    yield migrate(target)
    migrate_on()
