"""Known: the vectors that were made of a text before, by the key of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
import numpy.typing as npt

from indexer.pipeline.cache import Cache
from indexer.pipeline.store import read_manifest
from indexer.pipeline.surfaces import text_digests, text_keys
from indexer.pipeline.vectors import are_sound

Floats = npt.NDArray[np.float32]

# What the manifest says of `digests.npy`. Before, they were of the parts.
TEXT_DIGESTS = "texts"
DIGEST_BYTES = 32


class KnownVectors:
    """The vectors of texts by their keys, float32 (parts, dimension), in a cache."""

    def __init__(self, cache: Cache, dimension: int) -> None:
        self.cache = cache
        self.dimension = dimension

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Floats]:
        """Return what is known of `keys`. What is no vector counts as not known."""
        width = 4 * self.dimension
        found = self.cache.find(keys)
        found = {key: value for key, value in found.items() if len(value) >= width}
        found = {key: value for key, value in found.items() if not len(value) % width}
        if not found:
            return {}
        rows = np.frombuffer(b"".join(found.values()), "<f4").reshape(-1, width // 4)
        stops = list(accumulate(len(value) // width for value in found.values()))
        starts = [0, *stops[:-1]]
        sound = np.logical_and.reduceat(are_sound(rows), starts).tolist()
        return {
            key: rows[start:stop]
            for key, start, stop, is_sound in zip(
                found, starts, stops, sound, strict=True
            )
            if is_sound
        }

    def add(self, vectors: Mapping[bytes, Floats]) -> None:
        """Keep vectors. What is known already stays as it is."""
        self.cache.add(
            {key: rows.astype("<f4").tobytes() for key, rows in vectors.items()}
        )


@dataclass(frozen=True, slots=True)
class HeldText:
    """One text of a vector layer: its rows, and the key of the text of its build.

    `agrees` tells whether the rows were made of that text; None where an earlier
    version split it and noted only what the parts were.
    """

    ordinal: int
    start: int
    stop: int
    key: bytes
    agrees: bool | None


def held_texts(layer: Path, lexical: Path, surface: str) -> list[HeldText]:
    """Return the texts of a vector layer, in order of its rows."""
    starts = np.flatnonzero(np.load(layer / "numbers.npy") == 0)
    ordinals, digests = (np.load(layer / f"{n}.npy") for n in ("ordinals", "digests"))
    counts = np.diff(starts, append=len(ordinals))
    texts = ordinals[starts].tolist()
    keys = text_keys(lexical, surface, texts)
    is_new = read_manifest(layer).get("digests") == TEXT_DIGESTS
    wanted = keys if is_new else text_digests(lexical / surface, texts)
    own = np.frombuffer(b"".join(wanted), np.uint8).reshape(-1, DIGEST_BYTES)
    is_own = (digests == np.repeat(own, counts, axis=0)).all(axis=1)
    is_own &= ordinals == np.repeat(ordinals[starts], counts)
    agrees = np.logical_and.reduceat(is_own, starts).tolist()
    return [
        HeldText(ordinal, start, start + n, key, agrees if is_new or n == 1 else None)
        for ordinal, start, n, key, agrees in zip(
            texts, starts.tolist(), counts.tolist(), keys, agrees, strict=True
        )
    ]
