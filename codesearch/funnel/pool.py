"""Pool: decide which chunks the reranker will see.

Fusion alone can outvote a leg that is sure: with three legs, two lukewarm ones
bury the first hit of the third. So each leg seats its own best chunks first,
and fusion fills only the seats that are left. Whatever the weights, a chunk
that some leg ranks at or above the guarantee is in the pool.
"""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.funnel.types import Config, Leg, Pool, Run


def fill_pool(legs: Sequence[Leg], fused: Run, config: Config) -> Pool:
    """Seat every leg's leading hits, then the best of `fused`, up to the size.

    Half of the seats are guaranteed, in equal shares for the legs that ran. A
    chunk that two legs guarantee takes one seat, entered by the leg that ranked
    it higher, the earlier leg on a tie. Raises ValueError if a leg's first hit
    has no seat.
    """
    size = config.pool_size
    running = [leg for leg in legs if leg.ran]
    if size < 2 * len(running):
        raise ValueError(
            f"pool of {size} cannot seat {len(running)} legs; raise the size"
        )

    guarantee = size // (2 * len(running)) if running else 0
    leading = [(hit, leg.name) for leg in running for hit in leg.run.hits[:guarantee]]
    entry: dict[int, str] = {}
    for hit, name in sorted(leading, key=lambda pair: pair[0].ordinal):
        entry.setdefault(hit.chunk, f"guarantee:{name}")

    for hit in fused.hits:
        if len(entry) == size:
            break
        entry.setdefault(hit.chunk, "fusion")
    return Pool(entry, guarantee)
