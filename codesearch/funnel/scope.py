"""Scope: which chunks and places the conditions of a query leave to be ranked.

They act before ranking: a rank counts chunks in scope only. N, document frequencies
and the features of files and classes stay those of the whole corpus, so that a raw
score is the same with and without a condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from codesearch.funnel.corpus import Corpus
from codesearch.funnel.expression import (
    All,
    Any,
    Filter,
    Literal,
    Node,
    Not,
    leaves,
)
from codesearch.funnel.filters import DOC, PLACE, TYPE, is_choice
from codesearch.funnel.types import Condition, Mask, Scope
from indexer.pipeline.literals import Pattern

OF_FILES = ("repo", "lang", "path", "file", "is")  # A place has no kind or name.


def make_scope(filters: Sequence[Node], corpus: Corpus) -> Scope:
    """Return what is in scope. Repositories are chosen before there is a corpus.

    One of several filters of a name must hold, and every other condition.
    """
    seek_patterns(filters, corpus)
    groups: dict[object, list[Node]] = {}
    for one in filters:
        if not is_choice(one):
            key = one.name if isinstance(one, Filter) else one
            groups.setdefault(key, []).append(one)
    conditions = tuple(_condition(tuple(group), corpus) for group in groups.values())
    return Scope(
        conditions,
        _all((one.chunks for one in conditions), corpus.chunk_count),
        _all((one.places for one in conditions), corpus.place_count),
    )


def seek_patterns(
    filters: Sequence[Node], corpus: Corpus, *, rest: bool = True
) -> None:
    """Look for what conditions ask for in lines, first in files that others leave.

    Without `rest` nowhere else.
    """
    if patterns := patterns_of(filters):
        others = [one for one in filters if is_of_files(one) and not patterns_of([one])]
        corpus.seek(patterns, make_scope(others, corpus).places, rest=rest)


def scope_without(scope: Scope, dropped: Sequence[Condition]) -> Mask:
    """Return which chunks would be in scope without some of the conditions."""
    kept = (one.chunks for one in scope.conditions if one not in dropped)
    return _all(kept, len(scope.chunks))


def is_of_files(node: Node) -> bool:
    """Tell whether a condition says anything of a file as a whole."""
    if isinstance(node, Not):
        return is_of_files(node.part)
    if isinstance(node, All):
        return any(map(is_of_files, node.parts))
    if isinstance(node, Any):
        return all(map(is_of_files, node.parts))
    if isinstance(node, Filter):
        return node.name in OF_FILES or is_choice(node)
    return True


def patterns_of(nodes: Iterable[Node]) -> tuple[Pattern, ...]:
    """Return what is looked for in lines to tell whether conditions hold, each once.

    What is negated too: where it cannot be looked for, they seem to hold.
    """
    parts = chain.from_iterable(map(leaves, nodes))
    sought = (_pattern(part) for part in parts if not isinstance(part, Filter))
    return tuple(dict.fromkeys(sought))


def _condition(filters: tuple[Node, ...], corpus: Corpus) -> Condition:
    node = Any("", 0, filters)
    places = _places(node, corpus)
    if places is None:
        places = np.ones(corpus.place_count, np.bool_)
    return Condition(filters, _chunks(node, corpus), places)


def _chunks(node: Node, corpus: Corpus) -> Mask:
    """Return the chunks that a part of a query holds for."""
    if isinstance(node, Not):
        return ~_chunks(node.part, corpus)
    if isinstance(node, All):
        return _all((_chunks(one, corpus) for one in node.parts), corpus.chunk_count)
    if isinstance(node, Any):
        return _any([_chunks(one, corpus) for one in node.parts])
    if isinstance(node, Filter):
        return _described(node, corpus)
    return corpus.occurrences(_pattern(node)) > 0


def _places(node: Node, corpus: Corpus) -> Mask | None:
    """Return the places that a part of a query holds for, None if it is not of places.

    What a file holds is what its chunks do.
    """
    if isinstance(node, Not):
        found = _places(node.part, corpus)
        return None if found is None else ~found
    if isinstance(node, All | Any):
        masks = [_places(one, corpus) for one in node.parts]
        known = [mask for mask in masks if mask is not None]
        if isinstance(node, All) and known:
            return _all(known, corpus.place_count)
        return _any(known) if known and len(known) == len(masks) else None
    if isinstance(node, Filter):
        return _places_described(node, corpus)
    rows = corpus.chunk_places()[_chunks(node, corpus)]
    held = np.zeros(corpus.place_count, np.bool_)
    held[rows[rows >= 0]] = True
    return held


def _described(node: Filter, corpus: Corpus) -> Mask:
    """Return the chunks that a filter describes: a place is none, code no doc."""
    if node.name != TYPE:
        return corpus.matches(node.name, node.pattern or node.value)
    if node.value == PLACE:
        return np.zeros(corpus.chunk_count, np.bool_)
    docs = corpus.matches("kind", "section") | corpus.matches("is", "documentation")
    return docs if node.value == DOC else ~docs


def _places_described(node: Filter, corpus: Corpus) -> Mask | None:
    if node.name == TYPE:
        return np.full(corpus.place_count, node.value == PLACE)
    if node.name in OF_FILES:
        return corpus.place_matches(node.name, node.pattern or node.value)
    return None


def _pattern(node: Node) -> Pattern:
    """Return what a chunk is to hold; a word may be part of a longer one."""
    return node.pattern if isinstance(node, Literal) else Pattern(node.text)


def _all(masks: Iterable[Mask], count: int) -> Mask:
    kept = np.ones(count, np.bool_)
    for mask in masks:
        kept &= mask
    return kept


def _any(masks: Sequence[Mask]) -> Mask:
    found: Mask = np.any(masks, axis=0)
    return found
