"""History: recall at the pool and on page one of a set's audits, oldest left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.plots.looks import LOOKS, Look, draw_line
from codesearch.plots.shapes import Drawing, Shape, Text

WIDTH, HEIGHT = 460.0, 170.0
LEFT, RIGHT, TOP, BOTTOM = 36.0, 366.0, 14.0, 144.0
LINE = 15.0
SERIES = (("pool", LOOKS["fusion"]), ("page", LOOKS["rerank"]))


@dataclass(frozen=True, slots=True)
class Point:
    """One audit: its number, and its recalls, None where it has no such stage."""

    audit: int
    pool: float | None
    page: float | None


def draw_history(points: Sequence[Point]) -> Drawing | None:
    """Return the lines of the points, oldest first; None of fewer than two."""
    if len(points) < 2:
        return None
    step = (RIGHT - LEFT - 12) / (len(points) - 1)
    xs = [LEFT + 6 + step * n for n in range(len(points))]
    shapes: list[Shape] = []
    texts: list[Text] = []
    for half in (0.0, 0.5, 1.0):
        y = _y_of(half)
        shapes.append(Shape("gridline", f"M{LEFT} {y:.1f}H{RIGHT}"))
        texts.append(Text(LEFT - 6, y + 4, "end", "t-s t-faint", f"{half:.1f}"))
    for x, point, anchor in (
        (xs[0], points[0], "start"),
        (xs[-1], points[-1], "end"),
    ):
        words = f"audit {point.audit}"
        texts.append(Text(x, BOTTOM + 18, anchor, "t-s t-faint", words))
    ends = []
    for name, look in SERIES:
        values = [getattr(point, name) for point in points]
        drawn = [(x, v) for x, v in zip(xs, values, strict=True) if v is not None]
        if drawn:
            shapes += draw_line(look, [(x, _y_of(value)) for x, value in drawn])
            ends.append((drawn[-1][1], name, look))
    texts += _names(ends)
    said = "; ".join(_said(point) for point in points)
    title = "Recall of the audits of this set"
    return Drawing(WIDTH, HEIGHT, shapes, texts, title, said)


def _y_of(value: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * value


def _names(ends: Sequence[tuple[float, str, Look]]) -> list[Text]:
    """Return the name and the last value of each line, clear of each other."""
    texts = []
    free = 0.0
    for value, name, look in sorted(ends, key=lambda end: (-end[0], end[1])):
        y = max(_y_of(value) + 4, free)
        free = y + LINE
        css = f"t-{look.style}"
        texts.append(Text(RIGHT + 10, y, "start", css, f"{name} {value:.3f}"))
    return texts


def _said(point: Point) -> str:
    known = [
        f"{name} {value:.3f}"
        for name, value in (("pool", point.pool), ("page", point.page))
        if value is not None
    ]
    return f"audit {point.audit}: {', '.join(known) or 'no recall'}"
