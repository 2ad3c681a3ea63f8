"""Remove what nothing needs from the data folder: `manage.py collect`."""

from __future__ import annotations

from typing import Any

from indexer.garbage import collect_garbage
from indexer.management.base import DatabaseCommand


class Command(DatabaseCommand):
    """Do now what the worker does every hour."""

    help = "Remove old builds, leftovers of killed processes and old caches."

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own
        """Say what was removed."""
        freed = collect_garbage()
        self.stdout.write(
            f"Removed {freed.builds} old builds, {freed.folders} leftover folders of "
            f"builds, {freed.mirrors} of mirrors, {freed.texts} texts and "
            f"{freed.caches} caches: {freed.bytes / 1_000_000:,.1f} MB."
        )
