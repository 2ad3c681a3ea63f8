"""What is like a chunk: by its own vectors, without itself and its copies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from codesearch.funnel.likeness import NO_PURPOSE, NO_VECTOR, find_alike
from codesearch.funnel.types import Config, Mask
from tests.codesearch.funnel.fake_corpus import FakeCorpus

Floats = npt.NDArray[np.float32]
BODY: dict[int, list[list[float]]] = {
    0: [[1.0, 0.0]],
    1: [[0.6, 0.8]],
    2: [[0.8, 0.6]],
    3: [[1.0, 0.0]],
    4: [[0.0, 1.0], [0.96, 0.28]],
}


class VectorCorpus(FakeCorpus):
    """Chunks with bodies of two numbers; 3 is a copy of 0, and 5 has no vector."""

    def __init__(self) -> None:
        super().__init__(6)
        self.contents = {0: b"same", 3: b"same"}

    def has_purpose(self, chunk: int) -> bool:
        return chunk == 5

    def vectors_of(self, chunk: int, surface: str) -> Floats:
        rows = BODY.get(chunk, []) if surface == "body" else []
        return np.array(rows, np.float32).reshape(-1, 2)

    def equal_to(self, chunk: int) -> Mask:
        content = self.contents.get(chunk, chunk)
        return np.array([self.contents.get(n, n) == content for n in range(6)])

    def cosine(
        self, surface: str, vector: Floats, fingerprint: str
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
        best = [
            max((float(np.dot(row, vector)) for row in BODY.get(n, [])), default=np.nan)
            for n in range(6)
        ]
        return np.array(best), np.zeros(6, np.int32)


def test_the_nearest_come_first_without_the_chunk_and_its_copies() -> None:
    found = find_alike(0, VectorCorpus(), "model", Config())

    assert [hit.chunk for hit in found.shown.hits] == [4, 2, 1]
    assert found.copies == (3,)


def test_the_best_parts_of_both_are_compared() -> None:
    found = find_alike(4, VectorCorpus(), "model", Config())

    leg = found.legs[-1]
    assert leg.name == "body"
    assert leg.scores[0] == pytest.approx(0.96)
    assert leg.scores[1] == pytest.approx(0.8)


def test_copies_among_the_hits_are_folded() -> None:
    found = find_alike(2, VectorCorpus(), "model", Config())

    assert [hit.chunk for hit in found.shown.hits] == [1, 4, 0]
    assert found.folded[3].under == 0


def test_what_has_no_vector_is_like_nothing_and_that_is_said() -> None:
    without = find_alike(5, VectorCorpus(), "model", Config())
    window = find_alike(0, VectorCorpus(), "model", Config())

    notes = {leg.name: leg.note for leg in without.legs}
    assert notes == {"purpose": NO_VECTOR, "body": NO_VECTOR}
    assert without.shown.hits == ()
    assert window.legs[0].note == NO_PURPOSE
