"""Looks: the colour, the mark and the dash of each stage of an audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.pages.scores import LEG_STYLES
from codesearch.payloads import Payload
from codesearch.plots.shapes import Shape

OF_LEGS = ("dense", "purpose", "bm25", "symbol")  # In turn, for legs of other systems.


@dataclass(frozen=True, slots=True)
class Look:
    """How a stage is drawn; `mark` is also the name of its icon."""

    style: str
    mark: str
    dash: str


LOOKS = {
    "dense": Look("dense", "dense", ""),
    "purpose": Look("purpose", "purpose", "dash--long"),
    "bm25": Look("bm25", "bm25", "dash--short"),
    "symbol": Look("symbol", "symbol", "dash--two"),
    "literal": Look("literal", "literal", "dash--three"),
    "union": Look("ink", "union", "dot"),
    "fusion": Look("fused", "fused", "dash--mixed"),
    "pool": Look("ink", "fused", "dash--mixed"),
    "rerank": Look("rerank", "rerank", ""),
    "result": Look("ok", "result", "dash--long"),
    "card": Look("warn", "result", "dash--short"),
    "page": Look("ok", "result", ""),
}


def looks_of(stages: Sequence[Payload]) -> dict[str, Look]:
    """Return the look of each stage by name: a leg its own, the others by kind."""
    looks: dict[str, Look] = {}
    unknown = 0
    for stage in stages:
        name = stage["name"]
        key = stage["kind"]
        if key == "leg":
            known = LEG_STYLES.get(name.partition(":")[0])
            key = known or OF_LEGS[unknown % len(OF_LEGS)]
            unknown += not known
        looks[name] = LOOKS[key]
    return looks


def draw_line(look: Look, points: Sequence[tuple[float, float]]) -> list[Shape]:
    """Return the line of a stage through some points, with its mark at each."""
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    line = Shape(f"stroke stroke--mid s-{look.style} {look.dash}".strip(), f"M{path}")
    return [line, *(Shape(*draw_mark(look, x, y)) for x, y in points)]


def draw_mark(look: Look, x: float, y: float) -> tuple[str, str]:
    """Return the classes and the path of a stage's mark around a point."""
    solid, hollow = f"f-{look.style}", f"f-surface s-{look.style} stroke--mid"
    at = f"M{x:.1f} {y:.1f}"
    return {
        "dense": (solid, f"{at}m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0Z"),
        "purpose": (hollow, f"{at}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z"),
        "bm25": (solid, f"{at}m-3 -3h6v6h-6Z"),
        "symbol": (solid, f"{at}m0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4Z"),
        "literal": (solid, f"{at}m-3.4 3.6l3.6 -7.2h3.2l-3.6 7.2Z"),
        "fused": (solid, f"{at}m-4 -3h8l-4 7Z"),
        "rerank": (solid, f"{at}m-4 3h8l-4 -7Z"),
        "result": (hollow, f"{at}m-3 -3h6v6h-6Z"),
        "union": (f"s-{look.style} stroke", f"{at}m-4 0h8m-4 -4v8"),
    }[look.mark]
