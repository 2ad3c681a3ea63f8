"""Edge: who stands on either side of the cut of the pool, and of a leg's list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.pages.links import where_url
from codesearch.pages.scores import hit_name, joined, minus, raw_score
from codesearch.payloads import Payload


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One chunk near a cut; `above` are the words for those left out above it.

    `legs` has (ordinal, tie size, whether it is in the list) for each leg. `kept`
    says how it came in, "" where it is out; `is_last` is True before the cut.
    """

    above: str
    name: str
    url: str
    path: str
    ordinal: int
    tie: int
    legs: list[Payload | None]
    score: str
    difference: str
    kept: str
    is_target: bool
    is_last: bool


@dataclass(frozen=True, slots=True)
class Edge:
    """The rows around one cut, and what there is to say of it."""

    name: str
    rows: list[EdgeRow]
    sentences: list[str]


def pool_edge(trace: Payload) -> Edge | None:
    """Return the edge of the pool, None in a record that was made without it."""
    if "edge" not in trace:
        return None
    found, pool = trace["edge"]["pool"], trace["pool"]
    if found["cut"] is None:
        return Edge("pool", [], [_no_cut(trace)])
    wanted = {target["chunk"] for target in trace["targets"]}
    rows = [
        _row(
            row,
            row["fused_ordinal"],
            f"{row['score']:.6f}",
            _difference(row["difference"]),
            (row["pool"]["via"] or "in") if row["pool"]["in"] else "",
            row["chunk"] in wanted,
            row["fused_ordinal"] == found["cut"],
        )
        for row in found["rows"]
    ]
    sentences = [
        f"The pool takes {pool['size']:,}: the first {pool['guarantee']} of each leg, "
        f"then the fused order, down to ordinal {found['cut']:,}."
    ]
    if found["below"]:
        sentences.append(
            f"{found['below']:,} below it {_are(found['below'])} in by guarantee."
        )
    sentences += tie_sentences(found["tie"], found["rows"])
    return Edge("pool", rows, sentences + [_lost(trace, one) for one in found["lost"]])


def leg_edges(trace: Payload) -> list[Edge]:
    """Return the edge of each leg below whose list a target died."""
    wanted = {target["chunk"] for target in trace["targets"]}
    edges = []
    for name, found in (trace.get("edge") or {"legs": {}})["legs"].items():
        depth = trace["legs"][name]["depth"]
        rows = [
            _row(
                row,
                row["leg_ordinal"],
                raw_score(name, row["score"]),
                _difference(row["difference"]),
                "in the list" if row["in_leg"] else "",
                row["chunk"] in wanted,
                row["leg_ordinal"] == depth,
            )
            for row in found["rows"]
        ]
        if rows:
            edges.append(Edge(name, rows, tie_sentences(found["tie"])))
    return edges


def tie_sentences(
    tie: Payload | None, rows: Sequence[Payload] = (), cut: str = "The cut"
) -> list[str]:
    """Return what is to be said of a cut inside a tie, with those of it that are known.

    `rows` are those of the pool's edge.
    """
    if tie is None:
        return []
    last = tie["first"] + tie["size"] - 1
    tied = f"ordinals {tie['first']:,} to {last:,} have the same score"
    known = [
        hit_name(row) for row in rows if tie["first"] <= row["fused_ordinal"] <= last
    ]
    names = f" ({joined(known)})" if len(known) == tie["size"] else ""
    return [
        f"{cut} falls inside a tie of {tie['size']:,}: {tied}{names} and stand in "
        f"the order of their paths and lines; {tie['kept']:,} of them "
        f"{_are(tie['kept'])} in."
    ]


def _row(
    row: Payload,
    ordinal: int,
    score: str,
    difference: str,
    kept: str,
    is_target: bool,
    is_last: bool,
) -> EdgeRow:
    return EdgeRow(
        above=_skipped(row, ordinal),
        name=hit_name(row),
        url=where_url(row),
        path=row["path"],
        ordinal=ordinal,
        tie=row["tie_size"],
        legs=list((row.get("legs") or {}).values()),
        score=score,
        difference=difference,
        kept=kept,
        is_target=is_target,
        is_last=is_last,
    )


def _skipped(row: Payload, ordinal: int) -> str:
    """Return "9 more, 205–213", with how many of them are in."""
    count = row["skipped"]
    if not count:
        return ""
    first, last = ordinal - count, ordinal - 1
    span = f"{first:,}" if first == last else f"{first:,}–{last:,}"
    inside = row.get("skipped_in") or 0
    kept = "all in" if inside == count else f"{inside:,} of them in"
    return f"{count:,} more, {span}" + (f"; {kept}" if inside else "")


def _difference(value: float | None) -> str:
    return "–" if value is None else minus(f"{value:.6f}")


def _no_cut(trace: Payload) -> str:
    union, size = trace["union"], trace["pool"]["size"]
    if not union:
        return "No leg found anything: the pool is empty, and nothing is cut."
    return (
        f"The pool has {size:,} places and the legs found {union:,} "
        f"chunk{'s' * (union != 1)}: nothing is cut."
    )


def _lost(trace: Payload, lost: Payload) -> str:
    """Return how far a target is from the cut, and who took its place."""
    row = next(r for r in trace["edge"]["pool"]["rows"] if r["chunk"] == lost["chunk"])
    last = trace["edge"]["pool"]["last"]
    places = lost["places"]
    said = f"{hit_name(row)} is {places:,} place{'s' * (places != 1)} below the cut"
    if last:
        gap = last["score"] - row["score"]
        said += f", {gap:.6f} below the last that fusion seated" if gap >= 0 else ""
    if not (count := lost["overtaken"]):
        return f"{said}."
    names = [f"{hit_name(o)} ({o['fused_ordinal']:,}, {o['via']})" for o in lost["by"]]
    more = [f"{count - len(names):,} more"] if count > len(names) else []
    return (
        f"{said}. {count:,} that stand{'s' * (count == 1)} below it in the fused order "
        f"{_are(count)} in, by guarantee: {joined(names + more)}."
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
