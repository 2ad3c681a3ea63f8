"""BM25 over several builds: N, df and the average length are summed over them.

So that one score is comparable across the repositories searched.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from indexer.pipeline import postings
from indexer.pipeline.postings import Postings

Scores = npt.NDArray[np.float64]


def length_norm(lengths: Scores, average: float) -> Scores:
    """Return what tf is damped by in BM25: k1 * (1 - b + b * dl / avgdl)."""
    b = postings.B
    return postings.K1 * (1 - b + b * lengths / average)


def average_length(builds: Sequence[Postings]) -> float:
    """Return the terms per text, 1.0 where there are none."""
    terms = sum(one.term_count for one in builds)
    chunks = sum(one.chunk_count for one in builds)
    return terms / chunks if terms else 1.0


def idf(builds: Sequence[Postings], terms: Sequence[str]) -> dict[str, float]:
    """Return the idf of each term, once."""
    total = sum(one.chunk_count for one in builds)
    return {
        term: postings.idf(
            total,
            sum(postings.document_frequency(one, term) for one in builds),
        )
        for term in dict.fromkeys(terms)
    }


def score(builds: Sequence[Postings], terms: Sequence[str]) -> Scores:
    """Score the texts of all builds, NaN where no term matches."""
    weights, average = idf(builds, terms), average_length(builds)
    scores = [
        postings.score(one, terms, idf=weights, average_length=average)
        for one in builds
    ]
    return np.concatenate([np.empty(0), *scores])
