"""Switches: what becomes of a chunk without some legs, filters or guarantees."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from codesearch.funnel.fusion import fuse
from codesearch.funnel.legs import ALWAYS, LEGS, rank_legs
from codesearch.funnel.pool import fill_pool
from codesearch.funnel.scope import scope_without
from codesearch.funnel.seats import Seat, has_seat, leading, line_of, seat
from codesearch.funnel.types import surface_of
from codesearch.whatif import Asked, running


@dataclass(frozen=True, slots=True)
class Switch:
    """What happens to the chunk without some legs or conditions."""

    off: tuple[str, ...]
    seat: Seat | None
    is_in: bool


def without_legs(asked: Asked) -> list[Switch]:
    """Return what each choice of legs does, the fewest off first; one at least runs.

    One of those that run for every query: a config is for all of them.
    """
    names = [leg for leg in LEGS if leg in map(surface_of, asked.every.legs)]
    return [
        _switch(asked, off)
        for n in range(len(names))
        for off in combinations(names, n)
        if not set(ALWAYS).intersection(names).issubset(off)
    ]


def _switch(asked: Asked, off: tuple[str, ...]) -> Switch:
    config = replace(asked.config, off=frozenset(off))
    found = seat(running(asked.every, config), config)
    return Switch(off, found, has_seat(found, config))


def without_conditions(asked: Asked) -> Iterator[Switch]:
    """Yield what happens without each condition of the query's filters."""
    for one in asked.outcome.scope.conditions:
        scope = scope_without(asked.outcome.scope, [one])
        legs = rank_legs(asked.findings, asked.config, scope)
        found = None
        if scope[asked.chunk]:
            found = seat(line_of(legs, asked.chunk), asked.config)
        yield Switch((one.text,), found, has_seat(found, asked.config))


@dataclass(frozen=True, slots=True)
class PlainFusion:
    """The pool without guarantees: is the chunk in it, and whose first is not."""

    is_in: bool
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The guarantee that would reach the chunk: its best ordinal in a leg's list.

    `seats` is how many chunks that one seats, at the least; a pool may have fewer.
    """

    ordinal: int
    leg: str
    seats: int


def own_guarantee(asked: Asked) -> Guarantee | None:
    """Return the guarantee that reaches the chunk, None where no list holds it."""
    line, depth = asked.line, asked.config.depth
    best = line.best[line.row] if line.legs else math.inf
    if best > depth:
        return None
    leg = line.legs[int(np.argmin(line.ordinals[:, line.row]))]
    return Guarantee(int(best), leg, leading(line, depth, int(best)))


def plain_fusion(asked: Asked) -> PlainFusion:
    """Return what fusion alone would hold."""
    config, outcome = replace(asked.config, guarantee=0), asked.outcome
    fused, _ = fuse(outcome.legs, config)
    entry = fill_pool(outcome.legs, fused, config).entry
    firsts = [(leg.name, leg.run.hits[0].chunk) for leg in outcome.legs if leg.run.hits]
    return PlainFusion(
        asked.chunk in entry,
        tuple(name for name, chunk in firsts if chunk not in entry),
    )
