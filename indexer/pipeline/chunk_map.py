"""The chunk map: the functions of a file against the windows that its lines are cut to.

A function is intact where one window holds all of it and at least half of that window
is it, padded where a window holds all of it and more than half is foreign, fragmented
where no window holds all of it. Which of them it is depends on where in the file it
stands, so a file can be moved down by blank lines above it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from indexer.pipeline.blobs import split_lines
from indexer.pipeline.types import Chunk, ChunkKind
from indexer.pipeline.windows import STEP, WINDOW_LINES, cut_lines, window_chunks

# What runs as a piece. A class is not: its methods are chunks of their own.
FUNCTION_KINDS = frozenset(
    {ChunkKind.FUNCTION, ChunkKind.METHOD, ChunkKind.PROPERTY, ChunkKind.MACRO}
)
LENGTH_CLASSES: tuple[tuple[int, int | None], ...] = (
    (1, 10),
    (11, 25),
    (26, WINDOW_LINES),
    (WINDOW_LINES + 1, None),
)

LineRange = tuple[int, int]


class Fate(StrEnum):
    """What the windows make of a function."""

    INTACT = "intact"
    PADDED = "padded"
    FRAGMENTED = "fragmented"


@dataclass(frozen=True, slots=True)
class Holding:
    """A window with a function in it: the window's lines, and how many are its."""

    window: LineRange
    lines: int

    @property
    def size(self) -> int:
        """Return how many lines the window has."""
        return self.window[1] - self.window[0] + 1

    @property
    def share(self) -> float:
        """Return the share of the window that is the function, above 0 and up to 1."""
        return self.lines / self.size


@dataclass(frozen=True, slots=True)
class MappedFunction:
    """A function in the moved file, and the windows over it.

    `holdings` begin with the window that holds most of it, of several the one it
    fills best, then the first; the others follow in order. `cuts` are the lines of it
    after which a window ends or the next begins, in order. `whole_at` says of each
    shift from 0 to `STEP` - 1 whether a window holds all of it.
    """

    chunk: Chunk
    start_line: int
    end_line: int
    fate: Fate
    holdings: tuple[Holding, ...]
    cuts: tuple[int, ...]
    whole_at: tuple[bool, ...]

    @property
    def lines(self) -> int:
        """Return how many lines it has."""
        return self.end_line - self.start_line + 1


@dataclass(frozen=True, slots=True)
class ChunkMap:
    """The functions of a file and the windows over it, in lines of the moved file.

    `cuts` are the lines after which a window ends or the next one begins.
    """

    shift: int
    lines: int
    windows: tuple[LineRange, ...]
    functions: tuple[MappedFunction, ...]
    cuts: tuple[int, ...]

    @property
    def cuts_inside(self) -> int:
        """Return how many of the cuts lie inside a function."""
        return len({cut for one in self.functions for cut in one.cuts})


def map_chunks(text: str, chunks: Sequence[Chunk], shift: int = 0) -> ChunkMap:
    """Return the map of a file, moved down by `shift` blank lines.

    `text` is what the chunkers cut, `chunks` what the symbol chunker made of it; the
    windows are those that the window chunker makes of the moved text. Raises
    ValueError where `shift` is not from 0 to `STEP` - 1: further on it all repeats.
    """
    if not 0 <= shift < STEP:
        raise ValueError(f"A shift of {shift} is not from 0 to {STEP - 1}.")
    made = window_chunks("\n" * shift + text)
    windows = tuple((one.start_line, one.end_line) for one in made)
    lines = len(split_lines(text))
    cuts_by_shift = [cut_lines(1, lines + moved) for moved in range(STEP)]
    all_cuts = _cuts(windows)
    functions = tuple(
        _map_function(chunk, shift, windows, all_cuts, cuts_by_shift)
        for chunk in chunks
        if chunk.kind in FUNCTION_KINDS
    )
    return ChunkMap(shift, lines + shift, windows, functions, all_cuts)


def _map_function(
    chunk: Chunk,
    shift: int,
    windows: Sequence[LineRange],
    all_cuts: Sequence[int],
    cuts_by_shift: Sequence[Sequence[LineRange]],
) -> MappedFunction:
    first, last = chunk.start_line + shift, chunk.end_line + shift
    holdings = windows_over((first, last), windows)
    return MappedFunction(
        chunk=chunk,
        start_line=first,
        end_line=last,
        fate=_fate(holdings[0], last - first + 1),
        holdings=holdings,
        cuts=tuple(cut for cut in all_cuts if first <= cut < last),
        whole_at=tuple(
            _is_whole(chunk.start_line + moved, chunk.end_line + moved, cut)
            for moved, cut in enumerate(cuts_by_shift)
        ),
    )


def windows_over(lines: LineRange, windows: Sequence[LineRange]) -> tuple[Holding, ...]:
    """Return the windows that hold any of some lines, the one with most of them first.

    Of equals the smaller window comes first, then the one above; the others follow in
    their order.
    """
    first, last = lines
    over = [
        Holding(window, min(window[1], last) - max(window[0], first) + 1)
        for window in windows
        if window[0] <= last and first <= window[1]
    ]
    if not over:
        return ()
    best = min(over, key=lambda one: (-one.lines, one.size, one.window))
    return (best, *(one for one in over if one is not best))


def _fate(best: Holding, lines: int) -> Fate:
    if best.lines < lines:
        return Fate.FRAGMENTED
    return Fate.INTACT if 2 * lines >= best.size else Fate.PADDED


def _cuts(windows: Sequence[LineRange]) -> tuple[int, ...]:
    """Return the lines after which a window ends or the next begins, in the file."""
    cuts = {start - 1 for start, _ in windows[1:]} | {end for _, end in windows[:-1]}
    return tuple(sorted(cuts))


def _is_whole(first: int, last: int, windows: Sequence[LineRange]) -> bool:
    """Tell whether a window holds all of some lines: the last to begin by the first."""
    index = bisect_right(windows, (first, last + WINDOW_LINES)) - 1
    return windows[index][1] >= last


def expected_whole(lines: int) -> int:
    """Return at how many of the `STEP` shifts a function of so many lines is whole.

    It is whole where it begins at most `WINDOW_LINES` - `lines` below a window's first
    line. That holds at the ends of a file too: the last window is cut off only where
    the file is, and one that is not made is inside the window before it.
    """
    return max(0, min(STEP, WINDOW_LINES - lines + 1))


@dataclass(frozen=True, slots=True)
class Enclosing:
    """What lies around a line: its innermost chunk, None where it is in none."""

    line: int
    chunk: Chunk | None
    windows: tuple[LineRange, ...]


def enclosing(
    line: int,
    chunks: Sequence[Chunk],
    spans: Sequence[Sequence[LineRange]],
    mapped: ChunkMap,
) -> Enclosing:
    """Return the innermost chunk over a line of the file, and the windows over it.

    `spans` are the lines of each chunk that are its own. The line is that of the file
    as it is; the windows are in lines of the moved file.
    """
    over = [
        chunk
        for chunk, ranges in zip(chunks, spans, strict=True)
        if any(first <= line <= last for first, last in ranges)
    ]
    moved = line + mapped.shift
    return Enclosing(
        line,
        min(over, key=_extent) if over else None,
        tuple(one for one in mapped.windows if one[0] <= moved <= one[1]),
    )


def _extent(chunk: Chunk) -> tuple[int, int, int]:
    return chunk.end_line - chunk.start_line, -chunk.start_byte, chunk.end_byte


def count_by_length(
    functions: Sequence[MappedFunction],
) -> list[tuple[tuple[int, int | None], dict[Fate, int]]]:
    """Return for each class of length how many functions met which fate."""
    counts = []
    for least, most in LENGTH_CLASSES:
        fates = [
            one.fate
            for one in functions
            if least <= one.lines and (most is None or one.lines <= most)
        ]
        counts.append(((least, most), {fate: fates.count(fate) for fate in Fate}))
    return counts
