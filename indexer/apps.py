"""The indexer app: from a registered repository to a published build."""

from __future__ import annotations

from django.apps import AppConfig


class IndexerConfig(AppConfig):
    """Django's entry point to the app."""

    name = "indexer"
