"""Page one: which weights of a feature put a chunk there, all else as it is.

The structural score is linear in each weight, so the order of two chunks changes at one
weight at most. What the page shows of an order, folding and cards, is counted here for
many orders at once; it is what `fold` and `deal_cards` come to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codesearch.funnel.corpus import Corpus
from codesearch.funnel.intervals import Interval, between, merge_points, real_intervals
from codesearch.funnel.types import Config, Mask, Scores, Sum

Orders = npt.NDArray[np.int64]
STEP = 512  # Weights tried at once: a megabyte of scores.


@dataclass(frozen=True, slots=True, eq=False)
class Seated:
    """The pool of one search as pages see it, and the chunk that is asked for.

    Chunks rise, and are known by their rows. `files` numbers the file of each, from 0.
    `copies` maps each row to those of the same content, itself among them, where there
    are several. `stubs` maps a row to the rows of the definitions it re-exports, and
    `reexporting` tells which rows re-export anything.
    """

    total: Sum
    row: int
    files: npt.NDArray[np.int64]
    copies: Mapping[int, Sequence[int]]
    stubs: Mapping[int, Sequence[int]]
    reexporting: Mask


def seat_pool(total: Sum, corpus: Corpus, chunk: int) -> Seated:
    """Return the pool whose structural scores are `total`; `chunk` is in it."""
    chunks = list(total.rows)
    _, files = np.unique([corpus.file_of(one) for one in chunks], return_inverse=True)
    by_content: dict[bytes, list[int]] = {}
    for row, one in enumerate(chunks):
        if content := corpus.content(one):
            by_content.setdefault(content, []).append(row)
    groups = [rows for rows in by_content.values() if len(rows) > 1]
    exported = [corpus.reexports(one) for one in chunks]
    stubs = {
        row: [total.rows[one] for one in definitions if one in total.rows]
        for row, definitions in enumerate(exported)
    }
    return Seated(
        total,
        total.rows[chunk],
        files,
        {row: rows for rows in groups for row in rows},
        {row: rows for row, rows in stubs.items() if rows},
        np.array([bool(definitions) for definitions in exported]),
    )


def weights_on_page_one(
    seated: Seated, config: Config, feature: str, least: float, most: float
) -> tuple[Interval, ...]:
    """Return which weights of a feature show the chunk on page one."""
    points = _passings(seated, feature, least, most)
    at_points = _try(seated, config, feature, points)
    inside = _try(seated, config, feature, between(points))
    return real_intervals(points, at_points, inside)


def _passings(seated: Seated, feature: str, least: float, most: float) -> Scores:
    """Return the bounds, and where a chunk passes another one that matters.

    What shares the chunk's file passes all others; copies pass their like.
    """
    total = seated.total
    column = np.nan_to_num(total.values[:, total.names.index(feature)])
    rest = scores_with(total, feature, np.zeros(1))[0]
    own = np.flatnonzero(seated.files == seated.files[seated.row])
    pairs = [(own[:, None], np.arange(len(column))[None, :])]
    for row, rows in seated.copies.items():
        pairs.append((np.array([row]), np.array(rows)))
    found = [np.array([least, most])]
    for one, other in pairs:
        slope, lead = column[one] - column[other], rest[one] - rest[other]
        points = -lead[slope != 0] / slope[slope != 0]
        found.append(points[(points > least) & (points < most)])
    return merge_points(np.concatenate(found))


def _try(seated: Seated, config: Config, feature: str, weights: Scores) -> Mask:
    found = [np.empty(0, np.bool_)]
    for start in range(0, len(weights), STEP):
        scores = scores_with(seated.total, feature, weights[start : start + STEP])
        found.append(on_page_one(seated, scores, config))
    return np.concatenate(found)


def scores_with(total: Sum, feature: str, weights: Scores) -> Scores:
    """Return the structural scores for each weight of a feature, a row a weight.

    Added up in the order of the features, as `add_up` does, to the last bit.
    """
    scores = np.zeros((len(weights), len(total.values)))
    columns = np.nan_to_num(total.values.T)
    for name, weight, column in zip(total.names, total.weights, columns, strict=True):
        if name == feature:
            scores += weights[:, None] * column[None, :]
        else:
            scores += column * weight
    return scores


def on_page_one(seated: Seated, scores: Scores, config: Config) -> Mask:
    """Return for each row of scores whether the first page shows the chunk."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ordinals = np.empty_like(order)
    np.put_along_axis(ordinals, order, np.arange(order.shape[1])[None, :], axis=1)
    kept = _kept(seated, ordinals)
    places = np.where(kept, ordinals, ordinals.shape[1])
    sorting = np.argsort(seated.files, kind="stable")
    starts = np.flatnonzero(np.diff(seated.files[sorting], prepend=-1))
    best = np.minimum.reduceat(places[:, sorting], starts, axis=1)
    own = seated.files[seated.row]
    cards = np.count_nonzero(best < best[:, own, None], axis=1)
    siblings = places[:, seated.files == own]
    before = np.count_nonzero(siblings < places[:, seated.row, None], axis=1)
    fits = (cards < config.cards_per_page) & (before < config.chunks_per_card)
    return np.asarray(kept[:, seated.row] & fits)


def _kept(seated: Seated, ordinals: Orders) -> Mask:
    """Return which chunks are not folded beneath another, for each order."""
    kept = np.ones(ordinals.shape, np.bool_)
    for row, copies in seated.copies.items():
        kept[:, row] = ordinals[:, row] == ordinals[:, list(copies)].min(axis=1)
    stubs = np.zeros(ordinals.shape, np.bool_)
    for row, definitions in seated.stubs.items():
        for one in definitions:
            stubs[:, row] |= ~seated.reexporting[_under(seated, ordinals, one)]
    return kept & ~stubs


def _under(seated: Seated, ordinals: Orders, row: int) -> Orders:
    """Return the row that a chunk stands under, itself or its first copy."""
    copies = np.array(seated.copies.get(row, [row]))
    return np.asarray(copies[np.argmin(ordinals[:, copies], axis=1)])
