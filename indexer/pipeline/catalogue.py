"""Catalogue: what the chunks and files of a build are, beside its postings.

Everything that ranking reads of a chunk and a page says of a hit, so that a
search asks the database for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from indexer.pipeline.marks import file_marks, is_reexport
from indexer.pipeline.packing import (
    PackedFile,
    PlacedFile,
    join_bytes,
    join_column,
)
from indexer.pipeline.ragged import offsets_of
from indexer.pipeline.reexports import find_reexports
from indexer.pipeline.store import map_array
from indexer.pipeline.types import NONE, Mark

Integers = npt.NDArray[np.int32]


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


def build_catalogue(files: Sequence[PlacedFile]) -> Catalogue:
    """Return the catalogue of files in order of path bytes."""
    sizes = [len(placed.file.symbols) for placed in files]
    starts = offsets_of(sizes).astype(np.int32)
    bounds = join_column(files, "bounds").reshape(-1, 3)
    parents = join_column(files, "parents")
    digests = np.frombuffer(join_bytes(files, "digests"), np.uint8).reshape(-1, 32)
    entries = [_entry(placed) for placed in files]
    return Catalogue(
        symbols=[name for placed in files for name in placed.file.symbols],
        kinds=[kind for placed in files for kind in placed.file.kinds],
        marks=[
            marks
            for placed, entry in zip(files, entries, strict=True)
            for marks in _chunk_marks(placed.file, entry.marks)
        ],
        lines=bounds[:, 1:],
        start_bytes=bounds[:, 0].astype(np.int64),
        span_offsets=offsets_of(join_column(files, "span_sizes")),
        spans=join_column(files, "spans").reshape(-1, 2),
        duplicate_of=_originals(digests),
        digests=digests,
        reexports=np.array(find_reexports(files), np.int32).reshape(-1, 2),
        parents=np.where(
            parents == NONE, NONE, parents + np.repeat(starts[:-1], sizes)
        ),
        file_starts=starts,
        files=entries,
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


def _entry(placed: PlacedFile) -> FileEntry:
    path = placed.entry.path
    marks = file_marks(path, placed.file.marks)
    return FileEntry(path, placed.file.line.language, tuple(map(str, marks)))


def _chunk_marks(file: PackedFile, marks: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the marks of each chunk: its file's and its own."""
    passes_on = (*marks, str(Mark.REEXPORT))
    for number in range(len(file.symbols)):
        statements = file.statements.get(number, ())
        yield passes_on if is_reexport(statements) else marks


def _originals(digests: npt.NDArray[np.uint8]) -> Integers:
    """Return the first chunk of the same content, NONE where it is this one."""
    data, width = digests.tobytes(), digests.shape[1]
    first: dict[bytes, int] = {}
    found = np.full(len(digests), NONE, np.int32)
    for ordinal in np.flatnonzero(digests.any(axis=1)).tolist():
        one = first.setdefault(data[ordinal * width : (ordinal + 1) * width], ordinal)
        if one != ordinal:
            found[ordinal] = one
    return found


def own_lines(catalogue: Catalogue) -> Integers:
    """Return how many lines are each chunk's own."""
    lengths = catalogue.spans[:, 1] - catalogue.spans[:, 0] + 1
    ends = np.concatenate([[0], np.cumsum(lengths)])[catalogue.span_offsets]
    return np.diff(ends).astype(np.int32)


def _save_json(path: Path, value: Any) -> None:  # Any: JSON
    # ASCII: a path that is no UTF-8 stands as lone surrogates.
    path.write_text(json.dumps(value, separators=(",", ":")), encoding="ascii")
