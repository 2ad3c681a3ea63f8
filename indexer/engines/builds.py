"""One build as a search reads it: its words, names and files, and its vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from indexer.engines.layers import LexicalLayer, VectorLayer
from indexer.pipeline import vectors

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LocalBuild:
    """One build as a search sees it: the layers that were published at its start.

    `surfaces` maps "purpose", "body" and "summary" to their vector layers; those of
    another model than the one that encodes the query are left out, never mixed.
    `covered` counts the texts of each that have a vector, of whatever model.
    `fingerprint` is that of its embedder: no query of another is compared with it.
    """

    lexical: LexicalLayer
    surfaces: Mapping[str, Sequence[VectorLayer]]
    covered: Mapping[str, int]
    fingerprint: str = ""

    @property
    def chunk_count(self) -> int:
        """The number of chunks of the build."""
        return len(self.lexical.file_of)

    @property
    def place_count(self) -> int:
        """The number of files with a summary."""
        return len(self.lexical.places)

    @cached_property
    def _ordinals(self) -> dict[str, Integers]:
        return {
            surface: np.concatenate([layer.ordinals for layer in layers])
            for surface, layers in self.surfaces.items()
            if layers
        }

    @cached_property
    def _numbers(self) -> dict[str, Integers]:
        return {
            surface: np.concatenate([layer.numbers for layer in layers], dtype=np.int32)
            for surface, layers in self.surfaces.items()
            if layers
        }

    @property
    def dimension(self) -> int | None:
        """The numbers of a vector, None where none is opened."""
        opened = (layer for layers in self.surfaces.values() for layer in layers)
        first = next(opened, None)
        return first.vectors.dimension if first else None

    def split_texts(self, surface: str) -> int | None:
        """Count the texts in more than one part, None where no vector is opened."""
        if surface not in self._numbers:
            return None
        return int(np.count_nonzero(self._numbers[surface] == 1))

    def parts(self, surface: str, ordinal: int) -> int:
        """Count the parts of one text, 0 without a vector that is opened."""
        if surface not in self._ordinals:
            return 0
        return int(np.count_nonzero(self._ordinals[surface] == ordinal))

    def vectors_of(self, surface: str, ordinal: int) -> Floats:
        """Return the vectors of one text, a row a part; no row without any opened."""
        rows = [
            layer.vectors.rows[layer.ordinals == ordinal]
            for layer in self.surfaces.get(surface, ())
        ]
        return np.concatenate(rows) if rows else np.empty((0, 0), np.float32)

    def cosine(
        self, surface: str, query: Floats, fingerprint: str
    ) -> tuple[Scores, Integers]:
        """Return the cosine of each chunk's (or place's) best part, and which it is.

        Parts count from 0; without a vector the cosine is NaN and the part -1.
        """
        count = self.place_count if surface == "summary" else self.chunk_count
        layers = self.surfaces.get(surface, ())
        if not layers or self.fingerprint != fingerprint:
            return np.full(count, np.nan), np.full(count, -1, dtype=np.int32)
        row_scores = np.concatenate(
            [vectors.scores(layer.vectors, query) for layer in layers]
        )
        best, rows = vectors.best_part_scores(
            row_scores, self._ordinals[surface], count
        )
        parts = np.where(rows < 0, -1, self._numbers[surface][rows])
        return best.astype(np.float64), parts
