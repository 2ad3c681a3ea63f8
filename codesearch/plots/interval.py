"""Intervals: the values of a knob that admit a chunk, over the range of its slider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.payloads import Payload
from codesearch.plots.shapes import Box

WIDTH, HEIGHT = 400, 26
EDGE = 8.0  # Half of a slider's knob: its middle cannot go further.
TOP, BAR = 8.0, 12.0
LEAST = 1.5  # Width of a single value.


@dataclass(frozen=True, slots=True)
class Bar:
    """What the template draws: the range, the admitted parts, and the value now."""

    width: int
    height: int
    boxes: list[Box]
    now: float


def draw_intervals(
    intervals: Sequence[Payload], low: float, high: float, value: float
) -> Bar:
    """Return the bar from `low` to `high`; what lies beyond is cut."""

    def at(number: float) -> float:
        inside = min(max(number, low), high)
        return EDGE + (WIDTH - 2 * EDGE) * (inside - low) / (high - low)

    boxes = [Box("f-target-soft", EDGE, TOP, WIDTH - 2 * EDGE, BAR)]
    for one in intervals:
        if one["stop"] >= low and one["start"] <= high:
            start, stop = at(one["start"]), at(one["stop"])
            boxes.append(Box("f-ok-soft", start, TOP, max(stop - start, LEAST), BAR))
    return Bar(WIDTH, HEIGHT, boxes, at(value))
