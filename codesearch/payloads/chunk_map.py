"""Chunk map: a file's functions against the windows over it, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from codesearch.payloads import SCHEMA, Payload
from indexer.mapping import MappedFile
from indexer.pipeline.chunk_map import (
    ChunkMap,
    Enclosing,
    Fate,
    Holding,
    MappedFunction,
    count_by_length,
    enclosing,
    expected_whole,
    map_chunks,
)
from indexer.pipeline.line_regex import PATTERNS, Definition, count_shapes
from indexer.pipeline.types import FileMode
from indexer.pipeline.windows import OVERLAP_LINES, STEP, WINDOW_LINES


def map_payload(found: MappedFile, shift: int = 0, line: int | None = None) -> Payload:
    """Return the map of a file, moved down by `shift` lines.

    Lines of functions and windows are those of the moved file, apart from
    `file_line`, where a function begins in the file as it is.
    """
    cut = found.cut
    mapped = map_chunks(cut.text, cut.chunks, shift)
    if cut.line.mode in (None, FileMode.DATA):  # No chunker cuts it.
        mapped = ChunkMap(shift, mapped.lines, (), (), ())
    fates = [one.fate for one in mapped.functions]
    around = enclosing(line, cut.chunks, cut.spans, mapped) if line else None
    return {
        "schema": SCHEMA,
        "repository": found.repository,
        "revision": found.revision,
        "path": found.path,
        "path_url": found.path_url,
        "language": cut.line.language,
        "mode": cut.line.mode,
        "reason": cut.line.reason,
        "lines": cut.line.lines,
        "shift": shift,
        "window": {"lines": WINDOW_LINES, "overlap": OVERLAP_LINES, "step": STEP},
        "windows": [list(one) for one in mapped.windows],
        "functions": [_function(one) for one in mapped.functions],
        "fates": {fate: fates.count(fate) for fate in Fate},
        "lengths": [
            {"least": least, "most": most, **counts}
            for (least, most), counts in count_by_length(mapped.functions)
        ],
        "cuts": {"all": len(mapped.cuts), "inside": mapped.cuts_inside},
        "line": _enclosing(around) if around else None,
        "symbols": symbols_payload(
            Definition(cut.line.language, one.kind, one.symbol, one.signature)
            for one in cut.chunks
        ),
        "stored": [asdict(one) for one in found.stored],
    }


def symbols_payload(definitions: Iterable[Definition]) -> Payload:
    """Return symbols by shape, and what the pattern of their language finds of them."""
    rows = [asdict(one) for one in count_shapes(definitions)]
    searched = [row for row in rows if row["found"] is not None]
    languages = dict.fromkeys(row["language"] for row in searched)
    functions = sum(row["symbols"] for row in searched)
    found = sum(row["found"] for row in searched)
    return {
        "rows": rows,
        "functions": functions,
        "found": found,
        "share": found / functions if functions else None,
        "patterns": {language: PATTERNS[language] for language in languages},
    }


def _function(one: MappedFunction) -> Payload:
    best, *others = one.holdings
    return {
        "symbol": one.chunk.symbol,
        "kind": one.chunk.kind,
        "file_line": one.chunk.start_line,
        "start_line": one.start_line,
        "end_line": one.end_line,
        "lines": one.lines,
        "fate": one.fate,
        "window": _holding(best),
        "padding": best.size - best.lines,
        "others": [_holding(other) for other in others],
        "cuts": list(one.cuts),
        "whole_at": [shift for shift, is_whole in enumerate(one.whole_at) if is_whole],
        "expected_whole": expected_whole(one.lines),
    }


def _holding(one: Holding) -> Payload:
    start, end = one.window
    return {
        "start_line": start,
        "end_line": end,
        "size": one.size,
        "lines": one.lines,
        "share": one.share,
    }


def _enclosing(around: Enclosing) -> Payload:
    chunk = around.chunk
    return {
        "line": around.line,
        "symbol": chunk.symbol if chunk else None,
        "kind": chunk.kind if chunk else None,
        "start_line": chunk.start_line if chunk else None,
        "end_line": chunk.end_line if chunk else None,
        "windows": [list(one) for one in around.windows],
    }
