"""What the funnel asks of the builds that a query is asked of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from codesearch.funnel.types import Mask, Parts, Scores
from indexer.pipeline.catalogue import Facts
from indexer.pipeline.literals import Pattern


class Corpus(Protocol):
    """What the funnel asks of the searched builds, whatever engine holds them."""

    chunk_count: int
    place_count: int
    file_count: int
    purpose_count: int

    def idf(self, terms: Sequence[str]) -> Mapping[str, float]:
        """Return the idf of each term over the chunks, once."""

    def called(self, name: str) -> npt.NDArray[np.int64]:
        """Return the chunks of a qualified name or suffix, whatever its case."""

    def holding(self, term: str) -> npt.NDArray[np.int64]:
        """Return the chunks that hold a term."""

    def facts(self, chunk: int) -> Facts:
        """Return what a chunk is besides its text."""

    def bm25(self, terms: Sequence[str]) -> Scores:
        """Score every chunk, NaN where no term matches."""

    def symbol(self, names: Sequence[str]) -> Scores:
        """Score every chunk, NaN where no name matches."""

    def embedded_by(self, fingerprint: str) -> npt.NDArray[np.bool_]:
        """Return which chunks are of builds with this embedder."""

    def cosine(
        self, surface: str, vector: npt.NDArray[np.float32], fingerprint: str
    ) -> tuple[Scores, Parts]:
        """Return each chunk's best part's cosine, and that part's number from 0.

        NaN and -1 without a vector of the embedder with this fingerprint.
        """

    def place_idf(self, terms: Sequence[str]) -> Mapping[str, float]:
        """Return the idf of each term over the summaries."""

    def place_bm25(self, terms: Sequence[str]) -> Scores:
        """Score every file's summary, NaN where no term matches."""

    def place_cosine(self, vector: npt.NDArray[np.float32], fingerprint: str) -> Scores:
        """Return each summary's cosine, NaN without a vector of this embedder."""

    def place_paths(self, terms: Sequence[str]) -> Scores:
        """Return the idf of the terms that each file's path holds, NaN for none."""

    def seek(
        self, patterns: Sequence[Pattern], places: Mask, *, rest: bool = True
    ) -> None:
        """Look for the patterns of one query in its time, in some places first.

        Without `rest` other files are not looked at.
        """

    def occurrences(self, pattern: Pattern) -> npt.NDArray[np.int32]:
        """Return how many of each chunk's own lines match, 0 for none."""

    def literal(self, patterns: Sequence[Pattern]) -> Scores:
        """Score every chunk by its matching lines, NaN where no line matches."""

    def matches(self, name: str, value: str | Pattern) -> Mask:
        """Return which chunks a filter describes."""

    def place_matches(self, name: str, value: str | Pattern) -> Mask:
        """Return which files with a summary a filter of files describes."""

    def chunk_places(self) -> npt.NDArray[np.int32]:
        """Return the row of the place of each chunk's file, -1 without one."""

    def file_of(self, chunk: int) -> int:
        """Return the number of the file that holds a chunk."""

    def content(self, chunk: int) -> bytes | None:
        """Return what a chunk's content is recognised by, None if by nothing."""

    def reexports(self, chunk: int) -> Sequence[int]:
        """Return the chunks that a stub re-exports, none of any other chunk."""
