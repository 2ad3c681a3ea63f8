"""A seat is the number at which the pool takes a chunk: as fuse and fill_pool do.

Every value of a setting is tried by a run, and the ends of the weights from both sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from codesearch.funnel.fusion import fuse
from codesearch.funnel.intervals import Interval
from codesearch.funnel.legs import ALWAYS, rank_legs
from codesearch.funnel.pool import fill_pool
from codesearch.funnel.query import read_query
from codesearch.funnel.seats import (
    NO_SEAT,
    line_of,
    seat,
    seats_by_depth,
    seats_by_guarantee,
    seats_by_k,
    seats_by_size,
)
from codesearch.funnel.types import Config, Findings, Scored
from codesearch.funnel.vote import weights_that_seat

CHUNKS = 24
MOST_WEIGHT = 100.0


@dataclass(frozen=True)
class Race:
    """Some findings, a config, and the chunk that is asked for."""

    findings: Findings
    config: Config
    chunk: int

    def is_seated(self, config: Config) -> bool:
        """Run it: ranks, fusion and pool."""
        legs = rank_legs(self.findings, config)
        fused, _ = fuse(legs, config)
        return self.chunk in fill_pool(legs, fused, config).entry

    def weighed(self, leg: str, weight: float) -> Config:
        return replace(self.config, weights={**self.config.weights, leg: weight})


score = st.one_of(st.just(np.nan), st.integers(0, 12).map(float))
column = st.lists(score, min_size=CHUNKS, max_size=CHUNKS)
weight = st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.3])
configs = st.builds(
    Config,
    depth=st.integers(1, CHUNKS),
    rrf_k=st.sampled_from([0, 1, 10, 60]),
    pool_size=st.integers(8, CHUNKS),
    guarantee=st.sampled_from([None, 0, 1, 3, 9]),
    weights=st.fixed_dictionaries(dict.fromkeys(ALWAYS, weight)),
)


@st.composite
def races(draw: st.DrawFn) -> Race:
    """Four legs with ties and gaps, under any config."""
    legs = tuple(Scored(name, np.array(draw(column))) for name in ALWAYS)
    findings = Findings(read_query("save"), legs, None, 0.0)
    return Race(findings, draw(configs), draw(st.integers(0, CHUNKS - 1)))


@given(races())
def test_the_seat_is_the_smallest_pool_of_a_fixed_guarantee(race: Race) -> None:
    config = replace(race.config, guarantee=race.config.guarantee or 0)
    legs = rank_legs(race.findings, config)
    found = seat(line_of(legs, race.chunk), config)

    fused, _ = fuse(legs, config)
    hit = fused.by_chunk.get(race.chunk)
    assert (found.fused if found else None) == (hit.ordinal if hit else None)
    for size in range(1, CHUNKS * 2):
        expected = found is not None and found.number <= size
        assert race.is_seated(replace(config, pool_size=size)) == expected


@settings(max_examples=60)
@given(races())
def test_every_size_guarantee_constant_and_depth_answers_as_its_run(
    race: Race,
) -> None:
    config = race.config
    line = line_of(rank_legs(race.findings, config), race.chunk)
    sizes, values = range(8, 40), range(12)

    by_size = seats_by_size(line, config, sizes)
    by_guarantee = seats_by_guarantee(line, config, values)
    by_k = seats_by_k(line, config, values)
    by_depth, fused = seats_by_depth(line, config, CHUNKS)

    for number, size in zip(by_size.tolist(), sizes, strict=True):
        assert (number <= size) == race.is_seated(replace(config, pool_size=size))
    for n in values:
        changed = replace(config, guarantee=n)
        assert (by_guarantee[n] <= config.pool_size) == race.is_seated(changed)
        changed = replace(config, rrf_k=n)
        assert (by_k[n] <= config.pool_size) == race.is_seated(changed)
    for n in range(1, CHUNKS + 1):
        changed = replace(config, depth=n)
        assert (by_depth[n - 1] <= config.pool_size) == race.is_seated(changed)
        found = seat(line, changed)
        expected = (found.number, found.fused) if found else (NO_SEAT, NO_SEAT)
        assert (by_depth[n - 1], fused[n - 1]) == expected


@settings(max_examples=200)
@given(races(), st.sampled_from(ALWAYS))
def test_the_ends_of_the_weights_hold_on_both_sides(race: Race, leg: str) -> None:
    config = race.config
    line = line_of(rank_legs(race.findings, config), race.chunk)

    found = weights_that_seat(line, config, leg, 0.0, MOST_WEIGHT)

    for value in [*beside(found), 0.0, 0.31, 1.0, 1.7, 40.0, MOST_WEIGHT]:
        expected = any(value in one for one in found)
        assert race.is_seated(race.weighed(leg, value)) == expected, value


def beside(found: tuple[Interval, ...]) -> Iterator[float]:
    """Each end, a little before and a little after, and the middle."""
    for one in found:
        yield (one.start + one.stop) / 2
        for end in (one.start, one.stop):
            yield end
            for near in (end - 1e-9, end + 1e-9):
                if 0 <= near <= MOST_WEIGHT:
                    yield near


@given(races(), st.integers(0, 10))
def test_what_a_leg_guarantees_is_in_the_pool_whatever_the_rest(
    race: Race, certain: int
) -> None:
    config = replace(race.config, guarantee=certain, pool_size=4 * max(certain, 1))
    legs = rank_legs(race.findings, config)

    guaranteed = any(
        hit.chunk == race.chunk for leg in legs for hit in leg.run.hits[:certain]
    )
    if guaranteed:
        assert race.is_seated(config)
