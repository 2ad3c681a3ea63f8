"""Distributions: each leg's scores over the whole scope, in words and tables."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.funnel.types import surface_of
from codesearch.pages.filters import chunks_in_scope
from codesearch.pages.scores import decimals, leg_style, minus, signed
from codesearch.pages.trace.legs import percentile
from codesearch.pages.trace.verdict import target_name
from codesearch.payloads import Payload
from codesearch.plots.distribution import calibration_band

WORDS = 6  # Of the query, named where none of them is a symbol's.
# Why a chunk has no score in a leg.
WITHOUT = {
    "purpose": "have no vector of their purpose",
    "body": "have no vector of their text",
    "bm25": "hold no term",
    "symbol": "have none of these names",
    "literal": "have no line that matches",
}


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin: from a score up to, but not with, the next."""

    start: str
    end: str
    count: int


@dataclass(frozen=True, slots=True)
class TargetScore:
    """Where a target with a score stands in the distribution."""

    name: str
    raw: str
    rank: int
    z: str
    percentile: str


@dataclass(frozen=True, slots=True)
class LegScores:
    """One leg's scores. `sentence` says why there is no plot, "" where there is.

    `absent` names the targets without a score, as the others in order.
    """

    name: str
    style: str
    sentence: str
    note: str
    figures: list[tuple[str, str]]
    targets: list[TargetScore]
    absent: list[str]
    bins: list[Bin]
    unscored: int


def leg_scores(trace: Payload) -> list[LegScores]:
    """Return the distributions of a trace; none if it was recorded without them."""
    if not any("distribution" in leg for leg in trace["legs"].values()):
        return []
    return [_leg_scores(trace, name) for name in trace["legs"]]


def absent_of(trace: Payload) -> str:
    """Return the repository whose absent concepts are drawn, "" if none is."""
    if not any(calibration_band(trace, name) for name in trace["legs"]):
        return ""
    builds = trace["closeness"]["builds"]
    return str(next(one["repository"] for one in builds if one["decided"]))


def _leg_scores(trace: Payload, name: str) -> LegScores:
    found = trace["legs"][name]["distribution"] or {}
    places = decimals(name) + 1
    edges, counts = found.get("edges", ()), found.get("counts", ())
    unscored = found.get("unscored", 0)
    note = f"{unscored:,} chunks {WITHOUT[surface_of(name)]} and have no score"
    return LegScores(
        name=name,
        style=leg_style(name),
        sentence=_sentence(trace, name),
        note=note if unscored and counts else "",
        figures=_figures(trace, name) if counts else [],
        targets=[
            _target_score(name, row, seen)
            for row in trace["targets"]
            if (seen := (row.get("legs") or {}).get(name))
        ],
        absent=[
            target_name(row)
            for row in trace["targets"]
            if not (row.get("legs") or {}).get(name)
        ],
        bins=[
            Bin(f"{start:.{places}f}", f"{end:.{places}f}", count)
            for start, end, count in zip(edges, edges[1:], counts, strict=False)
        ],
        unscored=unscored,
    )


def _sentence(trace: Payload, name: str) -> str:
    """Return why a leg has no plot."""
    leg = trace["legs"][name]
    if not leg["ran"]:
        return f"No run: {leg['note'].rstrip('.') or 'nothing is known of it'}."
    if leg["distribution"]["counts"]:
        return ""
    if not chunks_in_scope(trace):
        return "No run: no chunk is in scope."
    words = [one["word"] for one in trace["words"]]
    if surface_of(name) == "symbol" and words:
        named = ", ".join(words[:WORDS])
        more = " or another word" if len(words) > WORDS else ""
        return f"No run: none of {named}{more} names a symbol in scope."
    return f"No run: all chunks in scope {WITHOUT[surface_of(name)]}."


def _figures(trace: Payload, name: str) -> list[tuple[str, str]]:
    """Return what is drawn or said beside the bins, with the places of the leg."""
    found = trace["legs"][name]["distribution"]
    places = decimals(name)
    rows = [
        ("first (ordinal 1)", found["first"]),
        (f"floor (ordinal {trace['legs'][name]['depth']})", found["floor"]),
        ("mean", found["mean"]),
        ("standard deviation", found["sd"]),
        ("lowest", found["min"]),
        ("highest", found["max"]),
    ]
    if band := calibration_band(trace, name):
        rows.append(("best of an absent concept, median", band[0]))
        rows.append(("best of an absent concept, 95% below", band[1]))
    return [
        (said, "–" if value is None else minus(f"{value:.{places}f}"))
        for said, value in rows
    ]


def _target_score(name: str, target: Payload, seen: Payload) -> TargetScore:
    z = seen["z"]
    return TargetScore(
        name=target_name(target),
        raw=f"{seen['raw']:.{decimals(name)}f}",
        rank=seen["rank"],
        z=signed(z, 2),
        percentile=percentile(seen),
    )
