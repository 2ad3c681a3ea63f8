"""Chunk map: functions as bars over the windows of their file, from its payload."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.payloads import Payload
from codesearch.plots.shapes import LETTER, Box, Text, shorten, tick_step
from indexer.pipeline.chunk_map import Fate

WIDTH = 1320
LEFT, RIGHT = 300.0, 900.0  # Of the lines of the file.
NAMES, LINES, FATES, WHOLE, SHARE = 20.0, 286.0, 960.0, 1080.0, 1312.0
TOP, ROW_HEIGHT, BAR = 84.0, 28.0, 14.0
WINDOW_ROWS = (30.0, 52.0)  # They overlap, so every other one is lower.
WINDOW_BAR = 18.0
LEAST = 1.5  # Width of a function of one line in a long file.
NAME_LETTERS = 29
AXIS, TICKS = 22.0, 8  # Where lines are numbered, and how often at most.
DRAWN = 200  # Functions; the table has all.


@dataclass(frozen=True, slots=True)
class MapMark:
    """A mark of a fate, in a square of ten."""

    x: float
    y: float
    css: str
    glyph: str


@dataclass(frozen=True, slots=True)
class MapPlot:
    """What the template draws, back to front; `lost` are dashed."""

    width: int
    height: float
    description: str
    bands: list[Box]
    windows: list[Box]
    rules: list[float]
    lost: list[Box]
    bars: list[Box]
    marks: list[MapMark]
    texts: list[Text]
    undrawn: int


MARKS = {
    Fate.INTACT: ("ok", "ok"),
    Fate.PADDED: ("warn", "warn"),
    Fate.FRAGMENTED: ("target", "bad"),
}


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where lines are: `at(n)` is the left edge of line n."""

    unit: float

    def at(self, line: int) -> float:
        return LEFT + (line - 1) * self.unit

    def box(self, css: str, first: int, last: int, y: float, height: float) -> Box:
        width = max((last - first + 1) * self.unit, LEAST)
        return Box(css, self.at(first), y, width, height)


def draw_map(found: Payload) -> MapPlot:
    """Return the plot of a map's first functions."""
    axis = _Axis((RIGHT - LEFT) / max(found["lines"] + found["shift"], 1))
    functions = found["functions"][:DRAWN]
    height = TOP + ROW_HEIGHT * len(functions) + 8
    plot = MapPlot(
        width=WIDTH,
        height=height,
        description=_description(functions),
        bands=[],
        windows=[],
        rules=[],
        lost=[],
        bars=[],
        marks=[],
        texts=_captions(found),
        undrawn=len(found["functions"]) - len(functions),
    )
    _draw_windows(plot, found, axis)
    for row, function in enumerate(functions):
        _draw_function(plot, function, TOP + ROW_HEIGHT * row, axis)
    return plot


def _description(functions: list[Payload]) -> str:
    return "; ".join(f"{one['symbol']}: {one['fate']}" for one in functions)


def _captions(found: Payload) -> list[Text]:
    window = found["window"]
    told = f"windows, {window['lines']} lines, {window['overlap']} shared"
    return [
        Text(LINES, 43, "end", "t-cap", told),
        Text(LINES, 74, "end", "t-cap", "functions"),
        Text(FATES, 74, "start", "t-cap", "as windows"),
        Text(WHOLE, 74, "start", "t-cap", "whole function in"),
        Text(SHARE, 74, "end", "t-cap", "share of that window"),
    ]


def _draw_windows(plot: MapPlot, found: Payload, axis: _Axis) -> None:
    """Draw each window with its lines; in a long file an axis of lines instead."""
    windows = found["windows"]
    longest = max((len(f"{first}–{last}") for first, last in windows), default=1)
    is_labelled = longest * LETTER <= found["window"]["lines"] * axis.unit
    for number, (first, last) in enumerate(windows):
        y = WINDOW_ROWS[number % 2]
        box = axis.box("f-fused-soft s-faint", first, last, y, WINDOW_BAR)
        plot.windows.append(box)
        depth = plot.height - TOP - 8
        plot.bands.append(axis.box("f-fused-soft", first, last, TOP, depth))
        if is_labelled:
            text = f"{first}–{last}"
            middle = box.x + box.width / 2
            plot.texts.append(Text(middle, y + 13, "middle", "t-s t-ink", text))
    if not is_labelled:
        lines = found["lines"] + found["shift"]
        step = int(tick_step(lines, TICKS)[0])
        for line in (1, *range(step, lines + 1, step)):
            x = axis.at(line)
            plot.texts.append(Text(x, AXIS, "middle", "t-s t-faint", f"{line:,}"))


def _draw_function(plot: MapPlot, one: Payload, y: float, axis: _Axis) -> None:
    fate, best = Fate(one["fate"]), one["window"]
    style, glyph = MARKS[fate]
    top, base = y + 7, y + 18
    first, last = one["start_line"], one["end_line"]
    plot.rules.append(y + ROW_HEIGHT)
    name = shorten(one["symbol"], NAME_LETTERS)
    plot.texts.extend(
        [
            Text(NAMES, base, "start", "t-mono t-ink", name),
            Text(LINES, base, "end", "t-s t-faint", f"{first}–{last}"),
            Text(FATES + 16, base, "start", "t-ink", fate),
            Text(SHARE, base, "end", "t-ink", f"{best['share']:.0%}"),
        ]
    )
    plot.marks.append(MapMark(FATES, y + 9, f"f-{style}", glyph))
    where = f"{best['start_line']}–{best['end_line']}"
    if fate is Fate.FRAGMENTED:
        told = f"none; {best['lines']} of {one['lines']} lines in {where}"
        plot.texts.append(Text(WHOLE, base, "start", "t-target", told))
        plot.lost.append(axis.box("f-surface s-target", first, last, top, BAR))
        held = max(first, best["start_line"]), min(last, best["end_line"])
        plot.bars.append(axis.box("f-target", *held, top, BAR))
    else:
        plot.texts.append(Text(WHOLE, base, "start", "t-ink", where))
        plot.bars.append(axis.box("f-dense", first, last, top, BAR))
