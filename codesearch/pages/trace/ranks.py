"""Ranks: where the targets and the leaders stood at each stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codesearch.pages.links import where_url
from codesearch.pages.scores import hit_name, leg_style
from codesearch.pages.trace.verdict import target_name
from codesearch.payloads import Payload, beneath

FIRST_HITS = 15  # More lines cannot be followed.
AFTER_LEGS = ("fused", "rerank", "card")


@dataclass(frozen=True, slots=True)
class Column:
    """One stage of the chart; `limit` is what its list or the pool takes."""

    name: str
    style: str
    limit: int | None


@dataclass(frozen=True, slots=True)
class RankLine:
    """One chunk: its rank in each column, None where it has none.

    `kept` tells in which columns it went on. `leads` are the legs whose first it is,
    `rank` is its final one, and `ended` says where it ended.
    """

    name: str
    url: str
    ranks: list[int | None]
    kept: list[bool]
    leads: list[str]
    is_target: bool
    rank: int | None
    ended: str


@dataclass(frozen=True, slots=True)
class RankFlow:
    """The columns and lines of the chart; `unplaced` have no rank at any stage."""

    columns: list[Column]
    lines: list[RankLine]
    unplaced: list[RankLine]


def rank_flow(trace: Payload) -> RankFlow:
    """Return the first hits, the first of each leg, and the targets, which end it."""
    wanted = {target["chunk"] for target in trace["targets"]}
    lines = [_line(trace, hit) for hit in _leaders(trace) if hit["chunk"] not in wanted]
    lines += [_line(trace, target, is_target=True) for target in trace["targets"]]
    placed = [line for line in lines if any(line.ranks)]
    unplaced = [line for line in lines if not any(line.ranks)]
    return RankFlow(_columns(trace), placed, unplaced)


def ending(chunk: Payload, trace: Payload) -> str:
    """Return where a chunk ended: "pool: outvoted", "page 2", "page one"."""
    if death := chunk.get("death"):
        reason = death["reason"].partition(":")[0].replace("_", " ")
        return f"{death['stage']}: {reason}"
    if chunk["card"] is None:
        return "folded" if chunk["pool"]["in"] else "cut by the pool"
    page = page_of(trace, chunk)
    return "page one" if page == 1 else f"page {page:,}"


def page_of(trace: Payload, chunk: Payload) -> int | None:
    """Return the page of cards that lists a chunk; records of before do not say."""
    if (card := chunk["card"]) is None:
        return None
    return 1 + int(card - 1) // int(trace["config"]["cards_per_page"])


def leads(chunk: Payload) -> list[str]:
    """Return the legs whose first a chunk is."""
    seen = (chunk.get("legs") or {}).items()
    return [name for name, leg in seen if leg and leg["in_leg"] and leg["ordinal"] == 1]


def _leaders(trace: Payload) -> Iterator[Payload]:
    for hit in trace["hits"]:
        if hit["rank"] <= FIRST_HITS or leads(hit):
            yield hit
        yield from (copy for copy in beneath(hit) if leads(copy))
    yield from trace.get("cut_leaders", ())


def _columns(trace: Payload) -> list[Column]:
    limits = {"fused": trace["config"]["pool"]}
    legs = [
        Column(name, leg_style(name), leg["depth"] or None)
        for name, leg in trace["legs"].items()
    ]
    return legs + [
        Column(name, "rerank" if name == "card" else name, limits.get(name))
        for name in AFTER_LEGS
    ]


def _line(trace: Payload, chunk: Payload, *, is_target: bool = False) -> RankLine:
    legs = [(chunk.get("legs") or {}).get(name) for name in trace["legs"]]
    fused, rerank = chunk["fused"] or {}, chunk["rerank"] or {}
    ranks = [leg["rank"] if leg else None for leg in legs]
    # Records of before do not say how deep a folded chunk stood in the pool.
    ranks += [
        fused.get("ordinal"),
        rerank.get("rank_out", chunk["rank"]),
        chunk["card"],
    ]
    kept = [bool(leg and leg["in_leg"]) for leg in legs]
    return RankLine(
        name=target_name(chunk) if is_target else hit_name(chunk),
        url=where_url(chunk),
        ranks=ranks,
        kept=[*kept, chunk["pool"]["in"], True, True],
        leads=leads(chunk),
        is_target=is_target,
        rank=chunk["rank"],
        ended=ending(chunk, trace),
    )
