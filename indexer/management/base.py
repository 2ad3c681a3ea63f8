"""What the commands have in common: they need a database of this version."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections
from django.db.migrations.executor import MigrationExecutor


class DatabaseCommand(BaseCommand):
    """A command that reads or writes tables, and says so where they are missing."""

    requires_migrations_checks = True

    def check_migrations(self) -> None:
        """Raise CommandError where the database is not that of this version."""
        if is_behind():
            raise CommandError(
                "The database is not up to date. Run `python manage.py setup` first, "
                "or start `python manage.py serve`, which does it."
            )


def is_behind() -> bool:
    """Tell whether the database lacks tables or changes of this version.

    Raises CommandError where it does not answer or its file cannot be written.
    """
    try:
        executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    except OperationalError as error:
        raise CommandError(
            f"The database cannot be used: {str(error).strip()}. "
            "Make the data folder writable, or start the server of DATABASE_URL."
        ) from error
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
