"""Embedding: one batch of texts becomes the files of one vector layer.

A text longer than the model reads is split into parts, each with its own row. The
vectors of a text that is known are copied, not computed: the cached vector is the
truth, and neither tokenizer nor model is asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from indexer.pipeline import store
from indexer.pipeline.encoder import Encoder
from indexer.pipeline.known import DIGEST_BYTES, TEXT_DIGESTS
from indexer.pipeline.parts import split_text
from indexer.pipeline.surfaces import Texts, load_surface, text_sizes
from indexer.pipeline.vectors import save_vectors

Floats = npt.NDArray[np.float32]

# What is encoded between two looks at the clock, and lost to a kill: about a second.
PORTION_TEXTS = 256
PORTION_BYTES = 32_000
# Multiples of it, whole numbers taken off, are spread evenly however many there are.
GOLDEN = (5**0.5 - 1) / 2


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
    """Rows of one layer: its texts one after the other, each part by part.

    `rows` float32 (n, dimension), `ordinals` int32 (n,), `numbers` int16 (n,),
    `digests` uint8 (n, 32): the key of the text that each row is of.
    """

    rows: Floats
    ordinals: npt.NDArray[np.int32]
    numbers: npt.NDArray[np.int16]
    digests: npt.NDArray[np.uint8]

    @property
    def split_count(self) -> int:
        """The number of texts in more than one part."""
        return int(np.count_nonzero(self.numbers == 1))


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


def encode_texts(
    lexical: Path, surface: str, wanted: Mapping[bytes, int], encoder: Encoder
) -> Iterator[dict[bytes, Floats]]:
    """Yield the vectors of texts by their keys, a portion at a time.

    `wanted` has the ordinal of each key. Texts of one length stand together, because
    padding costs as much as text. Short and long portions take turns, so that the pace
    of some tells that of the rest.
    """
    keys = {ordinal: key for key, ordinal in wanted.items()}
    portions = list(_portions(lexical, surface, list(keys)))
    turns = sorted(range(len(portions)), key=lambda turn: (turn * GOLDEN) % 1)
    for portion in map(portions.__getitem__, turns):
        parts = split_texts(load_surface(lexical, surface, portion), encoder)
        rows = encoder.encode([part.text for part in parts])
        starts = [row for row, part in enumerate(parts) if part.number == 0]
        yield {
            keys[ordinal]: rows[start:stop]
            for ordinal, start, stop in zip(
                portion, starts, [*starts[1:], len(parts)], strict=True
            )
        }


def _portions(
    lexical: Path, surface: str, ordinals: Sequence[int]
) -> Iterator[list[int]]:
    sizes = dict(zip(ordinals, text_sizes(lexical, surface, ordinals), strict=True))
    portion: list[int] = []
    total = 0
    for ordinal in sorted(ordinals, key=lambda one: (sizes[one], one)):
        total += sizes[ordinal]
        if portion and (total > PORTION_BYTES or len(portion) == PORTION_TEXTS):
            yield portion
            portion, total = [], sizes[ordinal]
        portion.append(ordinal)
    if portion:
        yield portion


def assemble(
    ordinals: Sequence[int], keys: Sequence[bytes], vectors: Mapping[bytes, Floats]
) -> VectorBatch:
    """Return the rows of a layer: for each ordinal the vectors of its key."""
    counts = [len(vectors[key]) for key in keys]
    digests = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, DIGEST_BYTES)
    return VectorBatch(
        rows=np.concatenate([vectors[key] for key in keys], dtype=np.float32),
        ordinals=np.repeat(np.array(ordinals, np.int32), counts),
        numbers=np.concatenate([np.arange(n, dtype=np.int16) for n in counts]),
        digests=np.repeat(digests, counts, axis=0),
    )


def write_vector_layer(
    folder: Path, batch: VectorBatch, facts: dict[str, object]
) -> None:
    """Fill `folder` with the files of a vector layer."""
    save_vectors(folder / "vectors.faiss", batch.rows)
    np.save(folder / "ordinals.npy", batch.ordinals)
    np.save(folder / "numbers.npy", batch.numbers)
    np.save(folder / "digests.npy", batch.digests)
    told = {**facts, "digests": TEXT_DIGESTS, "rows": len(batch.rows)}
    store.write_manifest(folder, told)


def read_parts(folder: Path) -> dict[int, int]:
    """Return the ordinals of a vector layer's split texts, with their parts."""
    ordinals = np.load(folder / "ordinals.npy", mmap_mode="r")
    numbers = np.load(folder / "numbers.npy", mmap_mode="r")
    parts: dict[int, int] = {}
    for row in np.flatnonzero(numbers):
        ordinal = int(ordinals[row])
        parts[ordinal] = max(parts.get(ordinal, 0), int(numbers[row]) + 1)
    return parts
