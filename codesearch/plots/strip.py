"""The funnel strip: a search as a drawing, every count of which is in the table."""

from __future__ import annotations

import math
from dataclasses import dataclass

from codesearch.pages.filters import chunks_in, chunks_in_scope
from codesearch.pages.scores import decimals, leg_style
from codesearch.pages.trace.stages import LOST_AT, page_hits
from codesearch.pages.trace.verdict import is_on_page_one
from codesearch.payloads import Payload
from codesearch.plots.shapes import Shape, Text, curve

WIDTH, HEIGHT = 1360, 300
TOP, BOTTOM = 62.0, 254.0
MIDDLE = (TOP + BOTTOM) / 2
COLUMNS = {
    "corpus": 62,
    "scope": 220,
    "legs": 430,
    "union": 720,
    "pool": 930,
    "rerank": 1120,
    "page": 1290,
}
PLAIN_BANDS = (
    ("corpus", "scope"),
    ("union", "pool"),
    ("pool", "rerank"),
    ("rerank", "page"),
)
LINE = "stroke stroke--bold s-target"
LEAST = 4.0  # Height of a bar that counts nothing.


@dataclass(frozen=True, slots=True)
class Bar:
    """A stage's count as a bar, its height logarithmic."""

    css: str
    x: float
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Dot:
    """A stage of the target: reached ("in"), left out ("out") or died ("end")."""

    kind: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Funnel:
    """Everything the template draws, back to front."""

    width: int
    height: int
    bands: list[Shape]
    bars: list[Bar]
    lines: list[Shape]
    dots: list[Dot]
    texts: list[Text]
    description: str


def draw_funnel(trace: Payload, target: Payload) -> Funnel:
    """Return the strip for one target, from the corpus to page one."""
    counts = {
        "corpus": chunks_in(trace),
        "scope": chunks_in_scope(trace),
        "union": trace["union"],
        "pool": trace["pool"]["filled"],
        "rerank": trace["pool"]["filled"],
        "page": page_hits(trace),
    }
    lists = {name: leg["listed"] for name, leg in trace["legs"].items()}
    heights = {name: _height(n, counts["corpus"]) for name, n in counts.items()}
    slots = _slots(lists, counts["corpus"])
    bars = [
        Bar("f-ink", COLUMNS[name] - 2.5, MIDDLE - heights[name] / 2, heights[name])
        for name in counts
    ]
    bars += [
        Bar(f"f-{leg_style(name)}", COLUMNS["legs"] - 2.5, y - height / 2, height)
        for name, (y, height) in slots.items()
    ]
    lines, dots, texts = _draw_target(trace, target, slots)
    return Funnel(
        width=WIDTH,
        height=HEIGHT,
        bands=_bands(heights, slots),
        bars=bars,
        lines=lines,
        dots=dots,
        texts=_count_texts(trace, counts, lists, slots, target) + texts,
        description=_describe(counts, lists),
    )


def _height(count: int, most: int) -> float:
    room = BOTTOM - TOP
    return LEAST + (room - LEAST) * math.log1p(count) / math.log1p(max(most, 1))


def _slots(lists: dict[str, int], most: int) -> dict[str, tuple[float, float]]:
    """Return the middle and the height of each leg's bar."""
    slot = (BOTTOM - TOP + 24) / max(1, len(lists))
    top = TOP - 12
    return {
        name: (
            top + slot * (i + 0.5),
            max(LEAST, (slot - 14) * _height(count, most) / (BOTTOM - TOP)),
        )
        for i, (name, count) in enumerate(lists.items())
    }


def _bands(
    heights: dict[str, float], slots: dict[str, tuple[float, float]]
) -> list[Shape]:
    bands = []
    total = len(slots)
    for i, (name, (y, height)) in enumerate(slots.items()):
        css = f"f-{leg_style(name)}-soft"
        for start, end, stage in (
            ("scope", "legs", "scope"),
            ("legs", "union", "union"),
        ):
            part = heights[stage] / total
            top = MIDDLE - heights[stage] / 2 + part * i
            outer, inner = (top, top + part), (y - height / 2, y + height / 2)
            left, right = (outer, inner) if start == "scope" else (inner, outer)
            bands.append(Shape(css, _band(COLUMNS[start], left, COLUMNS[end], right)))
    for start, end in PLAIN_BANDS:
        left = (MIDDLE - heights[start] / 2, MIDDLE + heights[start] / 2)
        right = (MIDDLE - heights[end] / 2, MIDDLE + heights[end] / 2)
        bands.append(Shape("f-inset", _band(COLUMNS[start], left, COLUMNS[end], right)))
    return bands


def _band(
    x1: float, left: tuple[float, float], x2: float, right: tuple[float, float]
) -> str:
    middle = (x1 + x2) / 2
    return (
        f"M{x1} {left[0]:.1f}C{middle} {left[0]:.1f} {middle} {right[0]:.1f}"
        f" {x2} {right[0]:.1f}V{right[1]:.1f}C{middle} {right[1]:.1f}"
        f" {middle} {left[1]:.1f} {x1} {left[1]:.1f}Z"
    )


def _count_texts(
    trace: Payload,
    counts: dict[str, int],
    lists: dict[str, int],
    slots: dict[str, tuple[float, float]],
    target: Payload,
) -> list[Text]:
    titles = {"page": "page one"}
    texts = []
    for name, count in counts.items():
        x = COLUMNS[name]
        texts.append(Text(x, 18, "middle", "t-cap", titles.get(name, name)))
        texts.append(Text(x, 38, "middle", "t-l", f"{count:,}"))
    depth = trace["config"]["depth"]
    texts.append(Text(COLUMNS["legs"], 18, "middle", "t-cap", f"legs, depth {depth}"))
    for name, (y, _) in slots.items():
        css = f"t-{leg_style(name)} t-cap"
        ran = trace["legs"][name]["ran"]
        words = f"{name} {lists[name]:,}" if ran else f"{name}: did not run"
        seen = (target.get("legs") or {}).get(name)
        at = _label_heights(y, seen)[0]
        texts.append(Text(COLUMNS["legs"] + 12, at, "start", css, words))
    twice = sum(lists.values()) - counts["union"]
    cut = counts["union"] - counts["pool"]
    filtered = counts["corpus"] - counts["scope"]
    unlisted = counts["scope"] - counts["union"]
    for x, words in (
        (141, f"−{filtered:,} by filters" if filtered else "all in scope"),
        (325, f"−{unlisted:,} in no leg" if unlisted else "all in a leg"),
        (575, f"−{twice:,} in several legs, counted once"),
        (825, f"−{cut:,} cut by the pool" if cut else "the pool takes all"),
        (1025, "all kept"),
        (1205, f"−{counts['pool'] - counts['page']:,} on later cards or folded"),
    ):
        texts.append(Text(x, HEIGHT - 8, "middle", "t-s", words))
    return texts


def _label_heights(y: float, seen: Payload | None) -> tuple[float, float]:
    """Return where a leg's name and the target's rank stand, clear of its line.

    The line goes on from the leg to the middle, so the words stand on the far side.
    """
    if seen is None:
        return y + 4, y + 4
    if not seen["in_leg"]:
        return y - 2, y + 12
    return (y - 17, y - 5) if y < MIDDLE else (y + 14, y + 26)


def _draw_target(
    trace: Payload, target: Payload, slots: dict[str, tuple[float, float]]
) -> tuple[list[Shape], list[Dot], list[Text]]:
    """Return the target's line, which ends at the stage where it died."""
    death = target["death"]
    lost = LOST_AT[death["stage"]] if death else len(COLUMNS)
    start = COLUMNS["corpus"]
    if lost == 0:
        ended = Text(start + 16, MIDDLE + 28, "start", "t-target", "not here")
        return [], [Dot("end", start, MIDDLE)], [ended]
    lines, dots, texts = _draw_lanes(target, slots, past=lost > 2)
    here = COLUMNS["scope"]
    lines.insert(0, Shape(LINE, f"M{start} {MIDDLE}H{here}"))
    ends = Dot("end" if lost == 1 else "in", here, MIDDLE)
    dots[:0] = [Dot("in", start, MIDDLE), ends]
    end = "out" if is_on_page_one(target, trace) else "end"  # One click away: milder.
    last = COLUMNS["union"]
    for number, stage in enumerate(("union", "pool", "rerank", "page"), start=2):
        if lost <= 2 or number > lost:
            break
        here = COLUMNS[stage]
        lines.append(Shape(LINE, f"M{last} {MIDDLE}H{here}"))
        dots.append(Dot(end if number == lost else "in", here, MIDDLE))
        last = here
    return lines, dots, texts + _end_texts(trace, target, lost)


def _draw_lanes(
    target: Payload, slots: dict[str, tuple[float, float]], *, past: bool
) -> tuple[list[Shape], list[Dot], list[Text]]:
    """Return the target's way through each leg that has a score for it."""
    lines: list[Shape] = []
    dots: list[Dot] = []
    texts: list[Text] = []
    x = COLUMNS["legs"]
    for name, (y, _) in slots.items():
        seen = (target.get("legs") or {}).get(name)
        if seen is None:
            continue
        end = x if seen["in_leg"] else x - 12  # Short of the bar: it did not enter.
        lines.append(Shape(LINE, curve(COLUMNS["scope"], MIDDLE, end, y)))
        dots.append(Dot("in" if seen["in_leg"] else "out", end, y))
        words = _leg_text(name, seen)
        at = _label_heights(y, seen)[1]
        texts.append(Text(x + 12, at, "start", "t-target t-s", words))
        if seen["in_leg"] and past:
            lines.append(Shape(LINE, curve(x, y, COLUMNS["union"], MIDDLE)))
    return lines, dots, texts


def _leg_text(name: str, seen: Payload) -> str:
    text = f"rank {seen['rank']:,}"
    if seen["in_leg"]:
        return f"{text}, entered"
    margin = seen["margin"]
    return text if margin is None else f"{text}, short by {-margin:.{decimals(name)}f}"


def _end_texts(trace: Payload, target: Payload, lost: int) -> list[Text]:
    y = MIDDLE + 30
    fused = target["fused"]
    if lost == 1:
        name = target["death"]["reason"].partition(":")[2]
        words = f"left out by {name}:"
        return [Text(COLUMNS["scope"] + 16, y, "start", "t-target", words)]
    if lost == 2:
        return [Text(COLUMNS["union"], y, "middle", "t-target", "taken by no leg")]
    if lost == 3 and fused:
        words = f"cut: {fused['ordinal']:,} > {trace['pool']['size']}"
        return [Text(COLUMNS["pool"] + 16, y, "start", "t-target", words)]
    if target["rank"]:
        words = f"rank {target['rank']:,}, card {target['card']}"
        return [Text(COLUMNS["page"] - 14, y, "end", "t-target", words)]
    return []


def _describe(counts: dict[str, int], lists: dict[str, int]) -> str:
    legs = ", ".join(f"{name} leg {count:,}" for name, count in lists.items())
    return (
        f"{counts['corpus']:,} chunks, {counts['scope']:,} in scope; {legs};"
        f" union {counts['union']:,}; pool {counts['pool']:,};"
        f" page one {counts['page']:,}."
    )
