"""The codesearch app: everything that answers a query."""

from __future__ import annotations

from django.apps import AppConfig


class CodesearchConfig(AppConfig):
    """Django's entry point to the app."""

    name = "codesearch"
