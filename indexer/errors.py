"""Errors the indexer raises on purpose; each message is shown to a person."""

from __future__ import annotations


class IndexingError(Exception):
    """The repository cannot be indexed; the message says what to do."""


class LeaseLost(Exception):
    """Another worker has taken this build over, or someone cancelled it."""
