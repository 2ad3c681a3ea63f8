"""What was lost, and where: all wanted targets as one bar, cut by stage."""

from __future__ import annotations

from codesearch.payloads import Payload
from codesearch.plots.shapes import ROW, Drawing, Flag, Shape, Text, place_flags
from codesearch.plots.shapes import rectangle as box

WIDTH, EDGE = 1320.0, 4.0
BAR = 34.0
STEM = 8.0  # From the bar to the lowest label.
INSIDE = 26.0  # A piece this wide holds its count.
WORDS = {"before": "no such chunk", "leg": "in no leg", "page": "not on page one"}
STYLES = {
    **{"before": "target", "leg": "target"},
    **{"fusion": "fused", "pool": "fused", "rerank": "rerank", "result": "warn"},
}


def draw_losses(losses: Payload) -> Drawing | None:
    """Return the bar of an audit's losses, None where nothing was wanted."""
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
    placed = place_flags(flags, EDGE, WIDTH - EDGE)
    top = 6 + ROW * (1 + max(one.row for one in placed)) + STEM
    shapes, texts = _bar(pieces, top, scale)
    for one in placed:
        y = top - STEM - ROW * one.row
        stem = Shape("axis", f"M{one.flag.x:.1f} {y - 9:.1f}V{top:.1f}")
        shapes.append(stem)
        label = one.label
        texts.append(Text(label.x, y, label.anchor, label.css, label.text))
    described = ", ".join(f"{words} {count:,}" for words, count, _ in pieces)
    return Drawing(
        width=WIDTH,
        height=top + BAR + 6,
        shapes=shapes,
        texts=texts,
        title="Wanted targets by where they were lost",
        description=f"{described}, of {total:,}",
    )


def step_words(step: Payload) -> str:
    """Return what a step of the losses lost, in words."""
    return WORDS.get(step["kind"]) or f"lost at {step['name']}"


def kept_words(step: Payload) -> str:
    """Return where what the last step kept is, in words."""
    return "on page one" if step["kind"] == "page" else f"in {step['name']}"


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
        shapes.append(box(f"f-{style}-soft s-surface", x, top, width, BAR))
        if width >= INSIDE:
            middle = x + width / 2
            texts.append(Text(middle, top + 21, "middle", "t-b", f"{count:,}"))
        x += width
    return shapes, texts
