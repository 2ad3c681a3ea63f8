"""Shapes: what the drawings are made of, and labels that keep clear of each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LETTER = 6.6  # Width of a letter of 11 px, rather too much than too little.
ROW = 14.0  # Height of a line of labels.
GAP = 5.0  # Between a mark and its label.


@dataclass(frozen=True, slots=True)
class Shape:
    """A path with its classes."""

    css: str
    d: str


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with its classes."""

    css: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Text:
    """A label."""

    x: float
    y: float
    anchor: str
    css: str
    text: str

    @property
    def width(self) -> float:
        """Return how wide it is at most."""
        return LETTER * len(self.text)

    @property
    def left(self) -> float:
        """Return where it begins."""
        return self.x - {"start": 0, "middle": 0.5, "end": 1}[self.anchor] * self.width


@dataclass(frozen=True, slots=True)
class Flag:
    """What is to be said of a place on an axis; `line` are the classes of its stem."""

    x: float
    text: str
    css: str
    line: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A flag with its row, from 0 at the bottom, and its text; its y is not set."""

    flag: Flag
    row: int
    label: Text


@dataclass(frozen=True, slots=True)
class Drawing:
    """A whole plot, back to front; its numbers are in a table of the page as well."""

    width: float
    height: float
    shapes: list[Shape]
    texts: list[Text]
    title: str
    description: str


def rectangle(css: str, x: float, y: float, width: float, height: float) -> Shape:
    """Return a rectangle as a path."""
    return Shape(css, f"M{x:.1f} {y:.1f}h{width:.1f}v{height:.1f}h{-width:.1f}Z")


def curve(x1: float, y1: float, x2: float, y2: float) -> str:
    """Return a path that leaves and arrives level."""
    middle = (x1 + x2) / 2
    return f"M{x1} {y1:.1f}C{middle} {y1:.1f} {middle} {y2:.1f} {x2} {y2:.1f}"


def tick_step(span: float, most: int) -> tuple[float, int]:
    """Return a round step (1, 2, 5, 10 ...) for so many ticks, and its decimals."""
    rough = span / most
    unit = 10 ** math.floor(math.log10(rough))
    step = next(unit * n for n in (1, 2, 5, 10) if unit * n >= rough)
    return step, max(0, -math.floor(math.log10(step)))


def shorten(name: str, letters: int) -> str:
    """Return a name of at most so many letters; the middle is left out, not the end."""
    if len(name) <= letters:
        return name
    head = (letters - 1) // 3
    return f"{name[:head]}…{name[head + 1 - letters :]}"


def place_flags(flags: Sequence[Flag], left: float, right: float) -> list[Placed]:
    """Give each flag a row in which its label is clear of the others.

    From the right to the left; right of the mark, else left of it, in the lowest row
    where no label is met and the fewest stems are.
    """
    placed: list[Placed] = []
    for flag in sorted(flags, key=lambda flag: -flag.x):
        labels = _sides(flag, left, right)
        options = [
            (_crossings(flag, row, label, placed), row, side)
            for row in range(len(placed) + 1)
            for side, label in enumerate(labels)
            if not any(row == other.row and _meet(label, other) for other in placed)
        ]
        _, row, side = min(options)
        placed.append(Placed(flag, row, labels[side]))
    return placed


def _sides(flag: Flag, left: float, right: float) -> list[Text]:
    """Return the label at the right and at the left of its mark, if there is room.

    Where neither side has, it begins or ends with the plot.
    """
    after = Text(flag.x + GAP, 0, "start", flag.css, flag.text)
    before = Text(flag.x - GAP, 0, "end", flag.css, flag.text)
    roomy = [one for one in (after, before) if is_within(one, left, right)]
    return roomy or [
        Text(right, 0, "end", flag.css, flag.text),
        Text(left, 0, "start", flag.css, flag.text),
    ]


def is_within(label: Text, left: float, right: float) -> bool:
    """True if a label begins and ends between two places."""
    return left <= label.left and label.left + label.width <= right


def _meet(label: Text, other: Placed) -> bool:
    its = other.label
    return (
        label.left < its.left + its.width + GAP
        and its.left < label.left + label.width + GAP
    )


def _crossings(flag: Flag, row: int, label: Text, placed: Sequence[Placed]) -> int:
    """Count the stems that pass a label: those of others, and its own past theirs."""

    def passes(x: float, text: Text) -> bool:
        return text.left < x < text.left + text.width

    others = sum(p.row >= row and passes(p.flag.x, label) for p in placed)
    own = sum(p.row < row and passes(flag.x, p.label) for p in placed)
    beside = passes(flag.x, label)
    return others + own + beside
