"""Postings: which chunk holds which term how often, and their BM25 scores.

rank_bm25 defines the statistics and is the oracle of the tests; the postings give
its scores to the last bit without its Python loops over all chunks and terms.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rank_bm25 import BM25Okapi

from indexer.pipeline.ragged import offsets_of
from indexer.pipeline.store import map_array

K1 = 1.2  # Saturation of a term's frequency; the usual value.
B = 0.75  # Weight of a chunk's length; the usual value.
CHUNK_BITS = 31  # Ordinals are int32.

Integers = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]


class PostingsError(ValueError):
    """The files of the postings do not belong together; build the index again."""


def idf(total: int, containing: int) -> float:
    """Return the weight of a term that `containing` of `total` chunks hold.

    Above 0 also for a term that every chunk holds, unlike rank_bm25's own.
    """
    return math.log(1 + (total - containing + 0.5) / (containing + 0.5))


class CodeBM25(BM25Okapi):  # type: ignore[misc]  # rank_bm25 has no types
    """BM25 with the positive `idf`, for any corpus, also one without terms."""

    avgdl: float

    def __init__(self, corpus: Sequence[Sequence[str]]) -> None:
        if any(isinstance(terms, str) for terms in corpus):
            raise TypeError("a chunk is a list of terms, not a string")
        super().__init__(corpus, k1=K1, b=B)

    def _initialize(self, corpus: Sequence[Sequence[str]]) -> dict[str, int]:
        containing: dict[str, int] = super()._initialize(corpus) if corpus else {}
        self.avgdl = self.avgdl or 1.0  # It divides; without terms any value does.
        return containing

    def _calc_idf(self, nd: dict[str, int]) -> None:
        self.idf = {term: idf(self.corpus_size, n) for term, n in nd.items()}


@dataclass(frozen=True, slots=True)
class Postings:
    """The postings of a build, by term.

    `vocabulary` is sorted. The chunks of term i, by ordinal, are
    `chunks[offsets[i]:offsets[i + 1]]`, how often they hold it is in
    `frequencies` at the same places. `lengths` counts the terms of each chunk.
    """

    vocabulary: list[str]
    offsets: Offsets
    chunks: Integers
    frequencies: Integers
    lengths: Integers

    @property
    def chunk_count(self) -> int:
        """The number of chunks, with and without terms."""
        return len(self.lengths)

    @property
    def term_count(self) -> int:
        """The number of terms over all chunks, with repeats."""
        return int(self.lengths.sum(dtype=np.int64))

    @property
    def average_length(self) -> float:
        """Terms per chunk; 1.0 where no chunk has a term, because it divides."""
        return self.term_count / self.chunk_count if self.term_count else 1.0


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each chunk holds which term, chunk by chunk.

    Chunk i holds `sizes[i]` terms. Their numbers in `vocabulary`, which has no order,
    follow one another in `terms`, how often it holds each in `frequencies`.
    """

    vocabulary: list[str]
    sizes: Integers
    terms: Integers
    frequencies: Integers


def count_terms(corpus: Iterable[Mapping[str, int]]) -> Counts:
    """Return the counts of chunks, of each how often it holds which term."""
    numbers: dict[str, int] = {}
    sizes: list[int] = []
    terms: list[int] = []
    frequencies: list[int] = []
    for counted in corpus:
        sizes.append(len(counted))
        terms += [numbers.setdefault(term, len(numbers)) for term in counted]
        frequencies += counted.values()
    arrays = (np.array(values, np.int32) for values in (sizes, terms, frequencies))
    return Counts(list(numbers), *arrays)


def build_postings(corpus: Iterable[Sequence[str]]) -> Postings:
    """Return the postings of `corpus`: the term list of each chunk, by ordinal."""
    counts = count_terms(map(Counter, corpus))
    chunks = np.repeat(np.arange(len(counts.sizes), dtype=np.int32), counts.sizes)
    vocabulary, ranks = sort_terms(counts.vocabulary)
    return make_postings(
        vocabulary,
        ranks[counts.terms],
        chunks,
        counts.frequencies,
        len(counts.sizes),
    )


def sort_terms(vocabulary: Sequence[str]) -> tuple[list[str], Integers]:
    """Return the vocabulary sorted, and the place of each of its terms in that."""
    order = sorted(range(len(vocabulary)), key=vocabulary.__getitem__)
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return [vocabulary[i] for i in order], ranks


def make_postings(
    vocabulary: Sequence[str],
    terms: Integers,
    chunks: Integers,
    frequencies: Integers,
    total: int,
) -> Postings:
    """Return the postings of `total` chunks from entries in any order.

    Each entry is the place of a term in the sorted `vocabulary`, a chunk and a
    frequency; those of equal term and chunk add up. A term without one is left out.
    """
    keys = (terms.astype(np.int64) << CHUNK_BITS) | chunks
    order = np.argsort(keys)
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))  # Of each term and chunk.
    summed = np.add.reduceat(frequencies[order], starts) if len(starts) else order
    keys = keys[starts]
    sizes = np.bincount(keys >> CHUNK_BITS, minlength=len(vocabulary))
    held = np.flatnonzero(sizes)
    return Postings(
        vocabulary=[vocabulary[i] for i in held.tolist()],
        offsets=offsets_of(sizes[held]),
        chunks=(keys & ((1 << CHUNK_BITS) - 1)).astype(np.int32),
        frequencies=summed.astype(np.int32),
        lengths=np.bincount(chunks, frequencies, total).astype(np.int32),
    )


def score(
    postings: Postings,
    terms: Sequence[str],
    *,
    idf: Mapping[str, float],
    average_length: float,
) -> npt.NDArray[np.float64]:
    """Return the BM25 score of every chunk, NaN where it holds none of `terms`.

    A term that is repeated counts again. `idf` must hold every term of the
    vocabulary among `terms`. With the corpus's own `idf` and `average_length`
    equal to `CodeBM25.get_scores` bit for bit: same operations, same order.
    """
    scores = np.zeros(postings.chunk_count)
    matched = np.zeros(postings.chunk_count, np.bool_)
    for term in terms:
        chunks, frequencies = find_chunks(postings, term)
        if not len(chunks):
            continue
        lengths = postings.lengths[chunks]
        scores[chunks] += idf[term] * (
            frequencies
            * (K1 + 1)
            / (frequencies + K1 * (1 - B + B * lengths / average_length))
        )
        matched[chunks] = True
    scores[~matched] = np.nan
    return scores


def find_chunks(postings: Postings, term: str) -> tuple[Integers, Integers]:
    """Return the ordinals of the chunks that hold `term`, and how often."""
    i = bisect_left(postings.vocabulary, term)
    if i == len(postings.vocabulary) or postings.vocabulary[i] != term:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    span = slice(int(postings.offsets[i]), int(postings.offsets[i + 1]))
    return postings.chunks[span], postings.frequencies[span]


def document_frequency(postings: Postings, term: str) -> int:
    """Return how many chunks hold `term`."""
    return len(find_chunks(postings, term)[0])


def term_frequencies(postings: Postings, term: str, chunk: int) -> int:
    """Return how often the chunk of this ordinal holds `term`."""
    chunks, frequencies = find_chunks(postings, term)
    i = int(np.searchsorted(chunks, chunk))
    return int(frequencies[i]) if i < len(chunks) and chunks[i] == chunk else 0


def terms_of(postings: Postings, chunk: int) -> list[tuple[str, int]]:
    """Return the terms of one chunk with their counts, commonest first, then by name.

    It reads all postings: for looking at a chunk, not for searching.
    """
    places = np.flatnonzero(postings.chunks == chunk)
    numbers = np.searchsorted(postings.offsets, places, side="right") - 1
    found = [
        (postings.vocabulary[int(number)], int(postings.frequencies[place]))
        for number, place in zip(numbers, places, strict=True)
    ]
    return sorted(found, key=lambda row: (-row[1], row[0]))


def save_postings(postings: Postings, folder: Path) -> None:
    """Write the postings into `folder`, which is made if needed."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = json.dumps(postings.vocabulary, separators=(",", ":"))
    (folder / "vocabulary.json").write_text(vocabulary, encoding="ascii")
    for name in ("offsets", "chunks", "frequencies", "lengths"):
        np.save(folder / f"{name}.npy", getattr(postings, name), allow_pickle=False)


def load_postings(folder: Path) -> Postings:
    """Return the postings in `folder`, their arrays mapped, not read.

    Raises PostingsError if the files do not belong together.
    """
    offsets, chunks, frequencies, lengths = (
        map_array(folder / f"{name}.npy")
        for name in ("offsets", "chunks", "frequencies", "lengths")
    )
    vocabulary = json.loads((folder / "vocabulary.json").read_bytes())
    ends = int(offsets[-1]) if len(offsets) else None
    if len(offsets) != len(vocabulary) + 1 or not ends == len(chunks) == len(
        frequencies
    ):
        raise PostingsError(
            f"{folder}: {len(vocabulary)} terms, {len(offsets)} offsets, "
            f"{len(chunks)} chunks, {len(frequencies)} frequencies; build it again"
        )
    return Postings(vocabulary, offsets, chunks, frequencies, lengths)
