"""Build: from files that were read to a lexical layer.

Everything here is a function of the mirror, the revision and the profile. The
service above it decides when to run what, and records it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from indexer.pipeline import store
from indexer.pipeline.catalogue import build_catalogue, save_catalogue
from indexer.pipeline.marks import comes_first
from indexer.pipeline.merging import (
    distinctive_terms,
    merge_postings,
    merge_terms,
)
from indexer.pipeline.names import build_names, save_names
from indexer.pipeline.packing import PackedFile, PlacedFile, join_bytes, join_column
from indexer.pipeline.paths import display_path, path_parts
from indexer.pipeline.postings import build_postings, save_postings
from indexer.pipeline.ragged import offsets_of
from indexer.pipeline.sentences import choose_sentences, save_sentences
from indexer.pipeline.spelling import build_spellings, save_spellings
from indexer.pipeline.surfaces import save_breaks, save_order, save_texts
from indexer.pipeline.terms import tokenize
from indexer.pipeline.texts import context_line, path_words, summary_text
from indexer.pipeline.types import NONE, ChunkKind, FileMode

# They are found by meaning and by words, not by name.
NAMELESS = frozenset({ChunkKind.SECTION, ChunkKind.FILE})


class Assembly:
    """The files of a build, in order of path bytes, and their lexical layer.

    `places` are the numbers of the files that have a summary.
    """

    def __init__(self, files: Sequence[PlacedFile]) -> None:
        self.files = files
        self.catalogue = build_catalogue(files)
        self.places = [n for n, placed in enumerate(files) if placed.file.is_place]
        self.terms = merge_terms(files, self.catalogue.file_starts)
        self.postings = merge_postings(self.terms)

    def write(self, folder: Path, facts: dict[str, object]) -> None:
        """Fill `folder` with the files of the lexical layer."""
        catalogue = self.catalogue
        summaries = self.summaries()
        save_postings(self.postings, folder / "postings")
        save_postings(build_postings(map(tokenize, summaries)), folder / "summaries")
        save_postings(
            build_postings(map(self._path_terms, self.places)), folder / "paths"
        )
        names = [
            "" if kind in NAMELESS else symbol
            for symbol, kind in zip(catalogue.symbols, catalogue.kinds, strict=True)
        ]
        save_names(build_names(names), folder / "names")
        save_spellings(build_spellings(names), folder)
        save_sentences(self._sentences(), folder)
        save_catalogue(catalogue, folder / "catalogue")
        sizes = np.diff(catalogue.file_starts)
        file_of = np.repeat(np.arange(len(self.files), dtype=np.int32), sizes)
        np.save(folder / "file_of.npy", file_of)
        np.save(folder / "places.npy", np.array(self.places, dtype=np.int32))
        self._save_surfaces(folder, summaries)
        counts = {"chunks": len(names), "files": len(self.files)}
        store.write_manifest(folder, {**facts, **counts, "places": len(summaries)})

    def summaries(self) -> list[str]:
        """Return the summary of each place; without a grammar, by its terms."""
        nameless = [n for n in self.places if not _tells_by_names(self.files[n].file)]
        terms = distinctive_terms(self.terms, self.postings, nameless)
        found: list[str] = []
        for number in self.places:
            file = self.files[number].file
            path = display_path(self.files[number].entry.path)
            if number in terms:
                found.append(summary_text(path, file.doc, (), (), terms[number]))
            else:
                found.append(summary_text(path, file.doc, file.defines, file.modules))
        return found

    def _path_terms(self, number: int) -> list[str]:
        """Return each word of a file's path once, without what says nothing."""
        parts = path_parts(self.files[number].entry.path)
        return list(dict.fromkeys(tokenize(" ".join(parts))))

    def _sentences(self) -> list[tuple[int, str]]:
        starts = self.catalogue.file_starts.tolist()
        sentences = (
            (start + number, text)
            for start, placed in zip(starts, self.files, strict=False)
            for number, text in placed.file.sentences.items()
        )
        return choose_sentences(
            sentences,
            kinds=self.catalogue.kinds,
            marks=self.catalogue.marks,
            duplicate_of=self.catalogue.duplicate_of,
        )

    def _save_surfaces(self, folder: Path, summaries: Sequence[str]) -> None:
        """Write the texts to encode, each below its context line, and their order."""
        entries = self.catalogue.files
        places = [comes_first(entries[number].marks) for number in self.places]
        texts = [_encode(text) for text in summaries]
        save_texts(folder / "summary", texts)
        save_order(folder / "summary", texts, places)
        chunks = [comes_first(marks) for marks in self.catalogue.marks]
        contexts = self._contexts()
        heads = [_encode(context) for context in contexts]
        for surface in ("purpose", "body"):
            texts = self._texts(surface, heads)
            save_texts(folder / surface, texts)
            save_order(folder / surface, texts, chunks)
        offsets = offsets_of(join_column(self.files, "break_sizes"))
        breaks = join_column(self.files, "breaks").reshape(-1, 2).copy()
        lengths = np.array([len(context) for context in contexts], np.int32)
        breaks[:, 0] += np.repeat(lengths, np.diff(offsets))
        save_breaks(folder, offsets, breaks)

    def _texts(self, surface: str, heads: Sequence[bytes]) -> list[bytes]:
        """Return the texts of the chunks on a surface, b"" where there is none."""
        below = join_bytes(self.files, surface)
        sizes = join_column(self.files, f"{surface}_sizes")
        ends = offsets_of(np.maximum(sizes, 0)).tolist()
        rows = zip(heads, sizes.tolist(), ends, ends[1:], strict=False)
        return [
            head + below[start:end] if size != NONE else b""
            for head, size, start, end in rows
        ]

    def _contexts(self) -> list[str]:
        """Return the context line of each chunk."""
        found: list[str] = []
        for placed in self.files:
            words = path_words(display_path(placed.entry.path))
            found += [context_line(words, symbol) for symbol in placed.file.symbols]
        return found


def _tells_by_names(file: PackedFile) -> bool:
    """Tell whether a file's summary names what it defines and imports."""
    mode = file.line.mode
    return mode is FileMode.SYMBOL or (mode is FileMode.FILE and bool(file.defines))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
