"""Catalogue: what the chunks and files of a build are, beside its postings.

Everything that ranking reads of a chunk and a page says of a hit, so that a
search asks the database for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from indexer.pipeline.store import map_array
from indexer.pipeline.texts import without_nul
from indexer.pipeline.types import ChunkKind, FileResult

Integers = npt.NDArray[np.int32]

NONE = -1  # In `duplicate_of`: the chunk is no copy; in `parents`: it is in none.
# Their name says nothing: the folder's does.
NAMELESS_FILES = frozenset({"__init__", "index", "mod", "lib", "main"})


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One line of the ledger as ranking and pages read it; `path` is its bytes."""

    path: bytes
    language: str
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The chunks of a build by ordinal, and its files by theirs.

    `lines` is (chunks, 2): first and last line, from 1. The line ranges that are
    chunk i's own are `spans[span_offsets[i]:span_offsets[i + 1]]`, each (first,
    last). `duplicate_of` is the ordinal of the first chunk of the same content,
    or NONE. `digests` is (chunks, 32): equal rows are equal content, also in another
    build; zeros for a chunk too short to be recognised. `reexports` is (n, 2): stub
    and definition, both ordinals, rising. `marks` are a chunk's file's and its own.
    `parents` are the ordinals of the symbols they stand directly within, or NONE.
    `file_starts` is (files + 1): the chunks of file f are the ordinals from
    `file_starts[f]` to `file_starts[f + 1]`.
    """

    symbols: list[str]
    kinds: list[str]
    marks: list[tuple[str, ...]]
    lines: Integers
    start_bytes: npt.NDArray[np.int64]
    span_offsets: npt.NDArray[np.int64]
    spans: Integers
    duplicate_of: Integers
    digests: npt.NDArray[np.uint8]
    reexports: Integers
    parents: Integers
    file_starts: Integers
    files: list[FileEntry]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a chunk is besides its text.

    `neighbours` are the numbers of all chunks of its file, `members` those of the
    symbols directly within it. `own_lines` are the lines of its spans. `stem` is
    what its file is called.
    """

    kind: str
    marks: tuple[str, ...]
    own_lines: int
    stem: str
    neighbours: range
    members: npt.NDArray[np.int64]


def build_catalogue(
    results: Sequence[FileResult],
    duplicate_of: Sequence[int | None],
    reexports: Sequence[tuple[int, int]],
) -> Catalogue:
    """Return the catalogue of files in order of path bytes."""
    chunks = [chunk for result in results for chunk in result.chunks]
    spans = [own for result in results for own in result.line_spans]
    return Catalogue(
        symbols=[without_nul(chunk.symbol) for chunk in chunks],
        kinds=[str(chunk.kind) for chunk in chunks],
        marks=[_plain(own) for result in results for own in result.chunk_marks],
        lines=np.array(
            [(chunk.start_line, chunk.end_line) for chunk in chunks], np.int32
        ).reshape(-1, 2),
        start_bytes=np.array([chunk.start_byte for chunk in chunks], np.int64),
        span_offsets=_offsets(len(own) for own in spans),
        spans=np.array([s for own in spans for s in own], np.int32).reshape(-1, 2),
        duplicate_of=np.array(
            [NONE if first is None else first for first in duplicate_of], np.int32
        ),
        digests=np.frombuffer(
            b"".join(own or bytes(32) for r in results for own in r.digests), np.uint8
        ).reshape(-1, 32),
        reexports=np.array(reexports, np.int32).reshape(-1, 2),
        parents=np.array(_parents(results), np.int32),
        file_starts=_offsets(len(result.chunks) for result in results).astype(np.int32),
        files=[
            FileEntry(
                result.line.entry.path, result.line.language, _plain(result.marks)
            )
            for result in results
        ],
    )


def save_catalogue(catalogue: Catalogue, folder: Path) -> None:
    """Write the catalogue into `folder`, which is made if needed."""
    folder.mkdir(parents=True, exist_ok=True)
    _save_json(
        folder / "chunks.json",
        {
            "symbols": catalogue.symbols,
            "kinds": catalogue.kinds,
            "marks": catalogue.marks,
        },
    )
    _save_json(
        folder / "files.json",
        [
            [file.path.decode("utf-8", "surrogateescape"), file.language, file.marks]
            for file in catalogue.files
        ],
    )
    for name in _ARRAYS:
        np.save(folder / f"{name}.npy", getattr(catalogue, name), allow_pickle=False)


def load_catalogue(folder: Path) -> Catalogue:
    """Return the catalogue in `folder`, its arrays mapped, not read."""
    chunks = json.loads((folder / "chunks.json").read_bytes())
    files = json.loads((folder / "files.json").read_bytes())
    return Catalogue(
        symbols=chunks["symbols"],
        kinds=chunks["kinds"],
        marks=[tuple(marks) for marks in chunks["marks"]],
        files=[
            FileEntry(path.encode("utf-8", "surrogateescape"), language, tuple(marks))
            for path, language, marks in files
        ],
        **{name: map_array(folder / f"{name}.npy") for name in _ARRAYS},
    )


_ARRAYS = (
    "lines",
    "start_bytes",
    "span_offsets",
    "spans",
    "duplicate_of",
    "digests",
    "reexports",
    "parents",
    "file_starts",
)


def _parents(results: Sequence[FileResult]) -> list[int]:
    parents: list[int] = []
    for result in results:
        start = len(parents)
        named: dict[str, int] = {}
        for ordinal, chunk in enumerate(result.chunks, start):
            named.setdefault(chunk.symbol, ordinal)
        for chunk in result.chunks:
            outer = chunk.symbol.rpartition(".")[0]
            inside = outer and chunk.kind is not ChunkKind.SECTION
            parents.append(named.get(outer, NONE) if inside else NONE)
    return parents


def own_lines(catalogue: Catalogue) -> Integers:
    """Return how many lines are each chunk's own."""
    lengths = catalogue.spans[:, 1] - catalogue.spans[:, 0] + 1
    ends = np.concatenate([[0], np.cumsum(lengths)])[catalogue.span_offsets]
    return np.diff(ends).astype(np.int32)


def path_stem(path: bytes) -> str:
    """Return what a file is called: its name without the last extension.

    The folder's name where its own says nothing (`__init__.py`, `index.d.ts`).
    """
    *folders, name = path.decode("utf-8", "replace").split("/")
    if name.split(".")[0] in NAMELESS_FILES and folders:
        return folders[-1]
    return name.rpartition(".")[0] or name


def path_parts(path: bytes) -> tuple[str, ...]:
    """Return the folders of a path and its file's name without extensions.

    Without a name that says nothing, unless it is all there is.
    """
    *folders, name = path.decode("utf-8", "replace").split("/")
    stem = name.split(".")[0] or name
    if stem in NAMELESS_FILES and folders:
        return tuple(folders)
    return (*folders, stem)


def _plain(marks: Iterable[str]) -> tuple[str, ...]:
    return tuple(str(mark) for mark in marks)


def _offsets(sizes: Iterable[int]) -> npt.NDArray[np.int64]:
    counted = list(sizes)
    offsets = np.zeros(len(counted) + 1, np.int64)
    np.cumsum(counted, out=offsets[1:])
    return offsets


def _save_json(path: Path, value: Any) -> None:  # Any: JSON
    # ASCII: a path that is no UTF-8 stands as lone surrogates.
    path.write_text(json.dumps(value, separators=(",", ":")), encoding="ascii")
