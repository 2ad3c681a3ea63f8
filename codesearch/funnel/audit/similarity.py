"""Similarity: how alike two ranked lists are, whatever was wanted."""

from __future__ import annotations

from collections.abc import Sequence

FIRST = 10  # A page.


def overlap(a: Sequence[str], b: Sequence[str], first: int = FIRST) -> float | None:
    """Return the share of documents that two lists have in common in their first ones.

    It divides by `first`, or by the longer list if that is shorter; None if both are
    empty.
    """
    longest = min(first, max(len(a), len(b)))
    return len(set(a[:first]) & set(b[:first])) / longest if longest else None
