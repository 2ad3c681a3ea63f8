"""Fusion: one order for everything that any leg found.

Reciprocal rank fusion reads ordinals and ignores raw scores, so legs with
different units need no normalising.

Source: Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms
Condorcet and individual rank learning methods", SIGIR 2009.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codesearch.funnel.types import Config, Hit, Leg, Run


def fuse(
    legs: Sequence[Leg], config: Config
) -> tuple[Run, Mapping[int, Mapping[str, float]]]:
    """Return the union of the legs' lists as one run, and each leg's share in it.

    Units: a score is the sum of weight / (k + ordinal) over the legs that found
    the chunk. It orders one query's chunks and says nothing of how good they
    are. Ties go to the smaller chunk number.
    """
    shares: dict[int, dict[str, float]] = {}
    for leg in legs:
        weight = config.weight(leg.name)
        for hit in leg.run.hits:
            share = weight / (config.rrf_k + hit.ordinal)
            shares.setdefault(hit.chunk, {})[leg.name] = share

    scores = {chunk: _add(share) for chunk, share in shares.items()}
    order = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))
    hits = tuple(Hit(c, ordinal, scores[c]) for ordinal, c in enumerate(order, 1))
    return Run("fusion", hits), shares


def _add(share: Mapping[str, float]) -> float:
    """Return the sum in the order of the legs. `sum` rounds as its Python version."""
    total = 0.0
    for part in share.values():
        total += part
    return total


def tie_of(fused: Run, chunk: int) -> list[int]:
    """Return the chunks of the same fused score as `chunk`, itself among them."""
    score = fused.by_chunk[chunk].score
    return [hit.chunk for hit in fused.hits if hit.score == score]
