"""Chunking: a parsed file as the pieces that can be found."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from indexer.pipeline.types import Chunk, ChunkKind, ParsedFile, Symbol
from indexer.pipeline.windows import window_chunks

# Their members are chunks of their own and are taken out of the text.
_HOLDERS = frozenset(
    {ChunkKind.CLASS, ChunkKind.INTERFACE, ChunkKind.ENUM, ChunkKind.NAMESPACE}
)
_WORD = re.compile(rb"\w|[^\x00-\x7f]")

_Range = tuple[int, int]


def chunk_file(text: str, parsed: ParsedFile) -> list[Chunk]:
    """Return one chunk per symbol, and chunks for the lines outside them.

    What is left of the file is one module chunk, lines that could not be parsed
    are windows. Every line that is not blank lies in at least one chunk. In
    order of start byte, the module first where it ties.
    """
    data = text.encode("utf-8")
    starts = [0, *accumulate(len(line) + 1 for line in data.split(b"\n")[:-1])]
    top, members = _members(parsed.symbols)
    covered = [_lines_of(one, starts) for one in top]
    unread = _uncovered_lines(parsed.unparsed, covered)
    taken = [(one.start_byte, one.end_byte) for one in top]
    taken += [(starts[a - 1], _line_end(starts, b, data)) for a, b in unread]
    chunks = [
        _symbol_chunk(data, symbol, members[index], starts)
        for index, symbol in enumerate(parsed.symbols)
    ]
    chunks += window_chunks(text, unread) if unread else []
    left = _left_over(data, (0, len(data)), taken)
    if left:
        chunks.append(_module_chunk(parsed, left, starts))
    chunks.sort(key=lambda one: (one.start_byte, one.kind != "module", -one.end_byte))
    return _without_repeats(chunks)


def _members(symbols: Sequence[Symbol]) -> tuple[list[Symbol], list[list[Symbol]]]:
    """Return the outermost symbols, and of each symbol those directly inside."""
    top: list[Symbol] = []
    members: list[list[Symbol]] = [[] for _ in symbols]
    enclosing: list[int] = []
    for index, symbol in enumerate(symbols):
        while enclosing and symbols[enclosing[-1]].end_byte <= symbol.start_byte:
            enclosing.pop()
        (members[enclosing[-1]] if enclosing else top).append(symbol)
        enclosing.append(index)
    return top, members


def _symbol_chunk(
    data: bytes, symbol: Symbol, members: list[Symbol], starts: Sequence[int]
) -> Chunk:
    first, last = _lines_of(symbol, starts)
    whole = (symbol.start_byte, symbol.end_byte)
    spans: tuple[_Range, ...] = (whole,)
    signatures: tuple[str, ...] = ()
    breaks = symbol.breaks
    if symbol.kind in _HOLDERS and members:
        taken = [(one.start_byte, one.end_byte) for one in members]
        spans = tuple(_left_over(data, whole, taken)) or (whole,)
        signatures = tuple(one.signature for one in members)
        breaks = tuple(cut for cut in breaks if _lies_in(cut[0], spans))
    return Chunk(
        symbol=symbol.name,
        kind=symbol.kind,
        start_byte=symbol.start_byte,
        end_byte=symbol.end_byte,
        start_line=first,
        end_line=last,
        spans=spans,
        signature=symbol.signature,
        doc=symbol.doc,
        decorators=symbol.decorators,
        members=signatures,
        breaks=breaks,
    )


def _module_chunk(
    parsed: ParsedFile, spans: list[_Range], starts: Sequence[int]
) -> Chunk:
    start, end = spans[0][0], spans[-1][1]
    return Chunk(
        symbol="",
        kind=ChunkKind.MODULE,
        start_byte=start,
        end_byte=end,
        start_line=bisect_right(starts, start),
        end_line=bisect_right(starts, end - 1),
        spans=tuple(spans),
        doc=parsed.doc,
    )


def _left_over(data: bytes, whole: _Range, taken: Iterable[_Range]) -> list[_Range]:
    """Return what is left of `whole` without `taken`, trimmed of blank lines.

    Punctuation that shares its line with something taken (`;`, `,`) is dropped.
    """
    left = []
    position = whole[0]
    for start, end in [*sorted(taken), (whole[1], whole[1])]:
        if start > position and (piece := _trimmed(data, position, start)):
            left.append(piece)
        position = max(position, end)
    return left


def _trimmed(data: bytes, start: int, end: int) -> _Range | None:
    """Trim blank lines at both ends; the first line keeps its indentation."""
    piece = data[start:end]
    if not piece.strip():
        return None
    indented = len(piece) - len(piece.lstrip())
    begin = start + indented
    line_start = data.rfind(b"\n", start, begin) + 1
    if line_start > start or start == 0 or data[start - 1 : start] == b"\n":
        begin = max(line_start, start)
    finish = end - (len(piece) - len(piece.rstrip()))
    shares_line = begin > 0 and data[begin - 1 : begin] != b"\n"
    if shares_line and not _WORD.search(data, begin, finish):
        rest = data[begin:finish].split(b"\n")[1:]
        if not any(line.strip() for line in rest):
            return None
    return begin, finish


def _lines_of(symbol: Symbol, starts: Sequence[int]) -> _Range:
    """Return a symbol's lines in the text; those of a notebook count in its cell."""
    first = bisect_right(starts, symbol.start_byte)
    return first, bisect_right(starts, max(symbol.end_byte - 1, symbol.start_byte))


def _uncovered_lines(
    ranges: Sequence[_Range], covered: Sequence[_Range]
) -> list[_Range]:
    """Return the parts of the line ranges that no symbol covers."""
    left = []
    ends = [end for _, end in covered]
    for first, last in ranges:
        line = first
        for index in range(bisect_left(ends, first), len(covered)):
            start, end = covered[index]
            if start > last:
                break
            if start > line:
                left.append((line, start - 1))
            line = end + 1
        if line <= last:
            left.append((line, last))
    return left


def _line_end(starts: Sequence[int], line: int, data: bytes) -> int:
    return starts[line] if line < len(starts) else len(data)


def _lies_in(byte: int, spans: Sequence[_Range]) -> bool:
    index = bisect_right(spans, byte, key=lambda span: span[0]) - 1
    return index >= 0 and byte < spans[index][1]


def _without_repeats(chunks: list[Chunk]) -> list[Chunk]:
    """Drop a chunk whose name and start byte an earlier one has: ids are unique."""
    kept: dict[tuple[str, int], Chunk] = {}
    for chunk in chunks:
        kept.setdefault((chunk.symbol, chunk.start_byte), chunk)
    return list(kept.values())
