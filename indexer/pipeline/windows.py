"""Windows: chunks of a fixed number of lines, for text without symbols."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from indexer.pipeline.blobs import split_lines
from indexer.pipeline.types import Chunk, ChunkKind

WINDOW_LINES = 50  # a screenful; what a person reads at once
OVERLAP_LINES = 10  # so that a passage of ten lines is whole in some window
STEP = WINDOW_LINES - OVERLAP_LINES


def window_chunks(
    text: str, ranges: Sequence[tuple[int, int]] | None = None
) -> list[Chunk]:
    """Return windows over the lines of `ranges`, or of the whole text, in order.

    `ranges` are inclusive line ranges; no window reaches from one into another.
    A window of blank lines, or one that only repeats the overlap, is not made.
    """
    lines = split_lines(text)
    starts = [0, *accumulate(len(line.encode("utf-8")) + 1 for line in lines)]
    size = len(text.encode("utf-8"))
    chunks = []
    for first, last in ranges if ranges is not None else [(1, len(lines))]:
        for start, end in cut_lines(max(first, 1), min(last, len(lines))):
            if any(line.strip() for line in lines[start - 1 : end]):
                chunks.append(_window(start, end, starts, size))
    return chunks


def cut_lines(first: int, last: int) -> list[tuple[int, int]]:
    """Cut the lines `first`..`last` into windows that overlap.

    The last one is shorter: it ends with the lines, and is made only where it holds
    more than the overlap, for the window before it holds that already.
    """
    windows = []
    for start in range(first, last + 1, STEP):
        if start > first and last < start + OVERLAP_LINES:
            break
        windows.append((start, min(start + WINDOW_LINES - 1, last)))
    return windows


def _window(first: int, last: int, starts: Sequence[int], size: int) -> Chunk:
    start, end = starts[first - 1], min(starts[last], size)
    return Chunk(
        symbol="",
        kind=ChunkKind.WINDOW,
        start_byte=start,
        end_byte=end,
        start_line=first,
        end_line=last,
        spans=((start, end),),
    )
