"""Stages: how many chunks each kept, and whether the target was among them."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.pages.filters import chunks_in, chunks_in_scope
from codesearch.pages.scores import (
    rerank_depth,
)
from codesearch.pages.trace.legs import NO_VECTOR
from codesearch.payloads import Payload


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """One stage of the funnel; `kept` + `left_out` is what came in."""

    stage: str
    kept: int
    left_out: int | None
    reason: str
    target: str


def page_hits(trace: Payload) -> int:
    """Return how many hits page one shows."""
    cards: dict[int, int] = {}
    for hit in trace["hits"]:
        if hit["card"] <= trace["config"]["cards_per_page"]:
            cards[hit["card"]] = cards.get(hit["card"], 0) + 1
    shown = trace["config"]["chunks_per_card"]
    return sum(min(count, shown) for count in cards.values())


def funnel_rows(trace: Payload, target: Payload) -> list[FunnelRow]:
    """Return the counts of each stage; what is kept and left out adds up."""
    corpus, scope = chunks_in(trace), chunks_in_scope(trace)
    lists = {name: leg["listed"] for name, leg in trace["legs"].items()}
    pool, union, page = trace["pool"], trace["union"], page_hits(trace)
    filled = pool["filled"]
    died = (target["death"] or {}).get("stage")
    texts = [one["text"] for one in trace.get("filters", ())]
    by = " ".join(texts) or "no filter"
    rows = [
        FunnelRow("corpus", corpus, None, "all chunks indexed", _at("corpus", died)),
        FunnelRow("scope", scope, corpus - scope, by, _at("scope", died)),
    ]
    rows += [
        FunnelRow(
            f"{name} leg",
            lists[name],
            scope - lists[name],
            _list_reason(trace["legs"][name]),
            _leg_word(trace, target, name),
        )
        for name in lists
    ]
    twice = sum(lists.values()) - union
    legs = f"in no leg ({' + '.join(map(str, lists.values()))} − {twice} in several)"
    seats = f"{pool['by_guarantee']} by guarantee, {pool['by_fusion']} by fused order"
    rerank = rerank_depth(trace) or trace["rerank"]["kind"]
    folded = pool.get("folded", 0)
    later = f"{folded} copies and stubs, the rest on later cards or folded"
    rows += [
        FunnelRow("union", union, scope - union, legs, _at("union", died)),
        FunnelRow("pool", filled, union - filled, seats, _at("pool", died)),
        FunnelRow("rerank", filled, 0, rerank, _at("rerank", died)),
        FunnelRow("page one", page, filled - page, later, _at("page", died)),
    ]
    return rows


STAGES = ("corpus", "scope", "union", "pool", "rerank", "page")


# The first stage of the strip that does not hold a target any more.
LOST_AT = {"corpus": 0, "chunk": 0, "scope": 1, "leg": 2, "pool": 3, "page": 5}


def _at(stage: str, died: str | None) -> str:
    if died is None or STAGES.index(stage) < LOST_AT[died]:
        return "present"
    return "left out" if STAGES.index(stage) == LOST_AT[died] else "–"


def _list_reason(leg: Payload) -> str:
    if not leg["ran"]:
        return leg["note"] or "did not run"
    return f"depth {leg['depth']}, {leg['matched']:,} with evidence"


def _leg_word(trace: Payload, target: Payload, name: str) -> str:
    seen = (target.get("legs") or {}).get(name)
    if name in target.get("unembedded", ()):
        return NO_VECTOR
    if seen is None:
        return "–"
    word = "entered" if seen["in_leg"] else "left out"
    return f"{word}, rank {seen['rank']:,}"
