"""Packing: one file, read, as the little that a build keeps of it.

What depends on the content and the rule of a path, and on nothing else: a cache finds
it again, and one build gathers thousands. Numbers are columns, as bytes of arrays that
are joined file by file; texts stand below their context line.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np

from indexer.pipeline.postings import Integers, count_terms
from indexer.pipeline.sentences import first_sentence
from indexer.pipeline.terms import count_chunk, tokenize
from indexer.pipeline.texts import without_nul
from indexer.pipeline.types import (
    NONE,
    Chunk,
    ChunkKind,
    FileMode,
    FileResult,
    LedgerLine,
    Mark,
    SkipReason,
    TreeEntry,
)

_SIZE = struct.Struct(">I")

# int32, apart from the texts and the digests. What has a number of its own for each
# chunk stands as its `sizes` and all of it one after the other.
COLUMNS = (
    "bounds",  # (chunks, 3): start byte, first and last line
    "span_sizes",
    "spans",  # (m, 2): first and last line
    "digests",  # 32 bytes a chunk, zeros for none
    "parents",  # (chunks): within the file
    "purpose_sizes",  # in bytes, NONE where there is none
    "purpose",
    "body_sizes",
    "body",
    "break_sizes",
    "breaks",  # (m, 2): character and depth
    "term_sizes",
    "terms",  # numbers in the file's vocabulary
    "frequencies",
)


@dataclass(frozen=True, slots=True)
class PackedFile:
    """What a build keeps of one file.

    `symbols` and `kinds` have one value for each chunk; `statements` (imports, where a
    chunk is nothing else) and `sentences` (the first of its docs) only where there is
    one. `head` counts the terms of a file without chunks. The rest is as in
    `FileResult`.
    """

    line: LedgerLine
    marks: tuple[Mark, ...]
    defines: Sequence[str]
    modules: Sequence[str]
    doc: str | None
    head: Mapping[str, int]
    is_place: bool
    symbols: Sequence[str]
    kinds: Sequence[str]
    statements: Mapping[int, Sequence[str]]
    sentences: Mapping[int, str]
    vocabulary: Sequence[str]
    columns: Mapping[str, bytes | memoryview]


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """A packed file where it lies in a tree."""

    entry: TreeEntry
    file: PackedFile


_TOLD = tuple(one.name for one in fields(PackedFile) if one.name != "columns")
_SPARSE = ("statements", "sentences")  # JSON has no keys that are numbers.


def join_column(files: Iterable[PlacedFile], name: str) -> Integers:
    """Return the numbers of a column of all files, one after the other."""
    return np.frombuffer(join_bytes(files, name), np.int32)


def join_bytes(files: Iterable[PlacedFile], name: str) -> bytes:
    """Return the bytes of a column of all files, one after the other."""
    return b"".join(placed.file.columns[name] for placed in files)


def pack(result: FileResult) -> PackedFile:
    """Return what a build keeps of a file."""
    chunks = result.chunks
    counts = count_terms(_counted(result))
    texts = result.texts
    purposes = [None if t.purpose is None else _encode(t.purpose) for t in texts]
    bodies = [_encode(one.body) for one in texts]
    bounds = [(one.start_byte, one.start_line, one.end_line) for one in chunks]
    columns = {
        "bounds": _array(bounds),
        "span_sizes": _sizes(result.line_spans),
        "spans": _array([span for own in result.line_spans for span in own]),
        "digests": b"".join(one or bytes(32) for one in result.digests),
        "parents": _array(_parents(chunks)),
        "purpose_sizes": _array([NONE if p is None else len(p) for p in purposes]),
        "purpose": b"".join(filter(None, purposes)),
        "body_sizes": _sizes(bodies),
        "body": b"".join(bodies),
        "break_sizes": _sizes([one.body_breaks for one in texts]),
        "breaks": _array([place for one in texts for place in one.body_breaks]),
        "term_sizes": counts.sizes.tobytes(),
        "terms": counts.terms.tobytes(),
        "frequencies": counts.frequencies.tobytes(),
    }
    sentences = [first_sentence(one.doc) if one.doc else "" for one in chunks]
    return PackedFile(
        line=result.line,
        marks=result.marks,
        defines=[without_nul(name) for name in result.defines],
        modules=list(result.modules),
        doc=result.doc,
        head=Counter(tokenize(result.head)),
        is_place=result.is_place,
        symbols=[without_nul(one.symbol) for one in chunks],
        kinds=[str(one.kind) for one in chunks],
        statements={i: list(own) for i, own in enumerate(result.imports) if own},
        sentences={i: text for i, text in enumerate(sentences) if text},
        vocabulary=counts.vocabulary,
        columns=columns,
    )


def to_bytes(file: PackedFile) -> bytes:
    """Return a packed file as bytes: what is text as JSON, then the columns, deflated.

    At the lowest level that is a third of the size, and quicker than to read the rest.
    """
    told = {name: getattr(file, name) for name in _TOLD}
    told["line"] = astuple(file.line)
    for name in _SPARSE:
        told[name] = list(told[name].items())
    told["columns"] = [len(file.columns[name]) for name in COLUMNS]
    head = json.dumps(told, separators=(",", ":")).encode("ascii")
    columns = (file.columns[name] for name in COLUMNS)
    return zlib.compress(b"".join([_SIZE.pack(len(head)), head, *columns]), 1)


def from_bytes(deflated: bytes) -> PackedFile:
    """Return the packed file that `to_bytes` wrote, its columns as views."""
    data = memoryview(zlib.decompress(deflated))
    (size,) = _SIZE.unpack_from(data)
    start = _SIZE.size + size
    told: dict[str, Any] = json.loads(bytes(data[_SIZE.size : start]))  # Any: JSON
    told["line"] = _line(*told["line"])
    told["marks"] = tuple(map(Mark, told["marks"]))
    for name in _SPARSE:
        told[name] = dict(told[name])
    columns = {}
    for name, length in zip(COLUMNS, told["columns"], strict=True):
        columns[name] = data[start : start + length]
        start += length
    told["columns"] = columns
    return PackedFile(**told)


def _line(
    language: str,
    mode: str | None,
    reason: str | None,
    partial: Sequence[Sequence[int]],
    lines: int,
    encoding: str,
) -> LedgerLine:
    return LedgerLine(
        language,
        FileMode(mode) if mode else None,
        SkipReason(reason) if reason else None,
        tuple((first, last) for first, last in partial),
        lines,
        encoding,
    )


def _counted(result: FileResult) -> list[Counter[str]]:
    """Return how often each chunk holds which term, but for those of its path.

    The names of the symbols directly within a chunk are names of a class as much as
    its own: `docs/decisions/0004`.
    """
    members: dict[str, list[str]] = defaultdict(list)
    for chunk in result.chunks:
        outer, _, last = chunk.symbol.rpartition(".")
        members[outer].append(last)
    return [
        count_chunk(
            symbol=" ".join(
                [one.symbol, *(members[one.symbol] if one.members else ())]
            ),
            head="\n".join(filter(None, (one.signature, one.doc))),
            body=texts.body[1:],
        )
        for one, texts in zip(result.chunks, result.texts, strict=True)
    ]


def _parents(chunks: Sequence[Chunk]) -> list[int]:
    """Return the symbol that each chunk stands directly within, as its number."""
    named: dict[str, int] = {}
    for number, chunk in enumerate(chunks):
        named.setdefault(chunk.symbol, number)
    outer = (
        "" if one.kind is ChunkKind.SECTION else one.symbol.rpartition(".")[0]
        for one in chunks
    )
    return [named.get(name, NONE) if name else NONE for name in outer]


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _array(values: Sequence[Any]) -> bytes:  # Any: numbers, or tuples of them
    return np.array(values, np.int32).tobytes()


def _sizes(values: Sequence[Sequence[object]]) -> bytes:
    return _array([len(one) for one in values])
