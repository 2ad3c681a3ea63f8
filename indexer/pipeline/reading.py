"""Reading: from the content of a tree entry to its ledger line, chunks and texts.

Everything here is a function of the bytes, of the rule that the path gives, and of how
the repository is indexed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
from indexer.pipeline.languages import detect_language, has_symbols, language_of
from indexer.pipeline.marks import digest, import_statements, text_marks
from indexer.pipeline.one_thing import file_chunk, is_one_thing
from indexer.pipeline.parsing import parse
from indexer.pipeline.path_rule import PathRule, rule_of
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
from indexer.pipeline.texts import chunk_texts
from indexer.pipeline.types import (
    Chunk,
    FileMode,
    FileResult,
    LedgerLine,
    ParsedFile,
    SkipReason,
    Source,
    Symbol,
    TreeEntry,
)
from indexer.pipeline.windows import window_chunks

HEAD_BYTES = 4096  # Of a file without chunks: enough words to tell what it is about.
KEY_HEADER = b"PRIVATE KEY"


def unread_reason(entry: TreeEntry, *, index_secrets: bool) -> SkipReason | None:
    """Return why the content of an entry is not looked at, None where it is."""
    reason = skip_reason(entry)
    if reason is not None and reason is not SkipReason.TOO_LARGE:
        return reason
    is_secret = not index_secrets and is_secret_path(entry.path)
    return SkipReason.SECRET if is_secret else None


def load_content(reader: BlobReader, entry: TreeEntry, rule: PathRule) -> bytes:
    """Return the bytes that `read_content` reads."""
    (data,) = reader.read_many([(entry.oid, content_limit(rule))])
    return data


def content_limit(rule: PathRule) -> int | None:
    """Return how many bytes `read_content` reads of a file, None for all."""
    return HEAD_BYTES if rule.is_too_large else None


def read_content(
    rule: PathRule,
    data: bytes,
    chunker: str,
    *,
    index_secrets: bool = False,
    failure: SkipReason | None = None,
) -> FileResult:
    """Read the bytes of one file: its ledger line, and what is searchable of it.

    `failure` as in `read_source`.
    """
    if rule.is_too_large:
        return _too_large(rule, data, index_secrets)
    source = indexed_source(rule, data, index_secrets)
    if isinstance(source, SkipReason):
        return skipped(rule, source)
    return read_source(
        rule, source, chunker, index_secrets=index_secrets, failure=failure
    )


def skipped(rule: PathRule, reason: SkipReason) -> FileResult:
    """Return the ledger line of a file that is not searchable."""
    return FileResult(LedgerLine(language_of(rule.named, ""), None, reason))


def indexed_source(
    rule: PathRule, data: bytes, index_secrets: bool
) -> Source | SkipReason:
    """Return a file's text as it is indexed, or why it is not."""
    if not index_secrets and _holds_a_key(data):
        return SkipReason.SECRET
    # An image of a notebook is one long line, and left out with all outputs.
    is_notebook = rule.named.language == NOTEBOOK
    return decode(data, dense=rule.is_data or is_notebook)


def shown_source(
    path: bytes, data: bytes, *, index_secrets: bool = False
) -> Source | SkipReason:
    """Return a file as people may read it, or why they may not.

    Whatever its lines are, apart from secrets: those are blank.
    """
    if not index_secrets and (is_secret_path(path) or _holds_a_key(data)):
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
    rule = rule_of(entry)
    source = (
        skip_reason(entry)
        or unread_reason(entry, index_secrets=False)
        or indexed_source(rule, data, index_secrets=False)
    )
    if isinstance(source, SkipReason):
        return FileSymbols(language_of(rule.named, ""), skip=source)
    language = language_of(rule.named, source.text)
    if rule.is_data or not has_symbols(language):
        return FileSymbols(language)
    parsed, skip = _parse(readable_text(source.text, language), language)
    return FileSymbols(language, parsed.symbols if parsed else (), skip)


def _parse(text: str, language: str) -> tuple[ParsedFile | None, SkipReason | None]:
    """Return what the parser found, or None and why it gave up."""
    parsed = parse(text, language)
    return (None, SkipReason.PARSE_TIMEOUT) if parsed.timed_out else (parsed, None)


def read_source(
    rule: PathRule,
    source: Source,
    chunker: str,
    *,
    index_secrets: bool = False,
    failure: SkipReason | None = None,
) -> FileResult:
    """Cut one decoded file into chunks with their texts, and note what it is about.

    Lines that are one encoded run (an image), and the inside of private keys,
    are left out: blanked, so that every offset stays, and named in the ledger.
    `failure` is why the file must not be parsed; it is then cut by window.
    """
    cut = cut_text(rule, source, index_secrets=index_secrets)
    language, text = cut.language, cut.text
    parsed = None
    if has_symbols(language) and not rule.is_data and failure is None:
        parsed, failure = _parse(text, language)
    if failure is not None:
        chunker = "window"  # No other rule may meet again what it hung or died of.
    mode, chunks = _cut(rule, text, language, chunker, parsed)
    encoded = text.encode()
    return FileResult(
        line=LedgerLine(
            language=language,
            mode=mode,
            reason=cut.reason or failure,
            partial=cut.left_out,
            lines=len(split_lines(text)),
            encoding=source.encoding,
        ),
        chunks=tuple(chunks),
        texts=tuple(chunk_texts(chunk, encoded) for chunk in chunks),
        line_spans=_line_spans(encoded, chunks),
        marks=text_marks(text),
        digests=tuple(digest(chunk, encoded) for chunk in chunks),
        imports=tuple(import_statements(one, encoded, language) for one in chunks),
        head="" if chunks else text[:HEAD_BYTES],
        modules=parsed.imports if parsed else (),
        defines=declared_names(text) if language == "rst" else _defines(parsed),
        doc=parsed.doc if parsed else next((c.doc for c in chunks if c.doc), None),
        is_place=True,
    )


@dataclass(frozen=True, slots=True)
class CutText:
    """A file's text as it is cut into chunks; `left_out` lines are blank in it."""

    language: str
    text: str
    reason: SkipReason | None
    left_out: tuple[tuple[int, int], ...]


def cut_text(rule: PathRule, source: Source, *, index_secrets: bool) -> CutText:
    """Return the text that every chunker cuts: what can be read of a decoded file."""
    language = markup_language(language_of(rule.named, source.text), source.text)
    text = readable_text(source.text, language)
    reason, left_out = _left_out(text, index_secrets, is_data=rule.is_data)
    return CutText(language, _blank(text, left_out), reason, left_out)


def _cut(
    rule: PathRule, text: str, language: str, chunker: str, parsed: ParsedFile | None
) -> tuple[FileMode, Sequence[Chunk]]:
    """Return the chunks of a file, and how it was cut.

    By symbol where there is a grammar, else by a rule, else by window.
    """
    if rule.is_data:
        return FileMode.DATA, ()
    if chunker != "symbol":
        return FileMode.WINDOW, window_chunks(text)
    if not text.strip():
        return FileMode.FILE, ()
    if is_one_thing(rule.one_thing, language, has_grammar=parsed is not None):
        return FileMode.FILE, [file_chunk(text, language)]
    if parsed is not None:
        return FileMode.SYMBOL, chunk_file(text, parsed)
    if language in MARKUP_LANGUAGES:
        return FileMode.SECTION, section_chunks(text, language, rule.stem)
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


def _holds_a_key(data: bytes) -> bool:
    """Tell whether a file is nothing but a private key."""
    if KEY_HEADER not in data:
        return False
    source = decode(data, dense=True)
    return isinstance(source, Source) and is_key_file(source.text)


def _too_large(rule: PathRule, head: bytes, index_secrets: bool) -> FileResult:
    """Skip a large file; as a place it is found by the words of its start."""
    source = decode(head[: head.rfind(b"\n") + 1] or head, dense=True)
    if isinstance(source, SkipReason):
        return skipped(rule, source)
    text = source.text
    # A key may go on behind the head: what is below its header is no word.
    if not index_secrets and (begin := KEY_BEGIN.search(text)):
        text = text[: begin.start()]
    return replace(skipped(rule, SkipReason.TOO_LARGE), head=text, is_place=True)


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


def _defines(parsed: ParsedFile | None) -> tuple[str, ...]:
    symbols = parsed.symbols if parsed else ()
    return tuple(dict.fromkeys(s.name for s in symbols if s.parent is None))
