"""Heat: a number with a sign as a small bar, left or right of an axis at zero."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from codesearch.pages.scores import signed

WIDTH = 62  # Of the whole drawing, in its own units.
MARGIN = 2.0


@dataclass(frozen=True, slots=True)
class Heat:
    """A contribution as text and as a bar; `css` are the classes of the bar."""

    text: str
    axis: float
    x: float
    width: float
    css: str


@dataclass(frozen=True, slots=True)
class Scale:
    """Where zero is, and how wide one is."""

    axis: float
    unit: float


def make_scale(shares: Iterable[float]) -> Scale:
    """Return the scale on which the least and the greatest of `shares` just fit."""
    told = [0.0, *shares]
    unit = (WIDTH - 2 * MARGIN) / ((max(told) - min(told)) or 1.0)
    return Scale(MARGIN - min(told) * unit, unit)


def draw_heat(share: float, scale: Scale, css: str) -> Heat:
    """Return a contribution as a bar, of another colour where it takes away."""
    width = abs(share) * scale.unit
    return Heat(
        text=signed(share),
        axis=round(scale.axis, 1),
        x=round(scale.axis - (width if share < 0 else 0), 1),
        width=round(width, 1),
        css=css if share >= 0 else "f-bm25",
    )
