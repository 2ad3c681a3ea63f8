"""Embedding: one batch of texts becomes the files of one vector layer.

A text longer than the model reads is split into parts, each with its own row.
A row that some earlier layer of the same fingerprint holds for the same part
is copied, not computed: the cached vector is the truth.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from indexer.pipeline import store
from indexer.pipeline.encoder import Encoder
from indexer.pipeline.parts import split_text
from indexer.pipeline.surfaces import Texts
from indexer.pipeline.vectors import Vectors, save_vectors

STEP = 64  # Texts encoded between two reports of progress: one or two seconds.


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a text: of which ordinal, its number from 0, and the piece."""

    ordinal: int
    number: int
    text: str

    @property
    def digest(self) -> bytes:
        """Return the sha256 of the text, 32 bytes."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class VectorBatch:
    """Rows of one layer, in order of ordinal and part.

    `rows` float32 (n, dimension), `ordinals` int32 (n,), `numbers` int16 (n,),
    `digests` uint8 (n, 32).
    """

    rows: npt.NDArray[np.float32]
    ordinals: npt.NDArray[np.int32]
    numbers: npt.NDArray[np.int16]
    digests: npt.NDArray[np.uint8]
    reused: int


class VectorCache:
    """Rows of earlier layers, found by the sha256 of the text they stand for.

    Takes pairs of a layer's vectors and its digests, uint8 (rows, 32). Of equal
    texts the first layer's row counts.
    """

    def __init__(
        self, layers: Iterable[tuple[Vectors, npt.NDArray[np.uint8]]] = ()
    ) -> None:
        self._layers: list[Vectors] = []
        self._places: dict[bytes, tuple[int, int]] = {}
        for vectors, digests in layers:
            number = len(self._layers)
            self._layers.append(vectors)
            for row, digest in enumerate(digests):
                self._places.setdefault(digest.tobytes(), (number, row))

    def find(self, digest: bytes) -> npt.NDArray[np.float32] | None:
        """Return the row of a text, or None if no layer holds it."""
        place = self._places.get(digest)
        if place is None:
            return None
        row: npt.NDArray[np.float32] = self._layers[place[0]].rows[place[1]]
        return row


def split_texts(texts: Texts, encoder: Encoder) -> list[Part]:
    """Return the parts of `texts`; most texts are their own only part."""
    counts = encoder.count_tokens(texts.texts)
    parts: list[Part] = []
    for i, (ordinal, text) in enumerate(zip(texts.ordinals, texts.texts, strict=True)):
        pieces = [text]
        if counts[i] > encoder.max_tokens:
            pieces = split_text(
                text,
                breaks=texts.breaks[i],
                limit=encoder.max_tokens,
                count=encoder.count_tokens,
                head=texts.heads[i],
            )
        parts += [Part(ordinal, n, piece) for n, piece in enumerate(pieces)]
    return parts


def embed(
    parts: Sequence[Part],
    encoder: Encoder,
    cache: VectorCache,
    report: Callable[[int], None],
) -> VectorBatch:
    """Encode `parts`, or copy their rows from `cache`.

    `report` gets the ordinals finished so far: those that are copied first, then
    about once a second. It may raise to stop.
    """
    digests = [part.digest for part in parts]
    rows = np.zeros((len(parts), encoder.dimension), dtype=np.float32)
    todo: list[int] = []
    for i, digest in enumerate(digests):
        row = cache.find(digest)
        if row is None:
            todo.append(i)
        else:
            rows[i] = row
    # Long texts together: padding costs as much as text.
    todo.sort(key=lambda i: (len(parts[i].text), i))
    ordinals = {part.ordinal for part in parts}
    report(len(ordinals - {parts[i].ordinal for i in todo}))
    for start in range(0, len(todo), STEP):
        step = todo[start : start + STEP]
        rows[step] = encoder.encode([parts[i].text for i in step])
        waiting = {parts[i].ordinal for i in todo[start + STEP :]}
        report(len(ordinals - waiting))
    return VectorBatch(
        rows=rows,
        ordinals=np.array([part.ordinal for part in parts], dtype=np.int32),
        numbers=np.array([part.number for part in parts], dtype=np.int16),
        digests=np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, 32),
        reused=len(parts) - len(todo),
    )


def write_vector_layer(
    folder: Path, batch: VectorBatch, facts: dict[str, object]
) -> None:
    """Fill `folder` with the files of a vector layer."""
    save_vectors(folder / "vectors.faiss", batch.rows)
    np.save(folder / "ordinals.npy", batch.ordinals)
    np.save(folder / "numbers.npy", batch.numbers)
    np.save(folder / "digests.npy", batch.digests)
    store.write_manifest(folder, {**facts, "rows": len(batch.rows)})


def read_parts(folder: Path) -> dict[int, int]:
    """Return the ordinals of a vector layer's split texts, with their parts."""
    ordinals = np.load(folder / "ordinals.npy", mmap_mode="r")
    numbers = np.load(folder / "numbers.npy", mmap_mode="r")
    parts: dict[int, int] = {}
    for row in np.flatnonzero(numbers):
        ordinal = int(ordinals[row])
        parts[ordinal] = max(parts.get(ordinal, 0), int(numbers[row]) + 1)
    return parts
