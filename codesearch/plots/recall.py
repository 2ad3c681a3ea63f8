"""Recall at k of each leg and after each stage, over a log axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from codesearch.payloads import Payload
from codesearch.plots.flow import spread
from codesearch.plots.looks import Look, draw_line, draw_mark, looks_of
from codesearch.plots.shapes import Drawing, Shape, Text, shorten

WIDTH, HEIGHT = 820.0, 372.0
LEFT, RIGHT, TOP, BOTTOM = 48.0, 630.0, 26.0, 318.0
NAMES = 662.0  # Where the names begin.
NAME = 17  # Letters of a name.
LINE = 15.0  # Height of a name.
CLOSE = 22.0  # Ticks nearer than that leave one of their numbers out.
NOT_DRAWN = ("card", "page")  # Another count, and a cut of what is drawn.

Scale = Callable[[float], float]


def draw_recall(payload: Payload) -> Drawing | None:
    """Return the curves, None where no stage has a recall."""
    curves = recall_curves(payload)
    if not curves:
        return None
    ks = sorted({k for curve in curves.values() for k in curve})
    looks = looks_of(payload["stages"])

    def x_of(k: float) -> float:
        return LEFT + (RIGHT - LEFT) * math.log(k) / math.log(max(ks[-1], 2))

    shapes, texts = _frame(ks, x_of)
    more, said = _cuts(payload["stages"], ks[-1], x_of)
    shapes, texts = shapes + more, texts + said
    for name, curve in curves.items():
        points = [(x_of(k), _y_of(value)) for k, value in curve.items()]
        shapes += draw_line(looks[name], points)
    ends = {name: list(curve.items())[-1] for name, curve in curves.items()}
    more, said = _names(ends, looks, x_of)
    last = "; ".join(f"{name} {value:.3f} at {k}" for name, (k, value) in ends.items())
    return Drawing(
        width=WIDTH,
        height=max(HEIGHT, TOP + LINE * len(ends)),
        shapes=shapes + more,
        texts=texts + said,
        title="Recall at k of each leg and stage",
        description=last,
    )


def recall_curves(payload: Payload) -> dict[str, dict[int, float]]:
    """Return the mean recall by k of each stage that is drawn."""
    kinds = {stage["kind"] for stage in payload["stages"]}
    hidden = {*NOT_DRAWN, *(("pool",) if "fusion" in kinds else ())}
    found = {}
    for stage in payload["stages"]:
        measured = payload["measures"].get(stage["name"])
        if stage["kind"] in hidden or not measured:
            continue
        means = {int(k): mean["mean"] for k, mean in measured["recall"].items()}
        curve = {k: value for k, value in sorted(means.items()) if value is not None}
        if curve:
            found[stage["name"]] = curve
    return found


def _y_of(value: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * value


def _frame(ks: Sequence[int], x_of: Scale) -> tuple[list[Shape], list[Text]]:
    """Return the grid with its numbers."""
    shapes, texts = [], []
    for quarter in range(5):
        y = _y_of(quarter / 4)
        shapes.append(Shape("gridline", f"M{LEFT} {y:.1f}H{RIGHT}"))
        texts.append(Text(LEFT - 8, y + 4, "end", "t-s t-faint", f"{quarter / 4:.2f}"))
    free = -math.inf
    for k in ks:
        x = x_of(k)
        shapes.append(Shape("axis", f"M{x:.1f} {BOTTOM}v4"))
        if x >= free:
            texts.append(Text(x, BOTTOM + 18, "middle", "t-s t-faint", str(k)))
            free = x + CLOSE
    texts.append(Text((LEFT + RIGHT) / 2, BOTTOM + 40, "middle", "t-s", "k, log scale"))
    texts.append(Text(14, 14, "start", "t-s", "recall at k"))
    return shapes, texts


def _cuts(
    stages: Sequence[Payload], most: int, x_of: Scale
) -> tuple[list[Shape], list[Text]]:
    """Return where the pool and page one end, if they end at a number."""
    cuts = [
        (stage["name"], stage["depth"])
        for stage in stages
        if stage["kind"] in ("pool", "page")
        and stage["depth"]
        and stage["depth"] <= most
    ]
    shapes = [Shape("cutline", f"M{x_of(k):.1f} {TOP}V{BOTTOM}") for _, k in cuts]
    texts = [Text(x_of(k) - 5, BOTTOM - 8, "end", "t-s", name) for name, k in cuts]
    return shapes, texts


def _names(
    ends: Mapping[str, tuple[int, float]], looks: Mapping[str, Look], x_of: Scale
) -> tuple[list[Shape], list[Text]]:
    """Return the names beside the ends of the curves, the best on top."""
    order = sorted(ends, key=lambda name: (-ends[name][1], name))
    wanted = [(_y_of(ends[name][1]) + 4, LINE) for name in order]
    shapes, texts = [], []
    for name, y in zip(order, spread(wanted, BOTTOM), strict=True):
        look, (k, value) = looks[name], ends[name]
        start = f"M{x_of(k) + 6:.1f} {_y_of(value):.1f}H{RIGHT + 6}"
        way = f"{start}L{NAMES - 16} {y - 4:.1f}"
        shapes.append(Shape(f"stroke stroke--thin s-{look.style}", way))
        shapes.append(Shape(*draw_mark(look, NAMES - 10, y - 4)))
        words = f"{shorten(name, NAME)} {value:.3f}"
        texts.append(Text(NAMES, y, "start", f"t-{look.style}", words))
    return shapes, texts
