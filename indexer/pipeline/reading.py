"""Reading: from an entry of the tree to its ledger line, chunks and texts.

Everything here is a function of the entry's path and bytes, and of how its
repository is indexed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from indexer.pipeline.blobs import (
    BlobReader,
    decode,
    encoded_lines,
    skip_reason,
    split_lines,
)
from indexer.pipeline.chunking import chunk_file
from indexer.pipeline.embedded import NOTEBOOK, readable_text
from indexer.pipeline.languages import detect_language, has_symbols, is_data_file
from indexer.pipeline.marks import digest, file_marks, import_statements, is_reexport
from indexer.pipeline.one_thing import file_chunk, is_one_thing
from indexer.pipeline.parsing import parse
from indexer.pipeline.paths import display_path
from indexer.pipeline.secret_files import (
    KEY_BEGIN,
    is_key_file,
    is_secret_path,
    key_lines,
)
from indexer.pipeline.sections import (
    MARKUP_LANGUAGES,
    declared_names,
    markup_language,
    section_chunks,
)
from indexer.pipeline.texts import chunk_texts, summary_text
from indexer.pipeline.types import (
    Chunk,
    FileMode,
    FileResult,
    LedgerLine,
    Mark,
    ParsedFile,
    SkipReason,
    Source,
    Symbol,
    TreeEntry,
)
from indexer.pipeline.windows import window_chunks

HEAD_BYTES = 4096  # Of a file without chunks: enough words to tell what it is about.
KEY_HEADER = b"PRIVATE KEY"


class Cut(Protocol):
    """How a decoded file becomes chunks: `read_source`, here or in another process."""

    def __call__(
        self, entry: TreeEntry, source: Source, chunker: str, *, index_secrets: bool
    ) -> FileResult:
        """Return what is searchable of the file."""


def read_entries(
    mirror: Path,
    entries: Sequence[TreeEntry],
    chunker: str,
    *,
    index_secrets: bool = False,
    cut: Cut | None = None,
) -> Iterator[FileResult]:
    """Read the entries of a commit, in the order given, each cut by `cut`."""
    with BlobReader(mirror) as reader:
        for entry in entries:
            yield read_entry(
                entry, reader, chunker, index_secrets=index_secrets, cut=cut
            )


def read_entry(
    entry: TreeEntry,
    reader: BlobReader,
    chunker: str,
    *,
    index_secrets: bool = False,
    cut: Cut | None = None,
) -> FileResult:
    """Read one entry: its ledger line, and what is searchable of it."""
    reason = skip_reason(entry)
    has_text = reason is None or reason is SkipReason.TOO_LARGE
    if has_text and not index_secrets and is_secret_path(entry.path):
        return _skipped(entry, SkipReason.SECRET)
    if reason is SkipReason.TOO_LARGE:
        return _too_large(entry, reader.read_head(entry.oid, HEAD_BYTES), index_secrets)
    if reason:
        return _skipped(entry, reason)
    source = _indexed_source(entry, reader.read(entry.oid), index_secrets)
    if isinstance(source, SkipReason):
        return _skipped(entry, source)
    cut = cut or read_source
    return cut(entry, source, chunker, index_secrets=index_secrets)


def _indexed_source(
    entry: TreeEntry, data: bytes, index_secrets: bool
) -> Source | SkipReason:
    """Return a file's text as it is indexed, or why it is not."""
    if not index_secrets and _is_secret(entry.path, data):
        return SkipReason.SECRET
    # An image of a notebook is one long line, and left out with all outputs.
    is_notebook = detect_language(entry.path, "") == NOTEBOOK
    is_data = is_data_file(entry.path, entry.size or 0)
    return decode(data, dense=is_data or is_notebook)


def shown_source(
    path: bytes, data: bytes, *, index_secrets: bool = False
) -> Source | SkipReason:
    """Return a file as people may read it, or why they may not.

    Whatever its lines are, apart from secrets: those are blank.
    """
    if not index_secrets and _is_secret(path, data):
        return SkipReason.SECRET
    source = decode(data, dense=True)
    if isinstance(source, SkipReason):
        return source
    text = readable_text(source.text, detect_language(path, ""))
    keys = () if index_secrets else key_lines(text)
    return replace(source, text=_blank(text, keys))


@dataclass(frozen=True, slots=True)
class FileSymbols:
    """What the parser finds in one file; `skip` is why nothing is read of it."""

    language: str
    symbols: tuple[Symbol, ...] = ()
    skip: SkipReason | None = None


def read_symbols(entry: TreeEntry, data: bytes) -> FileSymbols:
    """Return the symbols of one file, by the same rules as a build."""
    source = skip_reason(entry) or _indexed_source(entry, data, index_secrets=False)
    if isinstance(source, SkipReason):
        return FileSymbols(detect_language(entry.path, ""), skip=source)
    language = detect_language(entry.path, source.text)
    if is_data_file(entry.path, entry.size or 0) or not has_symbols(language):
        return FileSymbols(language)
    parsed, skip = _parse(readable_text(source.text, language), language)
    return FileSymbols(language, parsed.symbols if parsed else (), skip)


def _parse(text: str, language: str) -> tuple[ParsedFile | None, SkipReason | None]:
    """Return what the parser found, or None and why it gave up."""
    parsed = parse(text, language)
    return (None, SkipReason.PARSE_TIMEOUT) if parsed.timed_out else (parsed, None)


def read_source(
    entry: TreeEntry,
    source: Source,
    chunker: str,
    *,
    index_secrets: bool = False,
    failure: SkipReason | None = None,
) -> FileResult:
    """Cut one decoded file into chunks with their texts, and summarise it.

    Lines that are one encoded run (an image), and the inside of private keys,
    are left out: blanked, so that every offset stays, and named in the ledger.
    `failure` is why the file must not be parsed; it is then cut by window.
    """
    is_data = is_data_file(entry.path, entry.size or 0)
    cut = cut_text(entry, source, index_secrets=index_secrets)
    language, text = cut.language, cut.text
    parsed = None
    if has_symbols(language) and not is_data and failure is None:
        parsed, failure = _parse(text, language)
    if failure is not None:
        chunker = "window"  # No other rule may meet again what it hung or died of.
    mode, chunks = _cut(entry, text, language, chunker, parsed)
    path = display_path(entry.path)
    encoded = text.encode()
    marks = file_marks(entry.path, text)
    imports = tuple(import_statements(one, encoded, language) for one in chunks)
    doc = parsed.doc if parsed else next((one.doc for one in chunks if one.doc), None)
    return FileResult(
        line=LedgerLine(
            entry=entry,
            language=language,
            mode=mode,
            reason=cut.reason or failure,
            partial=cut.left_out,
            lines=len(split_lines(text)),
            encoding=source.encoding,
        ),
        chunks=tuple(chunks),
        texts=tuple(chunk_texts(path, chunk, encoded) for chunk in chunks),
        line_spans=_line_spans(encoded, chunks),
        marks=marks,
        chunk_marks=_chunk_marks(marks, imports),
        imports=imports,
        digests=tuple(digest(chunk, encoded) for chunk in chunks),
        head="" if chunks else text[:HEAD_BYTES],
        summary=_summary(path, parsed, doc),
        defines=declared_names(text) if language == "rst" else _defines(parsed),
        doc=doc,
    )


@dataclass(frozen=True, slots=True)
class CutText:
    """A file's text as it is cut into chunks; `left_out` lines are blank in it."""

    language: str
    text: str
    reason: SkipReason | None
    left_out: tuple[tuple[int, int], ...]


def cut_text(entry: TreeEntry, source: Source, *, index_secrets: bool) -> CutText:
    """Return the text that every chunker cuts: what can be read of a decoded file."""
    language = markup_language(detect_language(entry.path, source.text), source.text)
    is_data = is_data_file(entry.path, entry.size or 0)
    text = readable_text(source.text, language)
    reason, left_out = _left_out(text, index_secrets, is_data=is_data)
    return CutText(language, _blank(text, left_out), reason, left_out)


def _cut(
    entry: TreeEntry, text: str, language: str, chunker: str, parsed: ParsedFile | None
) -> tuple[FileMode, Sequence[Chunk]]:
    """Return the chunks of a file, and how it was cut.

    By symbol where there is a grammar, else by a rule, else by window.
    """
    size = entry.size or 0
    if is_data_file(entry.path, size):
        return FileMode.DATA, ()
    if chunker != "symbol":
        return FileMode.WINDOW, window_chunks(text)
    if not text.strip():
        return FileMode.FILE, ()
    if is_one_thing(entry.path, language, size, has_grammar=parsed is not None):
        return FileMode.FILE, [file_chunk(text, language)]
    if parsed is not None:
        return FileMode.SYMBOL, chunk_file(text, parsed)
    if language in MARKUP_LANGUAGES:
        stem = display_path(entry.path).rpartition("/")[2].partition(".")[0]
        return FileMode.SECTION, section_chunks(text, language, stem)
    return FileMode.WINDOW, window_chunks(text)


def _left_out(
    text: str, index_secrets: bool, *, is_data: bool
) -> tuple[SkipReason | None, tuple[tuple[int, int], ...]]:
    """Return the lines that are left out, and why; a secret is the first reason."""
    long = () if is_data else encoded_lines(text)
    keys = () if index_secrets else key_lines(text)
    if not keys:
        return (SkipReason.LONG_LINE, long) if long else (None, ())
    return SkipReason.SECRET, tuple(sorted({*long, *keys}))


def _chunk_marks(
    marks: tuple[Mark, ...], imports: Sequence[tuple[str, ...]]
) -> tuple[tuple[Mark, ...], ...]:
    return tuple(
        (*marks, Mark.REEXPORT) if is_reexport(statements) else marks
        for statements in imports
    )


def _is_secret(path: bytes, data: bytes) -> bool:
    """Tell whether a file is one that holds secrets, by its name or its content."""
    if is_secret_path(path):
        return True
    if KEY_HEADER not in data:
        return False
    source = decode(data, dense=True)
    return isinstance(source, Source) and is_key_file(source.text)


def _too_large(entry: TreeEntry, head: bytes, index_secrets: bool) -> FileResult:
    """Skip a large file; as a place it is found by the words of its start."""
    source = decode(head[: head.rfind(b"\n") + 1] or head, dense=True)
    if isinstance(source, SkipReason):
        return _skipped(entry, source)
    text = source.text
    # A key may go on behind the head: what is below its header is no word.
    if not index_secrets and (begin := KEY_BEGIN.search(text)):
        text = text[: begin.start()]
    result = _skipped(entry, SkipReason.TOO_LARGE)
    summary = summary_text(display_path(entry.path), None, (), ())
    return replace(result, head=text, summary=summary)


def _blank(text: str, ranges: Sequence[tuple[int, int]]) -> str:
    """Replace lines by as many spaces as they have bytes."""
    if not ranges:
        return text
    lines = text.split("\n")
    for start, stop in ranges:
        for number in range(start - 1, stop):
            lines[number] = " " * len(lines[number].encode())
    return "\n".join(lines)


def _line_spans(
    encoded: bytes, chunks: Sequence[Chunk]
) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the line ranges of each chunk's spans, from 1, inclusive."""
    ends = np.flatnonzero(np.frombuffer(encoded, dtype=np.uint8) == ord("\n"))
    return tuple(
        tuple(
            (
                1 + int(np.searchsorted(ends, start)),
                1 + int(np.searchsorted(ends, max(start, stop - 1))),
            )
            for start, stop in chunk.spans
        )
        for chunk in chunks
    )


def _skipped(entry: TreeEntry, reason: SkipReason) -> FileResult:
    language = detect_language(entry.path, "")
    line = LedgerLine(entry, language, mode=None, reason=reason)
    return FileResult(line, marks=file_marks(entry.path, ""))


def _defines(parsed: ParsedFile | None) -> tuple[str, ...]:
    symbols = parsed.symbols if parsed else ()
    return tuple(dict.fromkeys(s.name for s in symbols if s.parent is None))


def _summary(path: str, parsed: ParsedFile | None, doc: str | None) -> str:
    imports = parsed.imports if parsed else ()
    return summary_text(path, doc, _defines(parsed), imports)
