"""Sweeps: where one target stood for each phrasing, and over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from codesearch.funnel.legs import DENSE
from codesearch.funnel.phrasings import (
    IN_POOL,
    LOST,
    ON_PAGE,
    Phrasing,
    sensitivity,
    spread,
)
from codesearch.funnel.types import Outcome, surface_of
from codesearch.payloads import Payload

KEPT = (  # Of a target as a trace tells it.
    *("chunk", "repository", "path", "path_url", "revision"),
    *("start_line", "end_line", "symbol", "kind"),
    *("fused", "pool", "rank", "card", "death"),
)


def phrasing_payload(
    phrasing: Phrasing, outcome: Outcome, target: Payload, band: str
) -> Payload:
    """Return one phrasing as JSON; `target` is what a trace says of the target.

    `query` is what was searched: its text, and the filters of the traced query.
    """
    floors = {leg.name: leg.floor for leg in outcome.legs}
    legs = {
        name: found and {**found, "floor": floors[name]}
        for name, found in target["legs"].items()
    }
    return {
        "text": phrasing.text,
        "query": outcome.query.typed,
        "origin": phrasing.origin,
        "source": phrasing.kind,
        "leaks": phrasing.leaks,
        **{key: target.get(key) for key in KEPT},
        "legs": legs,
        "cosines": _cosines(legs),
        "end": _end(target),
        "closeness": band,
    }


def summary_payload(rows: Sequence[Payload]) -> Payload:
    """Return what the phrasings say together, those that leak left out.

    `ranks` has the spread over each leg's rank, the fused ordinal and the final rank.
    """
    fair = [row for row in rows if not row["leaks"]]
    ends = [row["end"] for row in fair]
    columns = {
        name: [_rank(row["legs"][name]) for row in fair]
        for name in (fair[0]["legs"] if fair else ())
    }
    columns["fused"] = [row["fused"] and row["fused"]["ordinal"] for row in fair]
    columns["final"] = [row["rank"] for row in fair]
    is_sensitive, sentence = sensitivity(ends)
    return {
        "phrasings": len(fair),
        "ranks": {name: asdict(spread(ranks)) for name, ranks in columns.items()},
        "on_page": ends.count(ON_PAGE),
        "in_pool": ends.count(ON_PAGE) + ends.count(IN_POOL),
        "sensitive": is_sensitive,
        "ends": sentence,
    }


def _rank(found: Payload | None) -> int | None:
    return found["rank"] if found else None


def _cosines(legs: Payload) -> Payload:
    """Return the cosine of each surface, None without a vector, and their difference.

    The difference is purpose less body. Of several embedders one knows the chunk.
    """
    found: Payload = dict.fromkeys(DENSE)
    for name, leg in legs.items():
        if leg and (surface := surface_of(name)) in found:
            kept = {key: leg[key] for key in ("raw", "floor", "in_leg")}
            found[surface] = {"leg": name, **kept}
    purpose, body = found["purpose"], found["body"]
    both = purpose and body
    return {**found, "difference": purpose["raw"] - body["raw"] if both else None}


def _end(target: Payload) -> str:
    if target["death"] is None:
        return ON_PAGE
    return IN_POOL if target["pool"]["in"] else LOST
