"""What was lost, and where: all wanted targets as one bar, cut by stage."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.payloads import Payload
from codesearch.plots.shapes import (
    ROW,
    Drawing,
    Flag,
    Placed,
    Shape,
    Text,
    place_flags,
    rectangle,
)

WIDTH, EDGE = 1320.0, 4.0
BAR = 34.0
TALL = 9.0  # Of a letter.
STEM = 8.0  # From the bar to the lowest label.
INSIDE = 26.0  # A piece this wide holds its count.
WORDS = {"before": "no such chunk", "legs": "in no leg", "page": "not on page one"}
STYLES = {
    **{"before": "target", "leg": "target"},
    **{"fusion": "fused", "pool": "fused", "rerank": "rerank", "result": "warn"},
}


def draw_losses(losses: Payload) -> Drawing | None:
    """Return the bar of an audit's losses, None where nothing was wanted.

    Its labels stand above and below in turn, so that few stems pass one.
    """
    total = losses["total"]
    if not total or not losses["steps"]:
        return None
    pieces = [piece for piece in _pieces(losses) if piece[1]]
    scale = (WIDTH - 2 * EDGE) / total
    flags: list[Flag] = []
    x = EDGE
    for words, count, style in pieces:
        css = "t-s t-target" if style == "target" else "t-s t-ink"
        said = f"{words} {count:,} ({count / total:.3f})"
        flags.append(Flag(x + 2, said, css, "axis"))
        x += count * scale
    above, below = (place_flags(flags[side::2], EDGE, WIDTH - EDGE) for side in (0, 1))
    top, tail = _height(above), _height(below)
    shapes, texts = _bar(pieces, top, scale)
    for placed, y, step in (
        (above, top - STEM, -1),
        (below, top + BAR + STEM + TALL, 1),
    ):
        stems, labels = _labels(placed, y, step)
        shapes, texts = stems + shapes, texts + labels
    described = ", ".join(f"{words} {count:,}" for words, count, _ in pieces)
    return Drawing(
        width=WIDTH,
        height=top + BAR + tail,
        shapes=shapes,
        texts=texts,
        title="Wanted targets by where they were lost",
        description=f"{described}, of {total:,}",
    )


def _height(placed: Sequence[Placed]) -> float:
    """Return the room that labels take."""
    rows = max((one.row + 1 for one in placed), default=0)
    return 4 + (STEM + ROW * rows if rows else 0.0)


def _labels(
    placed: Sequence[Placed], start: float, step: int
) -> tuple[list[Shape], list[Text]]:
    """Return labels with stems to the bar, from `start` up (step -1) or down (1)."""
    shapes, texts = [], []
    for one in placed:
        y = start + step * ROW * one.row
        head, end = (y - TALL, start + STEM) if step < 0 else (y, start - STEM - TALL)
        shapes.append(Shape(one.flag.line, f"M{one.flag.x:.1f} {head:.1f}V{end:.1f}"))
        label = one.label
        texts.append(Text(label.x, y, label.anchor, label.css, label.text))
    return shapes, texts


def step_words(step: Payload) -> str:
    """Return what a step of the losses lost, in words."""
    return WORDS.get(step["name"]) or f"lost at {step['name']}"


def kept_words(step: Payload) -> str:
    """Return where what the last step kept is, in words."""
    return "on page one" if step["name"] == "page" else f"in {step['name']}"


def _pieces(losses: Payload) -> list[tuple[str, int, str]]:
    """Return (words, targets, style): those that arrived, then from late to early."""
    steps = losses["steps"]
    pieces = [(kept_words(steps[-1]), steps[-1]["kept"], "ok")]
    for step in reversed(steps):
        style = STYLES.get(step["kind"], "rerank")
        pieces.append((step_words(step), step["lost"], style))
    return pieces


def _bar(
    pieces: list[tuple[str, int, str]], top: float, scale: float
) -> tuple[list[Shape], list[Text]]:
    shapes, texts = [], []
    x = EDGE
    for _, count, style in pieces:
        width = count * scale
        shapes.append(rectangle(f"f-{style}-soft s-surface", x, top, width, BAR))
        if width >= INSIDE:
            middle = x + width / 2
            texts.append(Text(middle, top + 21, "middle", "t-b", f"{count:,}"))
        x += width
    return shapes, texts
