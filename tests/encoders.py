"""A deterministic stand-in for an embedding model, for tests of other things."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from indexer.pipeline.terms import tokenize

DIMENSION = 64


class WordEncoder:
    """Sums one pseudo-random direction a term; texts that share words are close."""

    dimension = DIMENSION
    max_tokens = 80

    def __init__(self, fingerprint: str = "word-encoder-64") -> None:
        self.fingerprint = fingerprint
        self.encoded: list[str] = []
        self.asked: list[str] = []

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.encoded += texts
        return np.array([direction(text) for text in texts], dtype=np.float32)

    def token_vectors(
        self, text: str
    ) -> tuple[npt.NDArray[np.float32], list[int | None]] | None:
        return None

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        self.asked.append(text)
        return direction(text)


def direction(text: str) -> npt.NDArray[np.float32]:
    total = np.full(DIMENSION, 1e-3)
    for term in tokenize(text):
        seed = int.from_bytes(hashlib.sha256(term.encode()).digest()[:8], "big")
        total += np.random.default_rng(seed).normal(size=DIMENSION)
    unit: npt.NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
    return unit
