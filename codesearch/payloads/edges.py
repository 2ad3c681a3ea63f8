"""Edges: the chunks on either side of the cuts of a trace, as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from codesearch.catalogue import chunk_place
from codesearch.corpora import Searched
from codesearch.funnel.edges import (
    Tie,
    behind,
    leg_neighbours,
    leg_tie,
    overtakers,
    pool_cut,
    pool_neighbours,
    pool_tie,
)
from codesearch.funnel.legs import standings
from codesearch.funnel.types import Leg, Outcome, Standing
from codesearch.payloads import Payload

NAMED = 5  # Of the chunks that took the place of a target.


def describe_edges(payload: Payload, outcome: Outcome, searched: Searched) -> None:
    """Add to a trace its `edge`: that of the pool, and that of each leg.

    Rows are in the order of their list. `skipped` counts what stands between a row
    and the one before, `skipped_in` those of it that are in; `difference` is its score
    less that of the chunk directly above, None for the first.
    """
    wanted = [target for target in payload["targets"] if target["chunk"]]
    chunks = [_number(target, searched) for target in wanted]
    lost = [
        chunk
        for target, chunk in zip(wanted, chunks, strict=True)
        if (target["death"] or {}).get("stage") == "leg"
    ]
    payload["edge"] = {
        "pool": _pool_edge(outcome, searched, chunks),
        "legs": {leg.name: _leg_edge(leg, searched, lost) for leg in outcome.legs},
    }


def _number(target: Payload, searched: Searched) -> int:
    builds = [build.pk for build in searched.builds]
    start = searched.corpus.starts[builds.index(target["build"])]
    return start + int(target["ordinal"])


def _tie(found: Tie | None) -> Payload | None:
    return asdict(found) if found else None


def _pool_edge(outcome: Outcome, searched: Searched, chunks: Sequence[int]) -> Payload:
    """Return the cut of the pool; where all that was found is in, there is none."""
    cut = pool_cut(outcome)
    if cut is None:
        return {"cut": None, "tie": None, "below": 0, "rows": [], "lost": []}
    entry, hits = outcome.pool.entry, outcome.fused.hits
    rows = _fused_rows(outcome, searched, pool_neighbours(outcome, cut, chunks))
    last = next((h for h in reversed(hits) if entry.get(h.chunk) == "fusion"), None)
    lost = [c for c in chunks if c in outcome.fused.by_chunk and c not in entry]
    return {
        "cut": cut,
        "tie": _tie(pool_tie(outcome, cut)),
        "below": len(entry) - cut,
        "last": last and {"ordinal": last.ordinal, "score": last.score},
        "rows": rows,
        "lost": [_lost(outcome, searched, chunk, cut) for chunk in lost],
    }


def _lost(outcome: Outcome, searched: Searched, chunk: int, cut: int) -> Payload:
    """Return how far a chunk is from the cut, and who below it is in by guarantee."""
    passed = overtakers(outcome, chunk)
    return {
        "chunk": chunk_place(searched, chunk)["chunk"],
        "places": outcome.fused.by_chunk[chunk].ordinal - cut,
        "overtaken": len(passed),
        "by": [_named(outcome, searched, other) for other in passed[:NAMED]],
    }


def _named(outcome: Outcome, searched: Searched, chunk: int) -> Payload:
    return {
        **chunk_place(searched, chunk),
        "fused_ordinal": outcome.fused.by_chunk[chunk].ordinal,
        "via": outcome.pool.entry[chunk],
    }


def _fused_rows(
    outcome: Outcome, searched: Searched, chunks: Sequence[int]
) -> list[Payload]:
    hits, entry = outcome.fused.hits, outcome.pool.entry
    sizes = Counter(hit.score for hit in hits)
    found = {leg.name: standings(leg, chunks) for leg in outcome.legs}
    rows: list[Payload] = []
    for i, chunk in enumerate(chunks):
        hit = outcome.fused.by_chunk[chunk]
        previous = rows[-1]["fused_ordinal"] if rows else hit.ordinal - 1
        between = hits[previous : hit.ordinal - 1]
        above = hits[hit.ordinal - 2].score if hit.ordinal > 1 else None
        shares = outcome.contributions[chunk]
        rows.append(
            {
                **chunk_place(searched, chunk),
                "fused_ordinal": hit.ordinal,
                "score": hit.score,
                "tie_size": sizes[hit.score],
                "difference": None if above is None else hit.score - above,
                "legs": {
                    name: _place_in_leg(own[i], name in shares)
                    for name, own in found.items()
                },
                "pool": {"in": chunk in entry, "via": entry.get(chunk)},
                "skipped": len(between),
                "skipped_in": sum(other.chunk in entry for other in between),
            }
        )
    return rows


def _place_in_leg(seen: Standing | None, in_leg: bool) -> Payload | None:
    if seen is None:
        return None
    return {"ordinal": seen.ordinal, "tie_size": seen.tie_size, "in_leg": in_leg}


def _leg_edge(leg: Leg, searched: Searched, lost: Sequence[int]) -> Payload:
    """Return the end of a leg's list; its rows only where a target died below it."""
    edge: Payload = {"tie": _tie(leg_tie(leg)), "rows": []}
    below = [
        chunk
        for chunk, seen in zip(lost, standings(leg, lost), strict=True)
        if seen is not None and leg.floor is not None
    ]
    if below:
        edge["rows"] = _leg_rows(leg, searched, {*leg_neighbours(leg), *below})
    return edge


def _leg_rows(leg: Leg, searched: Searched, chunks: set[int]) -> list[Payload]:
    numbers = sorted(chunks)
    found = [
        (chunk, seen)
        for chunk, seen in zip(numbers, standings(leg, numbers), strict=True)
        if seen is not None
    ]
    rows: list[Payload] = []
    for chunk, seen in sorted(found, key=lambda pair: pair[1].ordinal):
        above = rows[-1]["leg_ordinal"] if rows else seen.ordinal - 1
        rows.append(
            {
                **chunk_place(searched, chunk),
                "leg_ordinal": seen.ordinal,
                "score": seen.raw,
                "tie_size": seen.tie_size,
                "difference": behind(leg, seen),
                "in_leg": seen.ordinal <= leg.depth,
                "skipped": seen.ordinal - above - 1,
            }
        )
    return rows
