"""A corpus whose scores a test writes down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from codesearch.funnel.types import Mask, Parts, Scores
from indexer.pipeline.catalogue import Facts
from indexer.pipeline.literals import Pattern, compile_pattern


class FakeCorpus:
    """Scores given by the test; four chunks a file."""

    def __init__(self, chunk_count: int, **scores: Mapping[int, float]) -> None:
        self.chunk_count = chunk_count
        self.place_count = 0  # Of the files in order, the first ones.
        self.file_count = -(-chunk_count // 4)
        self.purpose_count = len(scores.get("purpose", {}))
        self.unknown: set[str] = set()
        self.special: dict[int, Facts] = {}
        self.contents: dict[int, bytes] = {}
        self.stubs: dict[int, list[int]] = {}
        self.described: dict[str, set[int]] = {}  # The chunks of "kind:class".
        self.texts: dict[int, str] = {}  # Of chunks whose lines can be searched.
        self._scores = scores

    def idf(self, terms: Sequence[str]) -> Mapping[str, float]:
        return dict.fromkeys(terms, 1.0)

    def called(self, name: str) -> npt.NDArray[np.int64]:
        return np.array(sorted(self._scores.get("symbol", {})), dtype=np.int64)

    def holding(self, term: str) -> npt.NDArray[np.int64]:
        held = () if term in self.unknown else self._scores.get("bm25", {})
        return np.array(sorted(held), dtype=np.int64)

    def facts(self, chunk: int) -> Facts:
        first = chunk - chunk % 4
        plain = Facts(
            kind="function",
            marks=(),
            own_lines=20,
            stem="shop",
            neighbours=range(first, min(first + 4, self.chunk_count)),
            members=np.empty(0, dtype=np.int64),
        )
        return self.special.get(chunk, plain)

    def _column(self, name: str) -> Scores:
        column = np.full(self.chunk_count, np.nan)
        for chunk, score in self._scores.get(name, {}).items():
            column[chunk] = score
        return column

    def place_idf(self, terms: Sequence[str]) -> Mapping[str, float]:
        return dict.fromkeys(terms, 1.0)

    def bm25(self, terms: Sequence[str]) -> Scores:
        return self._column("bm25")

    def symbol(self, names: Sequence[str]) -> Scores:
        return self._column("symbol")

    def embedded_by(self, fingerprint: str) -> npt.NDArray[np.bool_]:
        return np.ones(self.chunk_count, dtype=bool)

    def cosine(
        self, surface: str, vector: npt.NDArray[np.float32], fingerprint: str
    ) -> tuple[Scores, Parts]:
        return self._column(surface), np.zeros(self.chunk_count, dtype=np.int32)

    def place_bm25(self, terms: Sequence[str]) -> Scores:
        return np.empty(0)

    def place_cosine(self, vector: npt.NDArray[np.float32], fingerprint: str) -> Scores:
        return np.empty(0)

    def place_paths(self, terms: Sequence[str]) -> Scores:
        return np.empty(0)

    def seek(
        self, patterns: Sequence[Pattern], places: Mask, *, rest: bool = True
    ) -> None:
        """Everything is looked for when it is asked for."""

    def occurrences(self, pattern: Pattern) -> npt.NDArray[np.int32]:
        counts = np.zeros(self.chunk_count, dtype=np.int32)
        compiled = compile_pattern(pattern)
        for chunk, text in self.texts.items():
            lines = text.encode().splitlines()
            counts[chunk] = sum(compiled.search(line) is not None for line in lines)
        return counts

    def literal(self, patterns: Sequence[Pattern]) -> Scores:
        counts = np.sum([self.occurrences(one) for one in patterns], axis=0)
        return np.where(counts, counts, np.nan)

    def matches(self, name: str, value: str | Pattern) -> Mask:
        chunks = self.described.get(f"{name}:{value}", set())
        return np.array([chunk in chunks for chunk in range(self.chunk_count)])

    def place_matches(self, name: str, value: str | Pattern) -> Mask:
        return np.zeros(self.place_count, dtype=np.bool_)

    def chunk_places(self) -> npt.NDArray[np.int32]:
        rows = np.arange(self.chunk_count, dtype=np.int32) // 4
        return np.where(rows < self.place_count, rows, np.int32(-1))

    def file_of(self, chunk: int) -> int:
        return chunk // 4

    def content(self, chunk: int) -> bytes | None:
        return self.contents.get(chunk)

    def reexports(self, chunk: int) -> list[int]:
        return self.stubs.get(chunk, [])
