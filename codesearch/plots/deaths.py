"""Stages of death: how many wanted targets ended at each, and why most of them did."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.payloads import Payload
from codesearch.plots.shapes import LETTER, Drawing, Shape, Text, rectangle, shorten

WIDTH = 460.0
LEFT, LONGEST, TOP, ROOM, BAR = 78.0, 190.0, 8.0, 28.0, 18.0
NAME = 10  # Letters of a stage.


def draw_deaths(deaths: Sequence[Payload]) -> Drawing | None:
    """Return the bars, None where nothing died."""
    most = max((one["count"] for one in deaths), default=0)
    if not most:
        return None
    shapes: list[Shape] = []
    texts: list[Text] = []
    for row, one in enumerate(deaths):
        y = TOP + ROOM * row
        width = LONGEST * one["count"] / most
        name = shorten(one["stage"], NAME)
        texts.append(Text(LEFT - 12, y + 17, "end", "t-ink", name))
        shapes.append(Shape("axis", f"M{LEFT} {y}v{ROOM}"))
        if width:
            shapes.append(rectangle("f-target", LEFT, y + 5, width, BAR))
        x = LEFT + width + 8
        texts.append(Text(x, y + 18, "start", "t-b", f"{one['count']:,}"))
        x += LETTER * len(f"{one['count']:,}") + 8
        room = int((WIDTH - x) / LETTER)
        if words := _reasons(one, room):
            texts.append(Text(x, y + 18, "start", "t-s", words))
    said = ", ".join(f"{one['stage']} {one['count']:,}" for one in deaths)
    height = TOP + ROOM * len(deaths) + TOP
    return Drawing(WIDTH, height, shapes, texts, "Targets by stage of death", said)


def spoken_reason(reason: str) -> str:
    """Return a reason of a death as words; what it names stays as it is."""
    head, colon, name = reason.partition(":")
    head = head.replace("re_export", "re-export").replace("_", " ")
    return f"{head}: {name}" if colon else head


def _reasons(death: Payload, room: int) -> str:
    """Return the reasons of a stage, as far as there is room for letters."""
    counted = death["reasons"]
    words = [spoken_reason(one["reason"]) for one in counted]
    if len(words) > 1:
        counts = [f"{one['count']:,}" for one in counted]
        words = [" ".join(pair) for pair in zip(words, counts, strict=True)]
    while words and len(", ".join(words)) > room:
        words.pop()
    return ", ".join(words)
