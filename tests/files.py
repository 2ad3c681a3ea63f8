"""Files that are read as a build reads them, for tests of what comes after."""

from __future__ import annotations

from indexer.pipeline import texts
from indexer.pipeline.packing import PlacedFile, pack
from indexer.pipeline.path_rule import rule_of
from indexer.pipeline.reading import read_source
from indexer.pipeline.types import (
    Chunk,
    ChunkTexts,
    FileResult,
    SkipReason,
    Source,
    TreeEntry,
)


def entry_of(path: str, size: int) -> TreeEntry:
    """Return the tree entry of an ordinary file."""
    return TreeEntry(path.encode(), "100644", "0" * 40, size)


def read_file(
    path: str,
    text: str,
    chunker: str = "symbol",
    *,
    index_secrets: bool = False,
    failure: SkipReason | None = None,
) -> FileResult:
    """Read a text as the file at `path`."""
    rule = rule_of(entry_of(path, len(text.encode())))
    source = Source(text, "utf-8")
    return read_source(
        rule, source, chunker, index_secrets=index_secrets, failure=failure
    )


def place_file(path: str, text: str, chunker: str = "symbol") -> PlacedFile:
    """Return a text as a build keeps the file at `path`."""
    entry = entry_of(path, len(text.encode()))
    return PlacedFile(entry, pack(read_file(path, text, chunker)))


def in_context(path: str, chunk: Chunk, below: ChunkTexts) -> ChunkTexts:
    """Return the texts of a chunk with the context line, as they are encoded."""
    context = texts.context_line(texts.path_words(path), chunk.symbol)
    return ChunkTexts(
        purpose=None if below.purpose is None else context + below.purpose,
        body=context + below.body,
        body_breaks=tuple((len(context) + at, deep) for at, deep in below.body_breaks),
    )


def chunk_texts(path: str, chunk: Chunk, data: bytes) -> ChunkTexts:
    """Return the texts of a chunk of the file at `path`, as they are encoded."""
    return in_context(path, chunk, texts.chunk_texts(chunk, data))
