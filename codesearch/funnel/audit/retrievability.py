"""Retrievability: which chunks the pools of many queries never hold, and which often.

The score of a chunk is the number of pools that hold it (Azzopardi and Vinay 2008,
with the cumulative measure cut at the pool).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

HUBS = 10  # Those that are named.


@dataclass(frozen=True, slots=True)
class Retrievability:
    """How the places in the pools are spread over all `chunks`.

    `share` is that of the `never` ones. `gini` is 0 where each chunk is in equally many
    pools and nears 1 where one takes all; None if no pool holds any. `hubs` are the
    documents in most pools, with their number of pools, most first.
    """

    chunks: int
    never: int
    share: float
    gini: float | None
    hubs: tuple[tuple[str, int], ...]


def retrievability(pools: Iterable[Iterable[str]], chunks: int) -> Retrievability:
    """Return how `pools` are spread; a document counts once a pool.

    There are `chunks` documents in all, at least as many as the pools hold.
    """
    counts: Counter[str] = Counter()
    for pool in pools:
        counts.update(set(pool))
    chunks = max(chunks, len(counts))
    never = chunks - len(counts)
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:HUBS]
    share = never / chunks if chunks else 0.0
    return Retrievability(chunks, never, share, gini(counts.values(), chunks), (*most,))


def gini(counts: Iterable[int], size: int) -> float | None:
    """Return the Gini coefficient of counts from 0; those up to `size` not given are 0.

    It is the mean absolute difference of two of them over twice their mean.
    """
    rising = sorted(counts)
    total = sum(rising)
    if not total:
        return None
    zeros = size - len(rising)
    weighted = sum(
        (2 * place - size - 1) * count
        for place, count in enumerate(rising, start=zeros + 1)
    )
    return weighted / (size * total)
