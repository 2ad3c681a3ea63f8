"""Weights: what each feature of the structural rerank counts.

Fitted by `python -m benchmarks.fit_weights` and rounded; `whole name` is set above
whatever else two chunks can differ by. No query word and no repository is named
anywhere. `docs/ranking.md` says what each feature is, and what was left out.
"""

from __future__ import annotations

from collections.abc import Mapping

# Where every purpose of the searched builds has its vector.
DENSE: Mapping[str, float] = {
    "bm25": 2.5,
    "purpose cosine": 3.0,
    "body cosine": 4.0,
    "coverage": 3.0,
    "whole name": 6.0,
    "exact name": 2.0,
    "members bm25": 2.0,
    "file bm25": 1.5,
    "file purpose": 3.5,
    "path stem": 2.0,
    "own lines": 0.7,
    "no symbol": -1.3,
    "test": -3.0,
    "example": -1.0,
    "documentation": -3.0,
}
# Without vectors, or while some are missing.
LEXICAL: Mapping[str, float] = {
    "bm25": 5.0,
    "coverage": 3.0,
    "whole name": 6.0,
    "exact name": 2.0,
    "members bm25": 2.0,
    "file bm25": 3.0,
    "path stem": 2.5,
    "own lines": 0.7,
    "no symbol": -1.3,
    "test": -3.0,
    "example": -1.0,
    "documentation": -3.0,
}
