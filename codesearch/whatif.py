"""What if: for each setting, which values keep a chunk, all other settings as they are.

A knob of the legs or the pool is asked for the values with which the pool holds the
chunk, one of the page for those with which page one shows it. One that acts after the
stage at which the chunk died cannot help.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from codesearch.funnel.corpus import Corpus
from codesearch.funnel.intervals import Interval, nearest, whole_intervals
from codesearch.funnel.legs import rank_legs
from codesearch.funnel.page_one import Seated, seat_pool, weights_on_page_one
from codesearch.funnel.seats import (
    Counts,
    Line,
    line_of,
    seats_by_depth,
    seats_by_guarantee,
    seats_by_k,
    seats_by_size,
)
from codesearch.funnel.trace import place_in_card, stage_lost
from codesearch.funnel.types import Config, Findings, Mask, Outcome, surface_of
from codesearch.funnel.vote import weights_that_seat
from codesearch.knobs import KNOBS, Knob

Verdict = Literal["admits", "keeps", "no value", "cannot help"]
STAGES = ("corpus", "chunk", "scope", "leg", "pool", "page")
GOALS = {"leg": "pool", "pool": "pool", "page": "page"}


@dataclass(frozen=True, slots=True)
class Step:
    """Whole values from `start` to `stop`, all in or all out; the seat at the first.

    It is None where no list holds the chunk.
    """

    start: int
    stop: int
    seat: int | None
    is_in: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What one knob can do for one chunk.

    `goal` is where it is to be: in the pool or on page one. `admits` says that some
    values bring it there, `keeps` that it is there now and with which it stays.
    `value` is the knob's now, `nearest` the closest that admits, `distance` how far
    those are that do. `reason` says why the knob cannot help.
    """

    knob: Knob
    goal: str
    verdict: Verdict
    value: float
    intervals: tuple[Interval, ...] = ()
    steps: tuple[Step, ...] = ()
    nearest: float | None = None
    distance: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """Where a chunk ends in an outcome: the stage of its death, None on page one.

    `fused` is its ordinal in the fused order, `via` its way into the pool.
    """

    stage: str | None
    fused: int | None
    via: str | None
    rank: int | None
    card: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """One chunk in one outcome, and what it competes with.

    `line` is of the legs that run, `every` of those as well that the config turns off.
    """

    findings: Findings
    corpus: Corpus
    outcome: Outcome
    chunk: int
    every: Line
    line: Line

    @property
    def config(self) -> Config:
        """The config whose knobs are turned."""
        return self.outcome.config

    @property
    def lost(self) -> str | None:
        """The stage at which the chunk dies now."""
        return stage_lost(self.outcome, self.chunk)

    @property
    def needed(self) -> dict[str, int]:
        """The cards of a page, and chunks on a card, that show it; it has a card."""
        card = self.outcome.cards[self.chunk]
        return {"cards": card, "chunks": place_in_card(self.outcome, self.chunk)}


def ask(findings: Findings, corpus: Corpus, outcome: Outcome, chunk: int) -> Asked:
    """Return what every question about `chunk` needs."""
    all_on = replace(outcome.config, off=frozenset())
    legs = rank_legs(findings, all_on, outcome.scope.chunks)
    every = line_of(legs, chunk)
    return Asked(
        findings, corpus, outcome, chunk, every, running(every, outcome.config)
    )


def running(line: Line, config: Config) -> Line:
    """Return the line as it is without the legs that a config turns off."""
    return line.without([n for n, name in enumerate(line.legs) if config.is_off(name)])


def answers(asked: Asked) -> list[Answer]:
    """Return what each knob can do, in their order."""
    seated = _seated(asked)
    return [_answer(asked, knob, seated) for knob in KNOBS.values()]


def _seated(asked: Asked) -> Seated | None:
    outcome = asked.outcome
    if outcome.reranked.kind != "structural" or asked.chunk not in outcome.pool.entry:
        return None
    assert outcome.reranked.total  # noqa: S101 - the structural reranker has one
    return seat_pool(outcome.reranked.total, asked.corpus, asked.chunk)


def value_of(knob: Knob, outcome: Outcome) -> float:
    """Return a knob's value as it took effect."""
    if knob.name == "guarantee":
        return float(outcome.pool.guarantee)
    total = outcome.reranked.total
    if knob.field == "points" and total and knob.key in total.names:
        return total.weights[total.names.index(knob.key)]
    return knob.read(outcome.config) or 0.0


def _answer(asked: Asked, knob: Knob, seated: Seated | None) -> Answer:
    goal, value = GOALS[knob.stage], value_of(knob, asked.outcome)
    if reason := _helpless(asked, knob):
        return Answer(knob, goal, "cannot help", value, reason=reason)
    steps: tuple[Step, ...] = ()
    if knob.stage == "page":
        intervals = _on_page(asked, knob, seated)
    elif knob.field == "weights":
        bounds = (knob.least, knob.most)
        intervals = weights_that_seat(asked.line, asked.config, knob.key, *bounds)
    else:
        seats = seats_of(asked.line, asked.config, knob)
        size = _sizes(knob) if knob.name == "pool" else asked.config.pool_size
        is_in = seats <= size
        least = int(knob.least)
        intervals = whole_intervals(least, is_in)
        steps = _steps(least, seats, is_in)
    near = nearest(intervals, value, is_whole=knob.is_whole)
    if near is None:
        return Answer(knob, goal, "no value", value, steps=steps)
    is_there = asked.lost is None or STAGES.index(asked.lost) > STAGES.index(goal)
    verdict: Verdict = "keeps" if is_there else "admits"
    return Answer(knob, goal, verdict, value, intervals, steps, near[1], near[0])


def _helpless(asked: Asked, knob: Knob) -> str:
    """Return why a knob can do nothing for the chunk, "" if it may."""
    lost = asked.lost
    if lost and STAGES.index(lost) < STAGES.index(knob.stage):
        return f"it acts at the {knob.stage}, after the {lost} where this died"
    if knob.field == "weights" and knob.key not in map(surface_of, asked.line.legs):
        return f"the {knob.key} leg does not run"
    if knob.field == "points":
        kind, total = asked.outcome.reranked.kind, asked.outcome.reranked.total
        if kind != "structural" or total is None:
            return f"the {kind.replace('_', ' ')} reranker decides the order"
        if knob.key not in total.names:
            return "this feature is no part of the lexical formula"
        if np.isnan(total.values[:, total.names.index(knob.key)]).all():
            return "this feature did not run"
    return ""


def _sizes(knob: Knob) -> Counts:
    return np.arange(int(knob.least), int(knob.most) + 1)


def seats_of(line: Line, config: Config, knob: Knob) -> Counts:
    """Return the chunk's seat for each whole value of a knob."""
    values = range(int(knob.least), int(knob.most) + 1)
    if knob.name == "depth":
        return seats_by_depth(line, config, int(knob.most))[0]
    if knob.name == "pool":
        return seats_by_size(line, config, values)
    if knob.name == "guarantee":
        return seats_by_guarantee(line, config, values)
    return seats_by_k(line, config, values)


def _steps(least: int, seats: Counts, is_in: Mask) -> tuple[Step, ...]:
    """Return the runs of values in and out, each with its first seat."""
    edges = np.flatnonzero(np.diff(is_in.astype(np.int8), prepend=np.int8(2)))
    known = seats < np.iinfo(np.int64).max
    return tuple(
        Step(
            least + int(start),
            least + int(stop) - 1,
            int(seats[start]) if known[start] else None,
            bool(is_in[start]),
        )
        for start, stop in zip(edges, [*edges[1:], len(seats)], strict=True)
    )


def _on_page(asked: Asked, knob: Knob, seated: Seated | None) -> tuple[Interval, ...]:
    config, chunk, outcome = asked.config, asked.chunk, asked.outcome
    if knob.field == "points":
        assert seated  # noqa: S101 - another knob would be helpless
        bounds = (knob.least, knob.most)
        return weights_on_page_one(seated, config, knob.key, *bounds)
    if chunk in outcome.folded:
        return ()
    needed = asked.needed
    fits_cards = needed["cards"] <= config.cards_per_page
    fits_chunks = needed["chunks"] <= config.chunks_per_card
    other_fits = fits_chunks if knob.name == "cards" else fits_cards
    own = needed[knob.name]
    return (Interval(own, knob.most),) if other_fits and own <= knob.most else ()


def cards_changed(before: Outcome, after: Outcome, corpus: Corpus) -> int:
    """Return how many cards of `after`'s first page were not on that of `before`."""
    return len(_first_cards(after, corpus) - _first_cards(before, corpus))


def _first_cards(outcome: Outcome, corpus: Corpus) -> set[int]:
    last = outcome.config.cards_per_page
    cards = outcome.cards.items()
    return {corpus.file_of(chunk) for chunk, card in cards if card <= last}


def end_of(outcome: Outcome, chunk: int) -> End:
    """Return where a chunk ends in an outcome."""
    fused, shown = outcome.fused.by_chunk.get(chunk), outcome.shown.by_chunk.get(chunk)
    return End(
        stage_lost(outcome, chunk),
        fused.ordinal if fused else None,
        outcome.pool.entry.get(chunk),
        shown.ordinal if shown else None,
        outcome.cards.get(chunk),
    )


def admitted(outcome: Outcome, chunk: int, goal: str) -> bool:
    """Tell whether the chunk is where it was to be."""
    if goal == "pool":
        return chunk in outcome.pool.entry
    return stage_lost(outcome, chunk) is None
