"""Similarity: how alike two ranked lists are, whatever was wanted."""

from __future__ import annotations

from collections.abc import Sequence

FIRST = 10  # A page.
PERSISTENCE = 0.9  # The first ten then weigh 86 % (Webber, Moffat and Zobel 2010).


def overlap(a: Sequence[str], b: Sequence[str], first: int = FIRST) -> float | None:
    """Return the share of documents that two lists have in common in their first ones.

    It divides by `first`, or by the longer list if that is shorter; None if both are
    empty.
    """
    longest = min(first, max(len(a), len(b)))
    return len(set(a[:first]) & set(b[:first])) / longest if longest else None


def rank_biased_overlap(
    a: Sequence[str], b: Sequence[str], persistence: float = PERSISTENCE
) -> float | None:
    """Return the extrapolated rank-biased overlap of two lists, 0 to 1.

    Webber, Moffat and Zobel 2010, equation 32: below the end of each list the agreement
    is taken to go on as it was there. A document is once in a list at most, and there
    are no ties. None if both are empty, 0 if one is.
    """
    short, long = sorted((a, b), key=len)
    if not short:
        return 0.0 if long else None
    shared = _shared(short, long)
    s, count = len(short), len(long)
    at_short, at_long = shared[s - 1], shared[-1]
    total = 0.0
    for depth in range(1, count + 1):
        agreement = shared[depth - 1] / depth
        if depth > s:
            agreement += at_short * (depth - s) / (s * depth)
        total += agreement * persistence**depth
    tail = (at_long - at_short) / count + at_short / s
    return (1 - persistence) / persistence * total + tail * persistence**count


def _shared(short: Sequence[str], long: Sequence[str]) -> list[int]:
    """Return how many documents both lists have in their first d, from d = 1."""
    seen: tuple[set[str], set[str]] = (set(), set())
    counts: list[int] = []
    for depth, document in enumerate(long):
        seen[0].add(document)
        seen[1].update(short[depth : depth + 1])
        new = {document, *short[depth : depth + 1]}
        common = counts[-1] if counts else 0
        counts.append(common + len(new & seen[0] & seen[1]))
    return counts
