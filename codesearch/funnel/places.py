"""Places: files ranked by their summaries, apart from the chunks.

A place answers "where does this live". Its score is a plain sum of absolute
values: the cosine of its summary, and its summary's BM25 as a share of the
most that the query could earn.
"""

from __future__ import annotations

import numpy as np

from codesearch.funnel.types import Corpus, Place, Query, Scores, Term
from indexer.pipeline.postings import K1

PLACES = 12  # Three on the page at first, the rest on demand.
COSINE_WEIGHT = 1.0
BM25_WEIGHT = 1.0  # Both run from 0 to about 1; the retrieval issue fits them.


def rank_places(
    query: Query, corpus: Corpus, cosines: Scores | None
) -> tuple[Place, ...]:
    """Return the best places; a place needs a vector or a matched term."""
    idf = corpus.place_idf(query.terms)
    attainable = (K1 + 1) * sum(idf[term] for term in query.terms)
    share = corpus.place_bm25(query.terms)
    if attainable > 0:
        share = share / attainable
    if cosines is None:
        cosines = np.full(corpus.place_count, np.nan)
    known = np.flatnonzero(~np.isnan(share) | ~np.isnan(cosines))
    points = COSINE_WEIGHT * np.nan_to_num(cosines) + BM25_WEIGHT * np.nan_to_num(share)
    order = known[np.argsort(-points[known], kind="stable")][:PLACES]
    return tuple(
        Place(
            row=int(row),
            score=float(points[row]),
            terms=(
                _term("summary cosine", float(cosines[row]), COSINE_WEIGHT),
                _term("summary bm25", float(share[row]), BM25_WEIGHT),
            ),
        )
        for row in order
    )


def _term(name: str, value: float, weight: float) -> Term:
    if np.isnan(value):
        return Term(name, None, weight, 0.0)
    return Term(name, value, weight, weight * value)
