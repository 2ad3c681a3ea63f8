"""The distribution of a leg's scores as a drawing: bins, its list, and the marks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from codesearch.funnel.types import surface_of
from codesearch.pages.scores import KINDS, decimals, leg_style, minus, score_kind
from codesearch.pages.trace.verdict import target_name
from codesearch.payloads import Payload
from codesearch.plots.shapes import (
    ROW,
    Box,
    Flag,
    Placed,
    Shape,
    Text,
    place_flags,
    shorten,
    tick_step,
)

WIDTH = 460
LEFT, RIGHT = 14.0, 446.0
ROOM = 74.0  # Height of the highest bar.
TICKS = 7  # At most about so many on the axis.
NAME = 22  # Letters of a target's name, where there are several.

Scale = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Histogram:
    """Everything the template draws, back to front."""

    width: int
    height: float
    boxes: list[Box]
    lines: list[Shape]
    arrows: list[tuple[float, float]]
    texts: list[Text]
    title: str
    description: str


def draw_distribution(trace: Payload, name: str) -> Histogram | None:
    """Return one leg's plot, None where no chunk in scope has a score."""
    found = trace["legs"][name].get("distribution")
    if not found or not found["counts"]:
        return None
    band = calibration_band(trace, name)
    reached = (found["min"], found["max"], *(band or ()))
    low, high = min(reached), max(reached)
    scale = _scale(low, high)
    placed = place_flags(_flags(trace, name, found, scale), LEFT, RIGHT)
    top = ROW * (1 + max(one.row for one in placed)) + 10
    base = top + ROOM
    stems, arrows, labels = _stand(placed, top, base)
    axis, ticks = _axis(low, high, scale, base)
    boxes = [
        _listed(found, scale, leg_style(name), top, base),
        *_bars(found, scale, leg_style(name), base),
    ]
    foot = base + 34
    if band:
        boxes.append(_band_box(band, scale, base))
        labels.append(_band_text(band, scale, base + 32, decimals(name)))
        foot += ROW
    return Histogram(
        width=WIDTH,
        height=foot + 10,
        boxes=boxes,
        lines=axis + stems,
        arrows=arrows,
        texts=labels + ticks + _foot(found, name, foot),
        title=f"{name} scores of all chunks in scope",
        description=", ".join(one.flag.text for one in placed),
    )


def calibration_band(trace: Payload, name: str) -> tuple[float, float] | None:
    """Return what the best cosine is for absent concepts: median, and 95 % below.

    Of the build that decided on closeness, and only for the legs of its embedder.
    """
    closeness = trace.get("closeness") or {}
    scale = (closeness.get("calibration") or {}).get("cosine")
    if surface_of(name) not in KINDS or not scale:
        return None
    decided = {one["repository"] for one in closeness["builds"] if one["decided"]}
    prints = [b["fingerprint"] for b in trace["builds"] if b["repository"] in decided]
    embedder = name.partition(":")[2]
    if not any(one.startswith(embedder) for one in prints):
        return None
    return scale["absent"], scale["reach"]


def _scale(low: float, high: float) -> Scale:
    """Return where a score stands; in the middle if all are the same."""
    if low == high:
        return lambda raw: (LEFT + RIGHT) / 2
    return lambda raw: LEFT + (RIGHT - LEFT) * (raw - low) / (high - low)


def _flags(trace: Payload, name: str, found: Payload, scale: Scale) -> list[Flag]:
    style, places = leg_style(name), decimals(name)
    floor = found["floor"]
    flags = [
        Flag(
            scale(found["first"]),
            f"first {found['first']:.{places}f}",
            f"t-s t-{style}",
            f"stroke s-{style}",
        )
    ]
    if floor is not None:
        words = f"floor {floor:.{places}f}"
        flags.append(Flag(scale(floor), words, "t-s t-ink", "cutline"))
    several = len(trace["targets"]) > 1
    for target in trace["targets"]:
        if not (seen := (target.get("legs") or {}).get(name)):
            continue
        called = shorten(target_name(target), NAME) if several else "target"
        words = f"{called} {seen['raw']:.{places}f}, rank {seen['rank']:,}"
        flags.append(Flag(scale(seen["raw"]), words, "t-target t-s", "stroke s-target"))
    return flags


def _stand(
    placed: Sequence[Placed], top: float, base: float
) -> tuple[list[Shape], list[tuple[float, float]], list[Text]]:
    """Return the stems, the arrows of the targets, and the labels in their rows."""
    lines, arrows, labels = [], [], []
    for one in placed:
        y = top - 8 - ROW * one.row
        x = one.flag.x
        lines.append(Shape(one.flag.line, f"M{x:.1f} {y - 8:.1f}V{base:.1f}"))
        if "s-target" in one.flag.line:
            arrows.append((x, top))
        text = one.label
        labels.append(Text(text.x, y, text.anchor, text.css, text.text))
    return lines, arrows, labels


def _listed(found: Payload, scale: Scale, style: str, top: float, base: float) -> Box:
    """Return the shade of the leg's list: from its floor, or all that it scored."""
    start = found["min"] if found["floor"] is None else found["floor"]
    x, end = scale(start), scale(found["max"])
    return Box(f"f-{style}-soft", x - 4 * (x == end), top, max(8, end - x), base - top)


def _bars(found: Payload, scale: Scale, style: str, base: float) -> list[Box]:
    """Return a bar for each bin that holds a chunk."""
    most = max(found["counts"])
    bars = []
    for i, count in enumerate(found["counts"]):
        if not count:
            continue
        x, end = scale(found["edges"][i]), scale(found["edges"][i + 1])
        height = max(1.0, ROOM * math.sqrt(count / most))
        width = max(1.0, end - x - 1)
        if len(found["counts"]) == 1:
            x, width = x - 3, 6.0
        bars.append(Box(f"f-{style}", x, base - height, width, height))
    return bars


def _ticks(low: float, high: float, scale: Scale, base: float) -> list[Text]:
    """Return round numbers along the axis."""
    if low == high:
        return [Text(scale(low), base + 17, "middle", "t-s t-faint tick", f"{low:.3g}")]
    step, places = tick_step(high - low, TICKS)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [
        Text(
            scale(n * step),
            base + 17,
            "middle",
            "t-s t-faint tick",
            minus(f"{n * step:.{places}f}"),
        )
        for n in range(first, last + 1)
    ]


def _axis(
    low: float, high: float, scale: Scale, base: float
) -> tuple[list[Shape], list[Text]]:
    """Return the line under the bars with its ticks, and their round numbers."""
    ticks = _ticks(low, high, scale, base)
    lines = [Shape("axis", f"M{LEFT} {base:.1f}H{RIGHT}")]
    lines += [Shape("axis", f"M{tick.x:.1f} {base:.1f}v4") for tick in ticks]
    return lines, ticks


def _foot(found: Payload, name: str, y: float) -> list[Text]:
    scored = sum(found["counts"])
    words = f"{scored:,} chunk{'s' * (scored != 1)}, square-root counts"
    return [
        Text(LEFT, y, "start", "t-s t-faint", words),
        Text(RIGHT, y, "end", "t-s t-faint", f"raw {score_kind(name)}"),
    ]


def _band_box(band: tuple[float, float], scale: Scale, base: float) -> Box:
    x, end = scale(band[0]), scale(band[1])
    return Box("f-fused", x, base + 1, end - x, 5.0)


def _band_text(band: tuple[float, float], scale: Scale, y: float, places: int) -> Text:
    """Return what the band says, under it as far as there is room."""
    words = f"absent concepts reach {band[0]:.{places}f}, rarely {band[1]:.{places}f}"
    text = Text(
        (scale(band[0]) + scale(band[1])) / 2, y, "middle", "t-s t-fused", words
    )
    half = text.width / 2
    return replace(text, x=min(max(text.x, LEFT + half), RIGHT - half))
