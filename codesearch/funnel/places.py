"""Places: files ranked apart from the chunks.

A place answers "where does this live". Its score is a plain sum of absolute
values: what its summary says, what its path says, and how good its best chunks
are. A file without chunks has its summary and its path only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from codesearch.funnel.corpus import Corpus
from codesearch.funnel.types import Leg, Mask, Place, Query, Scores, Term, surface_of
from indexer.pipeline.postings import K1

PLACES = 12  # Three on the page at first, the rest on demand.
BEST = 3  # Chunks that speak for their file: one hit makes no place.

# Rounded by hand. Measured by `python -m benchmarks.file_queries`, row "places".
WEIGHTS = {
    "summary cosine": 0.25,  # More of the two is worse: it lists names, not deeds.
    "summary bm25": 0.25,
    "path": 1.0,
    "chunks bm25": 2.0,
    "chunks cosine": 1.0,
    "test or example": -1.0,
    "documentation": -1.0,
}
ASIDE = {
    "test or example": ("test", "example"),
    "documentation": ("documentation",),
}


def rank_places(
    query: Query,
    corpus: Corpus,
    cosines: Scores | None,
    legs: Sequence[Leg],
    scope: Mask,
) -> tuple[Place, ...]:
    """Return the best places of `scope`.

    One needs a vector, a matched term or a known chunk. `cosines` are those of the
    summaries, None without a model.
    """
    features = _features(query, corpus, cosines, {leg.name: leg for leg in legs})
    known = np.any([~np.isnan(values) for values in features.values()], axis=0)
    for name, marks in ASIDE.items():
        marked = np.any([corpus.place_matches("is", mark) for mark in marks], axis=0)
        features[name] = np.where(marked, 1.0, np.nan)
    points = np.zeros(corpus.place_count)
    for name, values in features.items():
        points += WEIGHTS[name] * np.nan_to_num(values)
    rows = np.flatnonzero(known & scope)
    order = rows[np.argsort(-points[rows], kind="stable")][:PLACES]
    return tuple(
        Place(
            row=int(row),
            score=float(points[row]),
            terms=tuple(
                _term(name, float(values[row])) for name, values in features.items()
            ),
        )
        for row in order
    )


def _features(
    query: Query, corpus: Corpus, cosines: Scores | None, legs: Mapping[str, Leg]
) -> dict[str, Scores]:
    """Return what each feature says of each place, NaN where it says nothing."""
    files, count = corpus.chunk_places(), corpus.place_count
    mass = _mass(query, corpus.place_idf(query.terms))
    chunk_mass = _mass(query, corpus.idf(query.terms))
    chunks = best_chunks(legs["bm25"].scores, files, count)
    return {
        "summary cosine": np.full(count, np.nan) if cosines is None else cosines,
        "summary bm25": corpus.place_bm25(query.terms) / ((K1 + 1) * mass),
        "path": corpus.place_paths(query.terms) / mass,
        "chunks bm25": chunks / ((K1 + 1) * chunk_mass),
        "chunks cosine": best_chunks(_purposes(corpus, legs), files, count),
    }


def _purposes(corpus: Corpus, legs: Mapping[str, Leg]) -> Scores:
    """Return each chunk's purpose cosine by the embedder of its build."""
    found = np.full(corpus.chunk_count, np.nan)
    for name, leg in legs.items():
        if surface_of(name) == "purpose":  # No chunk is in two of them.
            found = np.fmax(found, leg.scores)
    return found


def _mass(query: Query, idf: Mapping[str, float]) -> float:
    """Return the idf of all terms of a query; 1 for none, because it divides."""
    return sum(idf[term] for term in query.terms) or 1.0


def best_chunks(scores: Scores, files: npt.NDArray[np.int32], count: int) -> Scores:
    """Return the mean of the three best scores of each file's chunks.

    `files` is the row of each chunk's file, -1 for none, the chunks of a file side
    by side. An absent or a negative score counts 0; NaN where no chunk has a score.
    """
    known = ~np.isnan(scores) & (files >= 0)
    rows, values = files[known], scores[known]
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    found = np.full(count, np.nan)
    if not len(starts):
        return found
    found[rows[starts]] = 0.0
    sizes = np.diff(starts, append=len(rows))
    for _ in range(BEST):
        best = np.maximum.reduceat(values, starts)
        found[rows[starts]] += np.maximum(best, 0) / BEST
        at = np.flatnonzero(values == np.repeat(best, sizes))
        values[at[np.flatnonzero(np.diff(rows[at], prepend=-1))]] = -np.inf
    return found


def _term(name: str, value: float) -> Term:
    weight = WEIGHTS[name]
    if np.isnan(value):
        return Term(name, None, weight, 0.0)
    return Term(name, value, weight, weight * value)
