"""Outcome: the queries that got better, stayed equal and got worse, as one bar."""

from __future__ import annotations

from codesearch.plots.shapes import Drawing, Text, rectangle

WIDTH, HEIGHT, BAR = 460.0, 58.0, 20.0


def draw_outcome(wins: int, ties: int, losses: int) -> Drawing | None:
    """Return the bar, None where nothing was compared."""
    total = wins + ties + losses
    if not total:
        return None
    shapes = []
    x = 0.0
    for count, css in ((wins, "f-ok"), (ties, "f-line"), (losses, "f-target")):
        width = WIDTH * count / total
        if count:
            shapes.append(rectangle(css, x, 8, width, BAR))
        x += width
    texts = [
        Text(0, 46, "start", "t-ink", f"▲ {wins:,} better"),
        Text(WIDTH / 2, 46, "middle", "t-s t-ink", f"{ties:,} equal"),
        Text(WIDTH, 46, "end", "t-target", f"▼ {losses:,} worse"),
    ]
    said = f"{wins:,} better, {ties:,} equal, {losses:,} worse"
    return Drawing(WIDTH, HEIGHT, shapes, texts, "Query by query", said)
