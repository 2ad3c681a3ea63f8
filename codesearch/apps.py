"""The codesearch app: everything that answers a query."""

from __future__ import annotations

from django.apps import AppConfig


class CodesearchConfig(AppConfig):
    """Django's entry point to the app."""

    name = "codesearch"

    def ready(self) -> None:
        """Tell the indexer which builds it may not remove."""
        from codesearch.holding import held_builds
        from indexer.removal import keep_for

        keep_for(held_builds)
