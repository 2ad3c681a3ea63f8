"""Likeness: the chunks whose own vectors lie nearest to those of one chunk.

Nothing is encoded: the vectors are those of the builds. The legs are the dense ones of
a search, fused as there; there are no words, so no other leg and no rerank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from codesearch.funnel.corpus import Corpus
from codesearch.funnel.folding import fold
from codesearch.funnel.fusion import fuse
from codesearch.funnel.legs import DENSE, idle_leg, rank_leg
from codesearch.funnel.types import Config, Fold, Leg, Mask, Run
from indexer.pipeline.vectors import Floats

NO_PURPOSE = "it has no purpose text"
NO_VECTOR = "it has no vector yet"


class Vectored(Corpus, Protocol):
    """A corpus that gives the vectors of its chunks as well."""

    def has_purpose(self, chunk: int) -> bool:
        """Return whether a chunk has a purpose text (a window has none)."""

    def vectors_of(self, chunk: int, surface: str) -> Floats:
        """Return the vectors of a text, one row a part; no row without any."""

    def equal_to(self, chunk: int) -> Mask:
        """Return which chunks are this one, or of its content."""


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """What is like a chunk: the legs, their fusion, and what is folded in it.

    `copies` are the other chunks of its content, in order of number.
    """

    legs: tuple[Leg, ...]
    shown: Run
    folded: Mapping[int, Fold]
    copies: tuple[int, ...]


def find_alike(
    chunk: int, corpus: Vectored, fingerprint: str, config: Config
) -> Likeness:
    """Rank the chunks of one embedder by their likeness to `chunk`, which is of it.

    A cosine is that of the two best parts. The chunk and its copies are left out.
    """
    same = corpus.equal_to(chunk)
    legs = tuple(
        _leg(surface, chunk, corpus, fingerprint, ~same, config) for surface in DENSE
    )
    fused, _shares = fuse(legs, config)
    shown, folded = fold(fused, corpus)
    copies = tuple(int(one) for one in np.flatnonzero(same) if one != chunk)
    return Likeness(legs, shown, folded, copies)


def _leg(
    surface: str,
    chunk: int,
    corpus: Vectored,
    fingerprint: str,
    scope: Mask,
    config: Config,
) -> Leg:
    vectors = corpus.vectors_of(chunk, surface)
    if not len(vectors):
        has_text = surface != "purpose" or corpus.has_purpose(chunk)
        note = NO_VECTOR if has_text else NO_PURPOSE
        return idle_leg(surface, corpus.chunk_count, note)
    scores = np.full(corpus.chunk_count, np.nan)
    for vector in vectors:
        found, _parts = corpus.cosine(surface, vector, fingerprint)
        scores = np.fmax(scores, found)
    return rank_leg(surface, scores, depth=config.depth, scope=scope)
