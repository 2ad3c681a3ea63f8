"""Merging: the terms that files were packed with, as those of one build."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from indexer.pipeline.packing import PlacedFile, join_column
from indexer.pipeline.paths import display_path
from indexer.pipeline.postings import (
    Integers,
    Postings,
    idf,
    make_postings,
    sort_terms,
)
from indexer.pipeline.ragged import Places, offsets_of, places_of
from indexer.pipeline.terms import count_path

TERM_BITS = 32
DISTINCTIVE_TERMS = 12  # As many as a mean file of Django defines top-level names.


@dataclass(frozen=True, slots=True)
class TermRows:
    """Terms with frequencies, row by row: row i is from `offsets[i]` to the next."""

    offsets: Places
    terms: Integers
    frequencies: Integers


@dataclass(frozen=True, slots=True)
class MergedTerms:
    """The terms of files in order. Numbers are places in the sorted `vocabulary`.

    `chunks` has a row a chunk: its terms without those of its path. `paths` has a row
    a file, which every one of its chunks has besides. `heads` has the terms of files
    without chunks. `file_starts` are the ordinals at which files begin, and the end.
    """

    vocabulary: list[str]
    chunks: TermRows
    paths: TermRows
    heads: TermRows
    file_starts: Integers


def merge_terms(files: Sequence[PlacedFile], file_starts: Integers) -> MergedTerms:
    """Return the terms of all files under numbers that they share."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    own = [placed.file.vocabulary for placed in files]
    shared = np.fromiter(map(numbers.__getitem__, chain.from_iterable(own)), np.int32)
    sizes = join_column(files, "term_sizes")
    offsets = offsets_of(sizes)
    starts = offsets_of([len(words) for words in own])[:-1]
    counted = np.diff(offsets[file_starts])
    terms = shared[join_column(files, "terms") + np.repeat(starts, counted)]
    counted_paths = (count_path(display_path(placed.entry.path)) for placed in files)
    paths = _rows(counted_paths, numbers)
    heads = _rows((placed.file.head for placed in files), numbers)
    vocabulary, ranks = sort_terms(list(numbers))
    return MergedTerms(
        vocabulary,
        TermRows(offsets, ranks[terms], join_column(files, "frequencies")),
        TermRows(paths.offsets, ranks[paths.terms], paths.frequencies),
        TermRows(heads.offsets, ranks[heads.terms], heads.frequencies),
        file_starts,
    )


def merge_postings(merged: MergedTerms) -> Postings:
    """Return the postings of all chunks, each with the terms of its path."""
    own, paths = merged.chunks, merged.paths
    total = len(own.offsets) - 1
    every = np.arange(total, dtype=np.int32)
    file_of = np.repeat(
        np.arange(len(merged.file_starts) - 1), np.diff(merged.file_starts)
    )
    sizes = np.diff(paths.offsets)[file_of]
    places = places_of(paths.offsets, file_of)
    return make_postings(
        merged.vocabulary,
        np.concatenate([own.terms, paths.terms[places]]),
        np.concatenate(
            [np.repeat(every, np.diff(own.offsets)), np.repeat(every, sizes)]
        ),
        np.concatenate([own.frequencies, paths.frequencies[places]]),
        total,
    )


def distinctive_terms(
    merged: MergedTerms, postings: Postings, numbers: Sequence[int]
) -> dict[int, list[str]]:
    """Return of the files of these numbers the terms of the highest tf * idf.

    Ties by name. In alphabetical order, so that a change elsewhere in the repository
    seldom changes the text, and its vector is reused.
    """
    files, terms, frequencies = _file_terms(merged, np.array(numbers, np.int64))
    scores = frequencies * _weights(merged.vocabulary, postings)[terms]
    order = np.lexsort((terms, -scores, files))
    ends = offsets_of(np.bincount(files, minlength=len(numbers))).tolist()
    found: dict[int, list[str]] = {}
    for number, start, end in zip(numbers, ends, ends[1:], strict=False):
        best = terms[order[start : min(end, start + DISTINCTIVE_TERMS)]]
        found[number] = [merged.vocabulary[term] for term in np.sort(best)]
    return found


def _file_terms(merged: MergedTerms, numbers: Places) -> tuple[Places, Places, Places]:
    """Return the terms of files over all their chunks, and how often each has them.

    Row by row the place of a file in `numbers`, a term and its frequency there.
    """
    chunks = np.diff(merged.file_starts)[numbers]
    own = merged.chunks.offsets[merged.file_starts]
    parts = (
        (own, merged.chunks, np.ones_like(chunks)),
        (merged.paths.offsets, merged.paths, chunks),
        (merged.heads.offsets, merged.heads, np.ones_like(chunks)),
    )
    keys, counts = [], []
    for offsets, rows, times in parts:
        places = places_of(offsets, numbers)
        files = np.repeat(np.arange(len(numbers)), np.diff(offsets)[numbers])
        keys.append((files << TERM_BITS) | rows.terms[places])
        counts.append(rows.frequencies[places] * times[files])
    found, places = np.unique(np.concatenate(keys), return_inverse=True)
    summed = np.bincount(places, np.concatenate(counts), len(found)).astype(np.int64)
    found, summed = found[summed > 0], summed[summed > 0]
    return found >> TERM_BITS, found & ((1 << TERM_BITS) - 1), summed


def _weights(vocabulary: Sequence[str], postings: Postings) -> npt.NDArray[np.float64]:
    """Return the idf of each term, also of those that no chunk holds."""
    sizes = np.diff(postings.offsets).tolist()
    held = dict(zip(postings.vocabulary, sizes, strict=True))
    counts = [held.get(term, 0) for term in vocabulary]
    weight = {n: idf(postings.chunk_count, n) for n in set(counts)}
    return np.array([weight[n] for n in counts], np.float64)


def _rows(corpus: Iterable[Mapping[str, int]], numbers: Mapping[str, int]) -> TermRows:
    sizes: list[int] = []
    terms: list[int] = []
    frequencies: list[int] = []
    for counted in corpus:
        sizes.append(len(counted))
        terms += map(numbers.__getitem__, counted)
        frequencies += counted.values()
    return TermRows(
        offsets_of(sizes), np.array(terms, np.int32), np.array(frequencies, np.int32)
    )
