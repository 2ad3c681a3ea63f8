"""Scope: which chunks and places the filters of a query leave to be ranked.

Filters act before ranking: a rank counts chunks in scope only. N, document
frequencies and the features of files and classes stay those of the whole corpus,
so that a raw score is the same with and without a filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from codesearch.funnel.filters import REPOSITORY, Filter
from codesearch.funnel.types import Condition, Corpus, Mask, Scope

OF_FILES = ("lang", "path", "is")  # A place has no kind.


def make_scope(filters: Sequence[Filter], corpus: Corpus) -> Scope:
    """Return what is in scope. Repositories are chosen before there is a corpus.

    One of several filters of a name must hold, and every one that is negated.
    """
    groups: dict[object, list[Filter]] = {}
    for one in filters:
        if one.name != REPOSITORY:
            groups.setdefault(one if one.negated else one.name, []).append(one)
    conditions = tuple(_condition(tuple(group), corpus) for group in groups.values())
    return Scope(
        conditions,
        _all((one.chunks for one in conditions), corpus.chunk_count),
        _all((one.places for one in conditions), corpus.place_count),
    )


def scope_without(scope: Scope, dropped: Sequence[Condition]) -> Mask:
    """Return which chunks would be in scope without some of the conditions."""
    kept = (one.chunks for one in scope.conditions if one not in dropped)
    return _all(kept, len(scope.chunks))


def _condition(filters: tuple[Filter, ...], corpus: Corpus) -> Condition:
    first = filters[0]
    chunks = np.any([corpus.matches(f.name, f.value) for f in filters], axis=0)
    places = np.ones(corpus.place_count, np.bool_)
    if first.name in OF_FILES:
        found = [corpus.place_matches(f.name, f.value) for f in filters]
        places = np.any(found, axis=0) ^ first.negated
    return Condition(filters, chunks ^ first.negated, places)


def _all(masks: Iterable[Mask], count: int) -> Mask:
    kept = np.ones(count, np.bool_)
    for mask in masks:
        kept &= mask
    return kept
