"""Pool: decide which chunks the reranker will see.

Fusion alone can outvote a leg that is sure: with three legs, two lukewarm ones
bury the first hit of the third. So each leg seats its own best chunks first,
and fusion fills only the seats that are left. Whatever the weights, a chunk
that some leg ranks at or above the guarantee is in the pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from codesearch.funnel.types import Config, Leg, Pool, Run


def fill_pool(legs: Sequence[Leg], fused: Run, config: Config) -> Pool:
    """Seat every leg's leading hits, then the best of `fused`, up to the size.

    A chunk that two legs guarantee takes one seat, entered by the leg that ranked
    it higher, the earlier leg on a tie. A config may guarantee more than there are
    seats: the lowest ordinals have them then.
    """
    size = config.pool_size
    running = [leg for leg in legs if leg.ran]
    guarantee = guaranteed(len(running), config)
    leading = [(hit, leg.name) for leg in running for hit in leg.run.hits[:guarantee]]
    first: dict[int, str] = {}
    for hit, name in sorted(leading, key=lambda pair: pair[0].ordinal):
        first.setdefault(hit.chunk, f"guarantee:{name}")

    entry = dict(islice(first.items(), size))
    for hit in fused.hits:
        if len(entry) == size:
            break
        entry.setdefault(hit.chunk, "fusion")
    return Pool(entry, guarantee, max(0, len(first) - size))


def guaranteed(legs: int, config: Config) -> int:
    """Return down to which ordinal the legs are sure of a seat.

    Half of the seats in equal shares for the legs that ran, where the config does not
    say. Raises ValueError if a leg's first hit would have no seat.
    """
    if config.guarantee is not None:
        return config.guarantee
    if config.pool_size < 2 * legs:
        raise ValueError(
            f"pool of {config.pool_size} cannot seat {legs} legs; raise the size"
        )
    return config.pool_size // (2 * legs) if legs else 0


def entry_ranks(fused: Run, pool: Pool) -> dict[int, int]:
    """Map each chunk of the pool to its place there by fused order, from 1."""
    seated = (hit.chunk for hit in fused.hits if hit.chunk in pool.entry)
    return {chunk: place for place, chunk in enumerate(seated, 1)}
