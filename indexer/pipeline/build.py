"""Build: from files that were read to a lexical layer.

Everything here is a function of the mirror, the revision and the profile. The
service above it decides when to run what, and records it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from indexer.pipeline import store
from indexer.pipeline.catalogue import build_catalogue, path_parts, save_catalogue
from indexer.pipeline.marks import comes_first
from indexer.pipeline.names import build_names, save_names
from indexer.pipeline.paths import display_path
from indexer.pipeline.postings import build_postings, idf, save_postings
from indexer.pipeline.reexports import find_reexports
from indexer.pipeline.sentences import choose_sentences, save_sentences
from indexer.pipeline.spelling import build_spellings, save_spellings
from indexer.pipeline.surfaces import save_breaks, save_order, save_texts
from indexer.pipeline.terms import chunk_terms, tokenize
from indexer.pipeline.texts import summary_text
from indexer.pipeline.types import Chunk, ChunkKind, ChunkTexts, FileMode, FileResult

DISTINCTIVE_TERMS = 12  # As many as a mean file of Django defines top-level names.
# They are found by meaning and by words, not by name.
NAMELESS = frozenset({ChunkKind.SECTION, ChunkKind.FILE})


class Assembly:
    """Collects the files of a build and writes their lexical layer.

    Ordinals are given in the order of `add`, which must be that of path bytes.
    """

    def __init__(self) -> None:
        self.results: list[FileResult] = []
        self.terms: list[list[str]] = []
        # Of each chunk, the ordinal of the first one with the same content.
        self.duplicate_of: list[int | None] = []
        self._first: dict[bytes, int] = {}
        self._file_of: list[int] = []
        self._places: list[int] = []

    def add(self, result: FileResult) -> None:
        """Take the next file; keeps what later layers need of it."""
        path = display_path(result.line.entry.path)
        for chunk, texts, content in zip(
            result.chunks, result.texts, result.digests, strict=True
        ):
            self.duplicate_of.append(self._original(content, len(self.terms)))
            members = _member_names(chunk, result.chunks)
            head = "\n".join(filter(None, (chunk.signature, chunk.doc)))
            body = texts.body.partition("\n")[2]
            self.terms.append(
                chunk_terms(
                    path=path,
                    symbol=" ".join([chunk.symbol, *members]),
                    head=head,
                    body=body,
                )
            )
            self._file_of.append(len(self.results))
        if result.summary is not None:
            self._places.append(len(self.results))
        self.results.append(result)

    def _original(self, content: bytes | None, ordinal: int) -> int | None:
        """Return the first chunk of this content, None if it is this one."""
        first = ordinal if content is None else self._first.setdefault(content, ordinal)
        return None if first == ordinal else first

    @property
    def chunks(self) -> list[tuple[int, Chunk, ChunkTexts]]:
        """Every chunk in order of its ordinal, with its file's ordinal."""
        return [
            (number, chunk, texts)
            for number, result in enumerate(self.results)
            for chunk, texts in zip(result.chunks, result.texts, strict=True)
        ]

    def summaries(self) -> list[str]:
        """Return the summary of each place; without a grammar, by its terms."""
        frequency = Counter(term for terms in self.terms for term in set(terms))
        stop = 0
        found: list[str] = []
        for result in self.results:
            start, stop = stop, stop + len(result.chunks)
            if result.summary is None:
                continue
            if _tells_by_names(result):
                found.append(result.summary)
                continue
            counts = Counter(tokenize(result.head))
            counts.update(chain.from_iterable(self.terms[start:stop]))
            terms = self._distinctive(counts, frequency)
            path = display_path(result.line.entry.path)
            found.append(summary_text(path, result.doc, (), (), terms))
        return found

    def _distinctive(self, counts: Counter[str], frequency: Counter[str]) -> list[str]:
        """Return the terms of the highest tf * idf, ties by name.

        In alphabetical order, so that a change elsewhere in the repository seldom
        changes the text, and its vector is reused.
        """
        total = len(self.terms)
        weight = {t: n * idf(total, frequency[t]) for t, n in counts.items()}
        best = sorted(weight, key=lambda t: (-weight[t], t))
        return sorted(best[:DISTINCTIVE_TERMS])

    def _path_terms(self, number: int) -> list[str]:
        """Return each word of a file's path once, without what says nothing."""
        parts = path_parts(self.results[number].line.entry.path)
        return list(dict.fromkeys(tokenize(" ".join(parts))))

    def write(self, folder: Path, facts: dict[str, object]) -> None:
        """Fill `folder` with the files of the lexical layer."""
        chunks = self.chunks
        summaries = self.summaries()
        _save_postings(folder / "postings", self.terms)
        _save_postings(folder / "summaries", [tokenize(text) for text in summaries])
        _save_postings(folder / "paths", [self._path_terms(n) for n in self._places])
        (folder / "names").mkdir()
        names = ["" if c.kind in NAMELESS else c.symbol for _, c, _ in chunks]
        save_names(build_names(names), folder / "names")
        save_spellings(build_spellings(names), folder)
        save_sentences(choose_sentences(self.results, self.duplicate_of), folder)
        reexports = find_reexports(self.results)
        catalogue = build_catalogue(self.results, self.duplicate_of, reexports)
        save_catalogue(catalogue, folder / "catalogue")
        np.save(folder / "file_of.npy", np.array(self._file_of, dtype=np.int32))
        np.save(folder / "places.npy", np.array(self._places, dtype=np.int32))
        self._save_surfaces(folder, summaries)
        counts = {"chunks": len(chunks), "files": len(self.results)}
        store.write_manifest(folder, {**facts, **counts, "places": len(summaries)})

    def _save_surfaces(self, folder: Path, summaries: Sequence[str]) -> None:
        """Write the texts to encode, and in which order."""
        texts = [texts for result in self.results for texts in result.texts]
        marks = [marks for result in self.results for marks in result.chunk_marks]
        chunks = [comes_first(own) for own in marks]
        places = [comes_first(self.results[n].marks) for n in self._places]
        purposes = [own.purpose or "" for own in texts]
        bodies = [own.body for own in texts]
        for name, found, first in (
            ("summary", summaries, places),
            ("purpose", purposes, chunks),
            ("body", bodies, chunks),
        ):
            save_texts(folder / name, found)
            save_order(folder / name, found, first)
        save_breaks(folder, [own.body_breaks for own in texts])


def _member_names(chunk: Chunk, chunks: Sequence[Chunk]) -> list[str]:
    """Return the names of the symbols directly within a chunk.

    They are names of a class as much as its own: `docs/decisions/0004`.
    """
    if not chunk.members:
        return []
    parts = (other.symbol.rpartition(".") for other in chunks)
    return [last for outer, _, last in parts if outer == chunk.symbol]


def _tells_by_names(result: FileResult) -> bool:
    """Tell whether a file's summary names what it defines and imports."""
    mode = result.line.mode
    return mode is FileMode.SYMBOL or (mode is FileMode.FILE and bool(result.defines))


def _save_postings(folder: Path, corpus: Sequence[Sequence[str]]) -> None:
    folder.mkdir()
    save_postings(build_postings(corpus), folder)
