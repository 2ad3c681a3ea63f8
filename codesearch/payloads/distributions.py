"""Distributions: what a trace says of a leg's scores beyond its list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from codesearch.funnel.distribution import Distribution, distribution
from codesearch.funnel.types import Leg
from codesearch.payloads import Payload, beneath


def describe_scores(payload: Payload, legs: Sequence[Leg]) -> None:
    """Add to a trace each leg's `distribution`, and the `z` of each chunk in it.

    Both are of the very scores that were ranked; None where there is none.
    """
    chunks = [row for hit in payload["hits"] for row in (hit, *beneath(hit))]
    chunks += [*payload["cut_leaders"], *payload["targets"]]
    for leg in legs:
        found = distribution(leg)
        payload["legs"][leg.name]["distribution"] = _as_json(found)
        for chunk in chunks:
            if (seen := chunk["legs"][leg.name]) is not None:
                seen["z"] = found.z(seen["raw"]) if found else None


def _as_json(found: Distribution | None) -> Payload | None:
    if found is None:
        return None
    lists = {"edges": list(found.edges), "counts": list(found.counts)}
    return asdict(found) | lists
