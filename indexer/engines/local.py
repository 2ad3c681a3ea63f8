"""The local engine: builds in files, searched exactly in this process."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from indexer.engines import bm25
from indexer.engines.builds import Floats, Integers, LocalBuild, Scores
from indexer.engines.columns import Mask
from indexer.engines.corpus_texts import CorpusTexts, OpenTexts
from indexer.pipeline import names as name_table
from indexer.pipeline import postings as posting_lists
from indexer.pipeline.catalogue import Facts
from indexer.pipeline.choosing import names_meant
from indexer.pipeline.literals import Pattern, Unsearched


class LocalCorpus:
    """The searched builds, one after the other, as one corpus.

    N, df and the average length are summed over the builds, so that one BM25
    score is comparable across the repositories searched. `open_texts` returns what the
    files of a build say, by its number; without it no line is looked for.
    """

    def __init__(
        self,
        builds: Sequence[LocalBuild],
        open_texts: OpenTexts | None = None,
        repositories: Sequence[str] = (),
    ) -> None:
        """Take the builds, their texts, and the name of the repository of each."""
        self.builds = builds
        self.repositories = repositories
        catalogues = [build.lexical.catalogue for build in builds]
        self.texts = CorpusTexts(catalogues, open_texts)
        self.chunk_count = sum(build.chunk_count for build in builds)
        self.place_count = sum(build.place_count for build in builds)
        lexical = [build.lexical for build in builds]
        self.file_count = sum(len(layer.catalogue.files) for layer in lexical)
        self.purpose_count = sum(layer.purpose_count for layer in lexical)
        self.starts = _starts([build.chunk_count for build in builds])
        self.place_starts = _starts([build.place_count for build in builds])

    def locate(self, chunk: int) -> tuple[int, int]:
        """Return (number of the build, ordinal in it) of a chunk of the corpus."""
        build = bisect_right(self.starts, chunk) - 1
        return build, chunk - self.starts[build]

    def locate_place(self, row: int) -> tuple[int, int]:
        """Return (number of the build, file ordinal in it) of a place."""
        build = bisect_right(self.place_starts, row) - 1
        places = self.builds[build].lexical.places
        return build, int(places[row - self.place_starts[build]])

    def file_of(self, chunk: int) -> int:
        """Return a number for the file of a chunk, the same for its neighbours."""
        build, ordinal = self.locate(chunk)
        return self.file_number(build, int(self.builds[build].lexical.file_of[ordinal]))

    def file_number(self, build: int, ordinal: int) -> int:
        """Return the number of a file from that of its build and its ordinal there."""
        return build * (1 << 32) + ordinal

    def chunks_of_file(self, build: int, ordinal: int) -> range:
        """Return the chunks of a file, by the number of its build and its ordinal."""
        starts = self.builds[build].lexical.catalogue.file_starts
        first = self.starts[build]
        return range(first + int(starts[ordinal]), first + int(starts[ordinal + 1]))

    def facts(self, chunk: int) -> Facts:
        """Return what a chunk is besides its text."""
        build, ordinal = self.locate(chunk)
        start, layer = self.starts[build], self.builds[build].lexical
        file = int(layer.file_of[ordinal])
        first, end = layer.catalogue.file_starts[file : file + 2].tolist()
        within = layer.catalogue.parents[first:end] == ordinal
        return Facts(
            kind=layer.catalogue.kinds[ordinal],
            marks=layer.catalogue.marks[ordinal],
            own_lines=int(layer.own_lines[ordinal]),
            stem=layer.stems[file],
            neighbours=range(start + first, start + end),
            members=start + first + np.flatnonzero(within),
        )

    def content(self, chunk: int) -> bytes | None:
        """Return the sha256 of a chunk's content, None if it is too short to tell."""
        build, ordinal = self.locate(chunk)
        digest = self.builds[build].lexical.catalogue.digests[ordinal].tobytes()
        return digest if any(digest) else None

    def equal_to(self, chunk: int) -> Mask:
        """Return which chunks are this one, or of its content if that can tell."""
        content = self.content(chunk)
        if content is None:
            only: Mask = np.arange(self.chunk_count) == chunk
            return only
        wanted = np.frombuffer(content, np.uint8)
        digests = [build.lexical.catalogue.digests for build in self.builds]
        return np.concatenate([(rows == wanted).all(axis=1) for rows in digests])

    def vectors_of(self, chunk: int, surface: str) -> Floats:
        """Return the vectors of a chunk's text, a row a part; no row without any."""
        build, ordinal = self.locate(chunk)
        return self.builds[build].vectors_of(surface, ordinal)

    def reexports(self, chunk: int) -> list[int]:
        """Return the chunks that a stub re-exports, none of any other chunk."""
        build, ordinal = self.locate(chunk)
        found = self.builds[build].lexical.reexports.get(ordinal, ())
        return [self.starts[build] + definition for definition in found]

    def has_purpose(self, chunk: int) -> bool:
        """Return whether a chunk has a purpose text (a window has none)."""
        build, ordinal = self.locate(chunk)
        return bool(self.builds[build].lexical.has_purpose[ordinal])

    def document_frequency(self, term: str) -> int:
        """Return how many chunks hold `term`."""
        return sum(
            posting_lists.document_frequency(build.lexical.postings, term)
            for build in self.builds
        )

    def term_frequency(self, term: str, chunk: int) -> int:
        """Return how often one chunk holds `term`."""
        build, ordinal = self.locate(chunk)
        postings = self.builds[build].lexical.postings
        return posting_lists.term_frequencies(postings, term, ordinal)

    def length(self, chunk: int) -> int:
        """Return the number of terms of one chunk."""
        build, ordinal = self.locate(chunk)
        return int(self.builds[build].lexical.postings.lengths[ordinal])

    @cached_property
    def average_length(self) -> float:
        """Terms per chunk over all searched builds."""
        return bm25.average_length([build.lexical.postings for build in self.builds])

    def idf(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the idf of each term over the searched builds."""
        return bm25.idf([build.lexical.postings for build in self.builds], terms)

    def bm25(self, terms: Sequence[str]) -> Scores:
        """Score every chunk, NaN where no term matches."""
        return bm25.score([build.lexical.postings for build in self.builds], terms)

    def bm25_with(
        self, terms: Sequence[str], chunk: int, added: Mapping[str, int]
    ) -> float:
        """Return a chunk's score if it held some terms so many times more.

        N, df and the average length are those of the builds as they are.
        """
        k1, b = posting_lists.K1, posting_lists.B
        idf, score = self.idf(terms), 0.0
        length = self.length(chunk) + sum(added.values())
        norm = 1 - b + b * length / self.average_length
        for term in terms:
            tf = self.term_frequency(term, chunk) + added.get(term, 0)
            score += idf[term] * (tf * (k1 + 1) / (tf + k1 * norm))
        return score

    def place_bm25(self, terms: Sequence[str]) -> Scores:
        """Score every file's summary, NaN where no term matches."""
        return bm25.score([build.lexical.summaries for build in self.builds], terms)

    def place_idf(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the idf of each term over the summaries."""
        return bm25.idf([build.lexical.summaries for build in self.builds], terms)

    def called(self, name: str) -> npt.NDArray[np.int64]:
        """Return the chunks of a qualified name or suffix, whatever its case."""
        found = [
            name_table.lookup(build.lexical.names, name).astype(np.int64) + start
            for build, start in zip(self.builds, self.starts, strict=True)
        ]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def place_paths(self, terms: Sequence[str]) -> Scores:
        """Return the idf of the terms that each file's path holds, NaN for none."""
        idf = self.place_idf(terms)
        scores = np.full(self.place_count, np.nan)
        for build, start in zip(self.builds, self.place_starts, strict=True):
            for term in terms:
                rows, _ = posting_lists.find_chunks(build.lexical.paths, term)
                held = start + rows
                scores[held] = np.nan_to_num(scores[held]) + idf[term]
        return scores

    def matches(self, name: str, value: str | Pattern) -> Mask:
        """Return which chunks a filter describes."""
        if name == "repo":
            return np.repeat(
                self._of_repositories(str(value)),
                [build.chunk_count for build in self.builds],
            )
        layers = [build.lexical for build in self.builds]
        found = [layer.columns.chunks(name, value) for layer in layers]
        return np.concatenate([np.empty(0, np.bool_), *found])

    def place_matches(self, name: str, value: str | Pattern) -> Mask:
        """Return which files with a summary a filter of files describes."""
        if name == "repo":
            return np.repeat(
                self._of_repositories(str(value)),
                [build.place_count for build in self.builds],
            )
        layers = [build.lexical for build in self.builds]
        found = [layer.columns.files(name, value)[layer.places] for layer in layers]
        return np.concatenate([np.empty(0, np.bool_), *found])

    def _of_repositories(self, text: str) -> Mask:
        """Return which builds are of the repositories that `text` means."""
        meant = names_meant(text, self.repositories)
        return np.array([name in meant for name in self.repositories], np.bool_)

    def chunk_places(self) -> Integers:
        """Return the row of the place of each chunk's file, -1 without one."""
        rows = [
            np.where(build.lexical.chunk_places < 0, -1, build.lexical.chunk_places + n)
            for build, n in zip(self.builds, self.place_starts, strict=True)
        ]
        return np.concatenate(rows) if rows else np.empty(0, np.int32)

    def holding(self, term: str) -> npt.NDArray[np.int64]:
        """Return the chunks that hold a term."""
        found = [
            posting_lists.find_chunks(build.lexical.postings, term)[0].astype(np.int64)
            + start
            for build, start in zip(self.builds, self.starts, strict=True)
        ]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def symbol(self, names: Sequence[str]) -> Scores:
        """Score every chunk by the rarest of `names` that it is called, or NaN.

        A name is a qualified name or a qualified suffix, whatever its case.
        """
        scores = np.full(self.chunk_count, np.nan)
        for name in names:
            chunks = self.called(name)
            if len(chunks):
                rarity = name_table.rarity(len(chunks), self.chunk_count)
                scores[chunks] = np.fmax(scores[chunks], rarity)
        return scores

    def seek(
        self, patterns: Sequence[Pattern], places: Mask, *, rest: bool = True
    ) -> None:
        """Look for the patterns of one query in its time, in some places first.

        Without `rest` other files are not looked at. Raises PatternError.
        """
        first = [self.files_of(places, number) for number in range(len(self.builds))]
        self.texts.seek(patterns, None if places.all() else first, rest=rest)

    def files_of(self, places: Mask, number: int) -> Mask:
        """Return which files of a build, by ordinal, are among some places."""
        layer, start = self.builds[number].lexical, self.place_starts[number]
        files = np.zeros(len(layer.catalogue.files), np.bool_)
        files[layer.places] = places[start : start + len(layer.places)]
        return files

    def occurrences(self, pattern: Pattern) -> Integers:
        """Return how many of each chunk's own lines match. Raises PatternError.

        0 too where they could not be looked at: `unsearched` tells.
        """
        return self.texts.occurrences(pattern)

    def literal(self, patterns: Sequence[Pattern]) -> Scores:
        """Score every chunk by BM25's formula over its lines that match, or NaN.

        Of a pattern tf is how many of a chunk's own lines it matches, df how many
        chunks hold one; length is in terms, as for words.
        """
        lengths = [build.lexical.postings.lengths for build in self.builds]
        norm = bm25.length_norm(np.concatenate([[], *lengths]), self.average_length)
        scores = np.full(self.chunk_count, np.nan)
        for pattern in patterns:
            counts = self.occurrences(pattern)
            held = np.flatnonzero(counts)
            idf = posting_lists.idf(self.chunk_count, len(held))
            tf = counts[held]
            points = idf * (tf * (posting_lists.K1 + 1) / (tf + norm[held]))
            scores[held] = np.nan_to_num(scores[held]) + points
        return scores

    def unsearched(self, patterns: Sequence[Pattern]) -> Unsearched:
        """Return what of the searched files was not looked at for some pattern."""
        return self.texts.unsearched(patterns)

    def embedded_by(self, fingerprint: str) -> npt.NDArray[np.bool_]:
        """Return which chunks are of builds with this embedder."""
        return np.repeat(
            [build.fingerprint == fingerprint for build in self.builds],
            [build.chunk_count for build in self.builds],
        )

    def cosine(
        self, surface: str, vector: Floats, fingerprint: str
    ) -> tuple[Scores, Integers]:
        """Return the cosine of each chunk's best part, and which part that is.

        Parts count from 0; without a vector of this embedder the cosine is NaN and
        the part -1.
        """
        found = [build.cosine(surface, vector, fingerprint) for build in self.builds]
        parts = [part for _, part in found]
        return (
            _joined([scores for scores, _ in found]),
            np.concatenate(parts) if parts else np.empty(0, dtype=np.int32),
        )

    def place_cosine(self, vector: Floats, fingerprint: str) -> Scores:
        """Return each summary's cosine, NaN without a vector of this embedder."""
        found = [build.cosine("summary", vector, fingerprint) for build in self.builds]
        return _joined([scores for scores, _ in found])


def _starts(sizes: Sequence[int]) -> list[int]:
    return [0, *accumulate(sizes)][:-1]


def _joined(parts: Sequence[Scores]) -> Scores:
    return np.concatenate(parts) if parts else np.empty(0)
