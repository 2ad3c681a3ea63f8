"""Seats: one chunk's place in the line for the pool, under any setting of the funnel.

`fill_pool` seats the guaranteed chunks by their best ordinal and then the fused order.
So a chunk has a number in that line, its seat, and the pool holds it if it has as many.
Here the seat is counted, not the line formed: a setting costs microseconds, and each
number is the one that `fuse` and `fill_pool` come to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from codesearch.funnel.pool import guaranteed
from codesearch.funnel.types import Config, Leg, Mask, Scores

Counts = npt.NDArray[np.int64]
NO_SEAT = np.iinfo(np.int64).max  # Of a chunk that no list holds.


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One chunk and all that some leg knows, each with its ordinals.

    `ordinals` is (legs that ran, chunks), infinite where a leg does not know one,
    `chunks` rises, and `row` is the place of the chunk itself.
    """

    legs: tuple[str, ...]
    chunks: npt.NDArray[np.int64]
    ordinals: Scores
    row: int

    @property
    def best(self) -> Scores:
        """The best ordinal of each chunk in any leg."""
        return np.asarray(np.min(self.ordinals, axis=0))

    def listed(self, depth: int) -> Line | None:
        """Return the line of those on a list of `depth`; None if the chunk is not."""
        kept = self.best <= depth
        if not kept[self.row]:
            return None
        ordinals = self.ordinals[:, kept]
        return replace(
            self,
            chunks=self.chunks[kept],
            ordinals=np.where(ordinals <= depth, ordinals, np.inf),
            row=int(np.count_nonzero(kept[: self.row])),
        )

    def without(self, legs: Sequence[int]) -> Line:
        """Return the line as it is without some of the legs, by number."""
        kept = [n for n in range(len(self.legs)) if n not in legs]
        names = tuple(self.legs[n] for n in kept)
        return replace(self, legs=names, ordinals=self.ordinals[kept])


def line_of(legs: Sequence[Leg], chunk: int) -> Line:
    """Return the line of `chunk` over everything that the legs know in scope."""
    running = [leg for leg in legs if leg.ran]
    count = len(legs[0].scores)
    ordinals = np.full((len(running), count), np.inf)
    for row, leg in enumerate(running):
        known = np.flatnonzero(~np.isnan(leg.ranked))
        order = known[np.argsort(-leg.scores[known], kind="stable")]
        ordinals[row, order] = np.arange(1, len(order) + 1)
    kept = np.isfinite(ordinals).any(axis=0)
    kept[chunk] = True
    chunks = np.flatnonzero(kept)
    row = int(np.searchsorted(chunks, chunk))
    names = tuple(leg.name for leg in running)
    return Line(names, chunks, ordinals[:, chunks], row)


@dataclass(frozen=True, slots=True)
class Seat:
    """One chunk's number in the line, and in the fused order."""

    number: int
    fused: int


def seat(line: Line, config: Config) -> Seat | None:
    """Return the chunk's seat under `config`, None where no list holds it."""
    listed = line.listed(config.depth) if line.legs else None
    if listed is None:
        return None
    ahead = _ahead(listed, fused_scores(listed, config))
    certain = guaranteed(len(line.legs), config)
    return Seat(int(_number(listed, ahead, certain)), 1 + int(ahead.sum()))


def has_seat(found: Seat | None, config: Config) -> bool:
    """Tell whether a pool has as many seats as the number of one."""
    return found is not None and found.number <= config.pool_size


def fused_scores(line: Line, config: Config) -> Scores:
    """Return each chunk's fused score, to the last bit as `fuse` does."""
    total = np.zeros(len(line.chunks))
    for name, ordinals in zip(line.legs, line.ordinals, strict=True):
        total += config.weight(name) / (config.rrf_k + ordinals)
    return total


def _ahead(line: Line, scores: Scores) -> Mask:
    """Return which chunks the fused order has before the chunk."""
    own = scores[line.row]
    ahead = scores > own
    ahead[: line.row] |= scores[: line.row] == own
    return np.asarray(ahead)


def _number(line: Line, ahead: Mask, certain: int) -> int:
    """Return the seat where the first `certain` ordinals of each leg come first."""
    best = line.best
    if best[line.row] <= certain:
        return first_number(line)
    return 1 + int(np.count_nonzero((best <= certain) | ahead))


def first_number(line: Line) -> int:
    """Return the seat of a guaranteed chunk: by best ordinal, then by leg."""
    entry = line.best * len(line.legs) + np.argmin(line.ordinals, axis=0)
    return 1 + int(np.count_nonzero(entry < entry[line.row]))


def seats_by_size(line: Line, config: Config, sizes: range) -> Counts:
    """Return the seat in a pool of each size. A guarantee by rule grows with it."""
    legs = len(line.legs)
    certain = [guaranteed(legs, replace(config, pool_size=size)) for size in sizes]
    return _by_guarantee(line, config, np.array(certain))


def seats_by_guarantee(line: Line, config: Config, guarantees: range) -> Counts:
    """Return the seat for each number of ordinals that are sure of one."""
    return _by_guarantee(line, config, np.arange(guarantees.start, guarantees.stop))


def leading(line: Line, depth: int, certain: int) -> int:
    """Return how many chunks the first `certain` ordinals of the legs are."""
    return int(np.count_nonzero(line.best <= min(certain, depth)))


def _by_guarantee(line: Line, config: Config, certain: Counts) -> Counts:
    listed = line.listed(config.depth)
    if listed is None:
        return np.full(len(certain), NO_SEAT)
    ahead = _ahead(listed, fused_scores(listed, config))
    behind = np.sort(listed.best[~ahead])  # The chunk itself is one of them.
    before = np.searchsorted(behind, certain, side="right") + np.count_nonzero(ahead)
    first = certain >= listed.best[listed.row]
    return np.where(first, first_number(listed), 1 + before).astype(np.int64)


def seats_by_k(line: Line, config: Config, values: range) -> Counts:
    """Return the seat for each constant of the fusion."""
    listed = line.listed(config.depth)
    if listed is None:
        return np.full(len(values), NO_SEAT)
    certain = guaranteed(len(line.legs), config)
    if listed.best[listed.row] <= certain:
        return np.full(len(values), first_number(listed))
    return np.array(
        [
            _number(
                listed,
                _ahead(listed, fused_scores(listed, replace(config, rrf_k=k))),
                certain,
            )
            for k in values
        ]
    )


def seats_by_depth(line: Line, config: Config, most: int) -> tuple[Counts, Counts]:
    """Return the seat and the fused ordinal for each depth of the lists, 1 to `most`.

    Between two depths at which the chunk enters a list its score stands still, and
    each other chunk comes before it from one depth on: that one is found for all.
    """
    depths = np.arange(1, most + 1)
    numbers, fused = np.full(most, NO_SEAT), np.full(most, NO_SEAT)
    own = line.ordinals[:, line.row]
    certain = guaranteed(len(line.legs), config)
    is_first = line.best[line.row] <= certain
    entered = [int(o) for o in sorted(own) if o <= most]
    for start, stop in pairwise([*entered, most + 1]):
        if start == stop:
            continue
        inside = slice(start - 1, stop - 1)
        since = _ahead_since(line, config, start)
        fused[inside] = 1 + np.searchsorted(np.sort(since), depths[inside], "right")
        later = np.sort(since[line.best > certain])
        before = np.count_nonzero(line.best <= certain) + np.searchsorted(
            later, depths[inside], "right"
        )
        numbers[inside] = first_number(line) if is_first else 1 + before
    return numbers, fused


def _ahead_since(line: Line, config: Config, depth: int) -> Scores:
    """Return from which depth on each chunk is ahead of the chunk at `depth`.

    Infinite for those that never are. Scores only grow with the depth: a weight is
    never negative.
    """
    since = np.full(len(line.chunks), np.inf)
    own = fused_scores(_cut(line, np.float64(depth)), config)[line.row]
    for at in np.sort(line.ordinals, axis=0)[::-1]:  # The least depth is set last.
        scores = fused_scores(_cut(line, at), config)
        ahead = scores > own
        ahead[: line.row] |= scores[: line.row] == own
        since[ahead & np.isfinite(at)] = at[ahead & np.isfinite(at)]
    since[line.row] = np.inf
    return since


def _cut(line: Line, depth: Scores | np.float64) -> Line:
    ordinals = np.where(line.ordinals <= depth, line.ordinals, np.inf)
    return replace(line, ordinals=ordinals)
