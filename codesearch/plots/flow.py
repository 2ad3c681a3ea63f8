"""The rank flow: the leaders and the targets from stage to stage, on a log axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codesearch.pages.scores import leg_style
from codesearch.pages.trace.ranks import Column, RankFlow, RankLine
from codesearch.plots.shapes import Shape, Text, curve, shorten

LEFT, STEP = 76.0, 82.0
TOP, LEAST_HEIGHT = 74.0, 390.0
TO_NAMES, NAMES = 74.0, 230.0  # From the last column to the names, and their width.
NAME = 33  # Letters of a name.
LINE = 15.0  # Height of a name.
WIDE = 8  # Columns; with more the chart is wider than a card.

Height = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Dot:
    """A rank: "in" where the chunk went on, "out" where it did not."""

    kind: str
    css: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Flow:
    """Everything the template draws, back to front. `limit` is where the axis ends."""

    width: float
    height: float
    lines: list[Shape]
    dots: list[Dot]
    texts: list[Text]
    limit: int
    is_wide: bool
    left_out: list[str]
    description: str


def draw_flow(flow: RankFlow) -> Flow | None:
    """Return the chart, None without a line. Columns that no line has are left out."""
    if not flow.lines:
        return None
    shown = [i for i in range(len(flow.columns)) if any(r.ranks[i] for r in flow.lines)]
    columns = [flow.columns[i] for i in shown]
    xs = {i: LEFT + STEP * n for n, i in enumerate(shown)}
    limit = decade_after(max(rank for r in flow.lines for rank in r.ranks if rank))
    room = max(LEAST_HEIGHT, sum(map(_label_height, flow.lines)))
    end, bottom = xs[shown[-1]], TOP + room + LINE

    def height(rank: int) -> float:
        return TOP + room * math.log10(rank) / math.log10(limit)

    lines, texts = _frame(columns, limit, height, end)
    dots: list[Dot] = []
    for line in sorted(flow.lines, key=lambda line: (line.is_target, bool(line.leads))):
        lines += _path(line, xs, height)
        dots += _dots(line, xs, height)
    leaders, names = _names(flow.lines, xs, height, bottom)
    texts += names + _target_ranks(flow.lines, xs, height, bottom)
    return Flow(
        width=end + TO_NAMES + NAMES,
        height=bottom + 2,
        lines=leaders + lines,
        dots=dots,
        texts=texts,
        limit=limit,
        is_wide=len(shown) > WIDE,
        left_out=[c.name for c in flow.columns if c not in columns],
        description=_describe(flow),
    )


def decade_after(rank: int) -> int:
    """Return the power of ten at or after a rank; 10 at least."""
    return max(10, int(10 ** len(str(rank - 1))))


def _frame(
    columns: Sequence[Column], limit: int, height: Height, end: float
) -> tuple[list[Shape], list[Text]]:
    """Return grid, columns with their heads, and where lists and pool end."""
    lines: list[Shape] = []
    texts = [Text(8, 14, "start", "t-s", "rank, log scale")]
    marks = [n * 10**e for e in range(len(str(limit)) - 1) for n in (1, 2, 5)]
    for mark in [*marks, limit]:
        y = height(mark)
        lines.append(Shape("gridline", f"M{LEFT - 16} {y:.1f}H{end + 16}"))
        texts.append(Text(LEFT - 22, y + 4, "end", "t-s t-faint tick", f"{mark:,}"))
    for n, column in enumerate(columns):
        x = LEFT + STEP * n
        lines.append(Shape("axis", f"M{x} {TOP - 6}V{height(limit):.1f}"))
        texts += _head(column, x)
        if column.limit and column.limit <= limit:
            start, y = max(x - STEP / 2, LEFT - 16), height(column.limit)
            lines.append(Shape("cutline", f"M{start} {y:.1f}H{x + STEP / 2}"))
    return lines, texts


def _head(column: Column, x: float) -> list[Text]:
    """Return the lines over a column, the last one right above it."""
    name, _, embedder = column.name.partition(":")
    y = TOP - 28 - 14 * bool(embedder)
    texts = [Text(x, y, "middle", f"t-{column.style} t-cap", name)]
    if embedder:
        texts.append(Text(x, TOP - 28, "middle", "t-s t-faint", embedder))
    if column.limit:
        kind = "pool" if name == "fused" else "list"
        words = f"{kind} {column.limit:,}"
        texts.append(Text(x, TOP - 14, "middle", "t-s", words))
    return texts


def _style(line: RankLine) -> str:
    """Return the colour of a line: the target's, that of the leg it leads, or none."""
    if line.is_target:
        return "target"
    return leg_style(line.leads[0]) if line.leads else ""


def _points(
    line: RankLine, xs: dict[int, float], height: Height
) -> list[tuple[int, float, float]]:
    """Return (column, x, y) of each rank of a line."""
    return [(i, x, height(rank)) for i, x in xs.items() if (rank := line.ranks[i])]


def _path(line: RankLine, xs: dict[int, float], height: Height) -> list[Shape]:
    """Return a line's way: broken, with dots, where a stage has no rank of it."""
    style = _style(line)
    css = f"stroke s-{style} stroke--{'bold' if line.is_target else 'mid'}"
    if not style:
        css = "stroke stroke--thin s-faint"
    points = _points(line, xs, height)
    steps = list(xs)
    ways = []
    for (i, x1, y1), (j, x2, y2) in zip(points, points[1:], strict=False):
        gap = "" if steps.index(j) == steps.index(i) + 1 else " dot"
        ways.append(Shape(css + gap, curve(x1, y1, x2, y2)))
    return ways


def _dots(line: RankLine, xs: dict[int, float], height: Height) -> list[Dot]:
    style = _style(line)
    radius = 5.0 if line.is_target else 3.0 if style else 2.0
    return [
        Dot(
            "in" if line.kept[i] or not line.is_target else "out",
            f"f-{style or 'ink'}",
            x,
            y,
            radius,
        )
        for i, x, y in _points(line, xs, height)
    ]


def _target_ranks(
    lines: Sequence[RankLine], xs: dict[int, float], height: Height, end: float
) -> list[Text]:
    """Return the rank beside each point of a target, clear of others in its column."""
    texts = []
    for i, x in xs.items():
        ranks = sorted({r.ranks[i] or 0 for r in lines if r.is_target} - {0})
        wanted = [(height(rank) + 4, 13.0) for rank in ranks]
        for rank, y in zip(ranks, spread(wanted, end), strict=True):
            texts.append(Text(x + 9, y, "start", "t-target t-s", f"{rank:,}"))
    return texts


def _label_height(line: RankLine) -> float:
    return LINE * (2 if line.is_target else 1)


def _names(
    lines: Sequence[RankLine], xs: dict[int, float], height: Height, bottom: float
) -> tuple[list[Shape], list[Text]]:
    """Return the names beside the chart in the order in which the lines end there."""

    def last(line: RankLine) -> tuple[float, float]:
        _, x, y = _points(line, xs, height)[-1]
        return x, y

    order = sorted(lines, key=lambda line: (last(line)[1], line.rank or 0))
    at = spread([(last(line)[1] + 4, _label_height(line)) for line in order], bottom)
    shapes, texts = [], []
    start = max(xs.values()) + TO_NAMES
    for line, y in zip(order, at, strict=True):
        x, from_y = last(line)
        style = _style(line)
        css = "stroke stroke--thin s-line"
        if line.is_target:
            css = "stroke stroke--thin s-target dot"
        shapes.append(Shape(css, curve(x, from_y, start - 32, y - 4)))
        if line.rank:
            rank = f"{line.rank:,}"
            texts.append(Text(start - 6, y, "end", "t-s t-faint", rank))
        words = shorten(line.name, NAME)
        texts.append(Text(start, y, "start", f"t-mono t-{style or 'ink'}", words))
        if line.is_target:
            texts.append(Text(start, y + 13, "start", "t-target t-s", line.ended))
    return shapes, texts


def spread(wanted: Sequence[tuple[float, float]], end: float) -> list[float]:
    """Return where labels stand that want to stand at (y, height), in this order.

    Each where it wants or below the one before; from `end` up where they would run out.
    """
    placed: list[float] = []
    free = -math.inf
    for y, tall in wanted:
        placed.append(max(y, free))
        free = placed[-1] + tall
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], end - wanted[i][1])
        end = placed[i]
    return placed


def _describe(flow: RankFlow) -> str:
    said = []
    for line in flow.lines:
        if line.is_target:
            stages = zip(flow.columns, line.ranks, strict=True)
            ranks = ", ".join(f"{c.name} {rank:,}" for c, rank in stages if rank)
            said.append(f"{line.name}: {ranks}; {line.ended}.")
    return " ".join(said) or "No target has a rank."
