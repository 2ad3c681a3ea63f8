"""Weights: what each feature of the structural rerank counts.

Fitted by `python -m benchmarks.fit_weights` and rounded; no query word and no
repository is named anywhere. `docs/ranking.md` says what each feature brought,
and what was tried and left out.
"""

from __future__ import annotations

from collections.abc import Mapping

# Where every purpose of the searched builds has its vector.
DENSE: Mapping[str, float] = {
    "bm25": 4.5,
    "purpose cosine": 3.5,
    "body cosine": 3.0,
    "whole name": 6.0,
    "coverage": 0.0,
    "exact name": 2.0,
    "members bm25": 1.5,
    "file bm25": 2.5,
    "file purpose": 4.0,
    "path stem": 2.0,
    "own lines": 1.0,
    "no symbol": -0.7,
    "test": -3.0,
    "example": -1.5,
    "documentation": -3.0,
}
# Without vectors, or while some are missing.
LEXICAL: Mapping[str, float] = {
    "bm25": 6.0,
    "whole name": 6.0,
    "coverage": 0.0,
    "exact name": 2.0,
    "members bm25": 1.5,
    "file bm25": 4.0,
    "path stem": 2.0,
    "own lines": 1.0,
    "no symbol": -0.7,
    "test": -3.0,
    "example": -1.5,
    "documentation": -3.0,
}
