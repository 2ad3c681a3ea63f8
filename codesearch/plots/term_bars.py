"""The terms of a target as bars: what each added, beside the first and the floor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codesearch.pages.trace.terms import Compared, compared
from codesearch.payloads import Payload
from codesearch.plots.shapes import LETTER, Box, Shape, Text, shorten, tick_step

WIDTH = 640
LEFT, RIGHT = 130.0, 582.0
TOP, ROOM, BAR = 28.0, 46.0, 30.0  # Of the first bar; from bar to bar; of a bar.
NAME = 17  # Letters of a name, left of its bar.
TICKS = 6

Scale = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class TermBars:
    """Everything the template draws, back to front."""

    width: int
    height: float
    grid: list[Shape]
    boxes: list[Box]
    cuts: list[Shape]
    texts: list[Text]
    description: str


def draw_terms(trace: Payload, target: Payload) -> TermBars | None:
    """Return the bars of a target's terms, None where no chunk has any to show."""
    rows = compared(trace, target)
    longest = max((row.total or 0.0 for row in rows), default=0.0)
    if not longest:
        return None

    def scale(points: float) -> float:
        return LEFT + (RIGHT - LEFT) * points / longest

    foot = TOP + ROOM * (len(rows) - 1) + BAR + 14
    grid, texts = _axis(longest, scale, foot)
    cuts: list[Shape] = []
    floor = (trace["legs"].get("bm25") or {}).get("floor")
    if floor is not None and floor <= longest:
        x = scale(floor)
        cuts.append(Shape("cutline", f"M{x:.1f} 18V{foot:.1f}"))
        texts.append(Text(x, 12, "middle", "t-s t-ink", f"floor {floor:.2f}"))
    boxes: list[Box] = []
    for i, row in enumerate(rows):
        bars, labels = _bar(row, TOP + ROOM * i, scale)
        boxes += bars
        texts += labels
    description = "; ".join(map(_said, rows))
    return TermBars(WIDTH, foot + 22, grid, boxes, cuts, texts, description)


def _axis(longest: float, scale: Scale, foot: float) -> tuple[list[Shape], list[Text]]:
    step, places = tick_step(longest, TICKS)
    marks = [step * n for n in range(int(longest / step) + 1)]
    lines = [Shape("gridline", f"M{scale(mark):.1f} 22V{foot:.1f}") for mark in marks]
    css, y = "t-s t-faint tick", foot + 16
    texts = [
        Text(scale(mark), y, "middle", css, f"{mark:.{places}f}") for mark in marks
    ]
    return lines, [*texts, Text(WIDTH - 4, y, "end", "t-s t-faint", "bm25")]


def _bar(row: Compared, top: float, scale: Scale) -> tuple[list[Box], list[Text]]:
    """Return one chunk's bar, cut by terms, with its name and its sum."""
    css = "t-mono t-target" if row.is_target else "t-mono t-ink"
    name = Text(LEFT - 10, top + 14, "end", css, shorten(row.name, NAME))
    place = Text(LEFT - 10, top + 28, "end", "t-s t-faint", row.place)
    boxes, labels, reached = [], [name, place], 0.0
    for term in row.terms:
        if not term["tf"]:
            continue
        x, end = scale(reached), scale(reached + term["points"])
        reached += term["points"]
        boxes.append(Box("f-bm25 s-surface", x, top, end - x, BAR))
        labels += _inside(term, (x + end) / 2, end - x, top)
    total = "absent" if row.total is None else f"{row.total:.2f}"
    labels.append(Text(scale(reached) + 8, top + 19, "start", "t-b", total))
    return boxes, labels


def _inside(term: Payload, x: float, width: float, top: float) -> Sequence[Text]:
    """Return what is written in a piece of a bar: as much as there is room for."""
    lines = (term["term"], f"{term['points']:.2f}")
    return [
        Text(x, top + 13 + 12 * i, "middle", "t-on t-s", line)
        for i, line in enumerate(lines)
        if LETTER * len(line) + 4 <= width
    ]


def _said(row: Compared) -> str:
    held = [f"{term['term']} {term['points']:.2f}" for term in row.terms if term["tf"]]
    return f"{row.name}, {row.place}: {', '.join(held) or 'none of the terms'}"
