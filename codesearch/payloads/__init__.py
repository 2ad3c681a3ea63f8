"""Payloads: what a search or trace found, as the JSON of the contract.

The one serialiser: pages, command line, API and shared records all show what
stands here. Schema 1; keys may be added under it, never renamed.
"""

from __future__ import annotations

from typing import Any

SCHEMA = 1

Payload = dict[str, Any]  # Any: JSON; its shape is the contract's, not mypy's.


def repository_then(row: Payload) -> str:
    """Return how the repository of a row was called when it was answered."""
    name: str = row.get("repository_then") or row["repository"]
    return name


def beneath(hit: Payload) -> list[Payload]:
    """Return what is folded under a hit; records of earlier versions have none."""
    return [*hit.get("copies", ()), *hit.get("re_exports", ())]
