"""What if: the knobs as a form with what each can do, and where the targets end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.funnel.legs import LEGS
from codesearch.knobs import RERANKERS, spell_number
from codesearch.pages.links import Scope
from codesearch.pages.scores import joined
from codesearch.payloads import Payload
from codesearch.plots.interval import Bar, draw_intervals

SLIDERS = ("pool", "depth", "k")
# How far a slider reaches, unless the value or what admits lies further.
REACH = {"pool": 400.0, "depth": 1000.0, "k": 200.0, "guarantee": 200.0}
REACH |= {"cards": 30.0, "chunks": 10.0}
WEIGHT_REACH = 4.0
SHOWN = 4  # Intervals in a sentence; the table has all.


@dataclass(frozen=True, slots=True)
class KnobView:
    """One knob: its input, the bar over it and the sentence beneath.

    `value` is "" where the rule of the config holds, and `hint` is what that comes to.
    """

    name: str
    label: str
    value: str
    hint: str
    low: str
    high: str
    step: str
    bar: Bar | None
    state: str
    sentence: str
    rows: list[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class EndView:
    """Where a target ends: as shipped and with these settings, each (state, words)."""

    target: str
    shipped: tuple[str, str]
    now: tuple[str, str]


@dataclass(frozen=True, slots=True)
class WhatIfView:
    """The whole panel."""

    asked: str | None
    ends: list[EndView]
    counts: str
    sliders: list[KnobView]
    guarantee: KnobView | None
    page: list[KnobView]
    features: list[KnobView]
    legs: list[tuple[str, bool]]
    rerankers: list[tuple[str, bool]]
    notes: list[str]
    hidden: list[tuple[str, str]]
    reset_url: str
    changed: bool

    @property
    def tables(self) -> list[list[KnobView]]:
        """The knobs in the order of the panel."""
        guarantee = [self.guarantee] if self.guarantee else []
        return [self.sliders, guarantee, self.page, self.features]


def whatif_view(payload: Payload, scope: Scope, targets: Sequence[str]) -> WhatIfView:
    """Return the panel of a payload of what-if."""
    turned = dict(payload["settings"])
    views = [_knob_view(one, turned) for one in payload["knobs"]]
    by_name = {one.name: one for one in views}
    now = payload["now"]
    weights = [one for one in views if one.name.startswith("weight.")]
    return WhatIfView(
        asked=payload["asked"],
        ends=[_end_view(one) for one in payload["targets"]],
        counts=_counts(payload),
        sliders=[by_name[name] for name in SLIDERS if name in by_name] + weights,
        guarantee=by_name.get("guarantee"),
        page=[by_name[name] for name in ("cards", "chunks") if name in by_name],
        features=[one for one in views if one.name.startswith("points.")],
        legs=[(leg, leg in now["off"]) for leg in LEGS],
        rerankers=[(kind, kind == now["reranker"]) for kind in RERANKERS],
        notes=_notes(payload),
        hidden=_hidden(scope, targets),
        reset_url=scope.shipped().trace_url(*targets),
        changed=bool(payload["settings"]),
    )


def number(value: float) -> str:
    """Return a value of a knob as it is read: 1,482 or 0.822."""
    return f"{int(value):,}" if value == int(value) else f"{value:.4g}"


def intervals_text(intervals: Sequence[Payload], least: float, most: float) -> str:
    """Return intervals in words; the bounds of a knob are no ends worth naming."""
    shown = [_interval(one, least, most) for one in intervals[:SHOWN]]
    more = len(intervals) - SHOWN
    return joined(shown) + (f", and {more} more ranges" if more > 0 else "")


def _interval(one: Payload, least: float, most: float) -> str:
    start, stop = number(one["start"]), number(one["stop"])
    at_start, at_stop = one["start"] == least, one["stop"] == most
    if at_start and at_stop:
        return "with every value"
    if one["start"] == one["stop"]:
        return f"at {start}"
    if at_stop:
        return f"from {start}" if one["has_start"] else f"above {start}"
    if at_start:
        return f"up to {stop}" if one["has_stop"] else f"below {stop}"
    lower = start if one["has_start"] else f"above {start}"
    return f"from {lower} to {'' if one['has_stop'] else 'below '}{stop}"


def _knob_view(one: Payload, turned: dict[str, str]) -> KnobView:
    name, value = one["name"], one["value"]
    low, high = _range(one)
    is_free = name == "guarantee" or name.startswith("points.")
    bar = None
    if one["verdict"] != "cannot help":
        bar = draw_intervals(one["intervals"], low, high, value)
    return KnobView(
        name=name,
        label=one["label"],
        value=turned.get(name, "") if is_free else spell_number(value),
        hint=number(value),
        low=spell_number(one["least"] if is_free else low),
        high=spell_number(one["most"] if is_free else high),
        step="1" if one["is_whole"] else "any",
        bar=bar,
        state={"admits": "ok", "keeps": "ok"}.get(one["verdict"], "none"),
        sentence=_sentence(one),
        rows=_rows(one),
    )


def _range(one: Payload) -> tuple[float, float]:
    """Return how far the slider reaches: to the value, and to what admits."""
    least, most, value = one["least"], one["most"], one["value"]
    near = value if one["nearest"] is None else one["nearest"]
    if one["name"].startswith("points."):
        reach = max(10.0, 1.5 * abs(value), 1.5 * abs(near))
        return max(least, -reach), min(most, reach)
    wanted = REACH.get(one["name"], WEIGHT_REACH)
    return least, min(most, max(wanted, 1.5 * value, 1.5 * near))


WHERE = {"pool": ("in the pool", "into the pool"), "page": ("on page one",) * 2}


def _sentence(one: Payload) -> str:
    if one["verdict"] == "cannot help":
        return f"Cannot help: {one['reason']}."
    there, into = WHERE[one["goal"]]
    if one["verdict"] == "no value":
        return f"No value brings it {into}."
    text = intervals_text(one["intervals"], one["least"], one["most"])
    if one["verdict"] == "keeps":
        return f"It is {there} {text}."
    return f"Brings it {into} {text}."


def _rows(one: Payload) -> list[tuple[str, str, str]]:
    """Return the table: values, the seat at the first of them, in or out."""
    if one["steps"]:
        return [
            (
                _span(step["start"], step["stop"]),
                "–" if step["seat"] is None else f"{step['seat']:,}",
                "in" if step["is_in"] else "out",
            )
            for step in one["steps"]
        ]
    return [
        (_interval(found, one["least"], one["most"]), "", "in")
        for found in one["intervals"]
    ]


def _span(start: int, stop: int) -> str:
    return f"{start:,}" if start == stop else f"{start:,} to {stop:,}"


def _end_view(row: Payload) -> EndView:
    if row["now"] is None:
        lost = ("none", f"lost at the {row['lost']}: no setting can help")
        return EndView(row["target"], lost, lost)
    return EndView(row["target"], end_words(row["shipped"]), end_words(row["now"]))


def end_words(end: Payload) -> tuple[str, str]:
    """Return the state and the words of where a chunk ends."""
    fused = f"fused ordinal {end['fused']:,}" if end["fused"] else ""
    rank = f"rank {end['rank']:,}, card {end['card']:,}" if end["rank"] else ""
    if end["stage"] is None:
        return "ok", f"on page one: {rank}; {fused}"
    if end["stage"] == "page":
        return "warn", f"in the pool, {rank or 'folded beneath another'}; {fused}"
    words = {"pool": f"cut by the pool: {fused}", "leg": "in no leg’s list"}
    return "target", words.get(end["stage"], "out of scope")


def _counts(payload: Payload) -> str:
    """Return what the settings change for everyone."""
    now, shipped = payload["now"], payload["shipped"]
    text = f"{now['union']:,} chunks in the union, {now['pool']:,} in the pool"
    if not payload["settings"]:
        return f"{text}; every setting as shipped"
    old = f"{shipped['union']:,} and {shipped['pool']:,}"
    changed, of = payload["cards_changed"], payload["cards_per_page"]
    return f"{text}, instead of {old}; {changed} of {of} cards on page one are others"


def _notes(payload: Payload) -> list[str]:
    """Return what the switches would do, in sentences."""
    if not payload["asked"]:
        return []
    plain, own = payload["plain_fusion"], payload["own_guarantee"]
    where = "in" if plain["is_in"] else "out of"
    lost = joined(plain["lost"])
    firsts = f"the first of {lost} would not be in it" if lost else "no first is lost"
    notes = [f"By plain fusion without guarantees it is {where} the pool; {firsts}."]
    if own:
        size = payload["now"]["pool_size"]
        held = "holds them" if own["seats"] <= size else f"has {size:,}"
        notes.append(
            f"A guarantee reaches it at {own['ordinal']:,} ({own['leg']}), which seats "
            f"{own['seats']:,} chunks; the pool {held}."
        )
    off = [one for one in payload["legs"] if 0 < len(one["off"]) < 3]
    inside = [" and ".join(one["off"]) for one in off if one["is_in"]]
    if off:
        told = f"without {', without '.join(inside)}" if inside else "in no case"
        notes.append(f"With one or two legs off it is in the pool: {told}.")
    for one in payload["filters"]:
        state = "in" if one["is_in"] else "out of"
        notes.append(f"Without “{one['off'][0]}” it is {state} the pool.")
    now = payload["now"]
    if now["kind"] == "cross_encoder" and now["scored"] < now["pairs"]:
        notes.append(
            f"Of {now['pairs']:,} pairs {now['scored']:,} are scored by now, more with "
            "each question; a run in the same time may score fewer."
        )
    return notes


def _hidden(scope: Scope, targets: Sequence[str]) -> list[tuple[str, str]]:
    return [*scope.pairs(), *(("target", target) for target in targets)]
