"""Legs: what each says of a target."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.pages.scores import (
    decimals,
    leg_style,
    raw_score,
    signed,
    within_query,
)
from codesearch.payloads import Payload

NO_VECTOR = "no vector yet"
WITHOUT = {"literal": "no line of it matches"}


@dataclass(frozen=True, slots=True)
class LegRow:
    """One leg's word on a target. `ran` is False where the leg did not run."""

    name: str
    style: str
    rank: int | None
    tie: int
    raw: str
    floor: str
    margin: str
    short: bool
    percentile: str
    normalised: str
    formula: str
    contribution: str
    outcome: str
    state: str
    glyph: str


def leg_row(name: str, target: Payload, trace: Payload) -> LegRow:
    """Return the row of one leg in a target's leg table."""
    leg = trace["legs"][name]
    seen = (target.get("legs") or {}).get(name)
    places = decimals(name)
    outside = (target.get("unfiltered_ranks") or {}).get(name) if not seen else None
    outcome, state, glyph = _outcome(name, leg, seen, outside)
    if name in target.get("unembedded", ()):
        outcome, state, glyph = NO_VECTOR, "warn", "warn"
    contributed = ((target["fused"] or {}).get("contributions") or {}).get(name)
    margin = seen["margin"] if seen else None
    weight = trace["config"]["weights"].get(name, 1.0)
    return LegRow(
        name=name,
        style=leg_style(name),
        rank=seen["rank"] if seen else None,
        tie=seen["tie_size"] if seen else 1,
        raw=_raw_of_part(name, seen) if seen else "–",
        floor="–" if leg["floor"] is None else f"{leg['floor']:.{places}f}",
        margin=signed(margin, places),
        short=margin is not None and margin < 0,
        percentile=percentile(seen),
        normalised=within_query(seen.get("normalised")) if seen else "–",
        formula=(
            f"{weight:g} / ({trace['config']['rrf_k']} + {seen['ordinal']:,})"
            if seen and contributed
            else ""
        ),
        contribution=f"{contributed:.6f}" if contributed else "–",
        outcome=outcome,
        state=state,
        glyph=glyph,
    )


def _raw_of_part(name: str, seen: Payload) -> str:
    """Return a raw score, with the part that has it where a later one does."""
    part = seen["part"] or 1
    raw = raw_score(name, seen["raw"])
    return f"{raw}, part {part}" if part > 1 else raw


def percentile(seen: Payload | None) -> str:
    """Return how much of the corpus is below a chunk, rounded down."""
    share = (seen or {}).get("percentile")
    if share is None:
        return "–"
    return f"{int(share * 10) / 10:.1f}%"


def _outcome(
    name: str, leg: Payload, seen: Payload | None, outside: int | None
) -> tuple[str, str, str]:
    """Return an outcome's words, state and glyph.

    `outside` is the unfiltered rank of a target that is out of scope.
    """
    if not leg["ran"]:
        return (leg["note"] or "did not run").rstrip("."), "none", "none"
    if outside:
        return f"out of scope; unfiltered rank {outside:,}", "target", "bad"
    if seen is None:
        return WITHOUT.get(name, "nothing of it"), "none", "none"
    if seen["in_leg"]:
        return "in the leg", "ok", "ok"
    return "below the floor", "target", "bad"
