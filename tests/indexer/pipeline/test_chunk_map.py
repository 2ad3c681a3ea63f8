"""The chunk map agrees with line arithmetic: sets of lines, counted one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.pipeline.chunk_map import (
    ChunkMap,
    Fate,
    count_by_length,
    enclosing,
    expected_whole,
    map_chunks,
)
from indexer.pipeline.types import Chunk, ChunkKind
from indexer.pipeline.windows import STEP, cut_lines, window_chunks


def text_of(lines: int) -> str:
    return "x\n" * lines


def function(first: int, last: int, kind: ChunkKind = ChunkKind.FUNCTION) -> Chunk:
    return Chunk(f"f{first}", kind, first, last, first, last, ((first, last),))


def mapped(lines: int, first: int, last: int, shift: int = 0) -> ChunkMap:
    return map_chunks(text_of(lines), [function(first, last)], shift)


@st.composite
def placed(draw: st.DrawFn) -> tuple[int, int, int]:
    """Return how many lines a file has, and the first and last of a function in it."""
    lines = draw(st.integers(1, 260))
    first = draw(st.integers(1, lines))
    # Small ones, those around a window, and any.
    length = draw(
        st.one_of(st.integers(1, 12), st.integers(38, 60), st.integers(1, 260))
    )
    return lines, first, min(lines, first + length - 1)


def windows_by_hand(lines: int) -> list[set[int]]:
    """Cut lines as it is described: 50 lines, every 40, until the end is reached."""
    windows: list[set[int]] = []
    start = 1
    while not windows or max(windows[-1]) < lines:
        windows.append(set(range(start, min(start + 49, lines) + 1)))
        start += 40
    return windows


@given(st.integers(1, 400))
def test_the_last_window_is_the_first_that_reaches_the_end(lines: int) -> None:
    made = [set(range(a, b + 1)) for a, b in cut_lines(1, lines)]

    assert made == windows_by_hand(lines)


@given(placed(), st.integers(0, STEP - 1))
def test_fates_are_those_of_line_arithmetic(
    place: tuple[int, int, int], shift: int
) -> None:
    lines, first, last = place
    own = {line + shift for line in range(first, last + 1)}
    windows = windows_by_hand(lines + shift)
    holding = [window for window in windows if own <= window]

    (found,) = mapped(lines, first, last, shift).functions

    if not holding:
        assert found.fate is Fate.FRAGMENTED
        most = max(len(own & window) for window in windows)
        assert found.holdings[0].lines == most < len(own)
    else:
        smallest = min(len(window) for window in holding)
        full = 2 * len(own) >= smallest
        assert found.fate is (Fate.INTACT if full else Fate.PADDED)
        assert found.holdings[0].lines == len(own)
        assert found.holdings[0].size == smallest
    touched = [(min(w), max(w), len(own & w)) for w in windows if own & w]
    assert sorted((*one.window, one.lines) for one in found.holdings) == touched


@given(placed())
@settings(max_examples=30)  # Of 40 maps each.
def test_the_slider_agrees_with_counting_at_every_shift(
    place: tuple[int, int, int],
) -> None:
    lines, first, last = place
    whole = []
    for shift in range(40):
        own = {line + shift for line in range(first, last + 1)}
        whole.append(any(own <= window for window in windows_by_hand(lines + shift)))

    maps = [mapped(lines, first, last, shift) for shift in range(40)]

    fates = [one.functions[0].fate is not Fate.FRAGMENTED for one in maps]
    assert fates == whole
    assert {one.functions[0].whole_at for one in maps} == {tuple(whole)}


@given(placed())
def test_a_function_of_n_lines_is_whole_at_51_minus_n_of_40_shifts_wherever_it_stands(
    place: tuple[int, int, int],
) -> None:
    lines, first, last = place
    n = last - first + 1
    formula = 40 if n <= 10 else 51 - n if n <= 50 else 0

    (found,) = mapped(lines, first, last).functions

    assert sum(found.whole_at) == formula == expected_whole(n)


@given(placed(), st.integers(0, STEP - 1))
def test_cuts_are_where_two_neighbouring_lines_lie_in_different_windows(
    place: tuple[int, int, int], shift: int
) -> None:
    lines, first, last = place
    windows = windows_by_hand(lines + shift)
    cuts = [
        line
        for line in range(first + shift, last + shift)
        if [line in window for window in windows]
        != [line + 1 in window for window in windows]
    ]

    found = mapped(lines, first, last, shift)

    assert list(found.functions[0].cuts) == cuts
    assert found.cuts_inside == len(cuts)


def test_windows_are_those_of_the_chunker_blank_ones_left_out() -> None:
    text = "x\n" + "\n" * 99 + "x\n"

    assert map_chunks(text, []).windows == ((1, 50), (81, 101))
    assert [(one.start_line, one.end_line) for one in window_chunks(text)] == [
        (1, 50),
        (81, 101),
    ]


def test_a_helper_that_is_split_is_whole_and_padded_twenty_lines_below() -> None:
    split = mapped(1080, 318, 334)
    (helper,) = split.functions
    (above,) = mapped(1080, 479, 495).functions
    (below,) = mapped(1080, 499, 515).functions

    assert len(split.windows) == 27
    assert helper.fate is Fate.FRAGMENTED
    assert [one.window for one in helper.holdings] == [(321, 370), (281, 330)]
    assert [one.lines for one in helper.holdings] == [14, 13]
    assert helper.cuts == (320, 330)
    assert above.fate is Fate.FRAGMENTED
    assert below.fate is Fate.PADDED
    assert below.holdings[0].window == (481, 530)
    assert below.holdings[0].share == 17 / 50  # 18 foreign lines before, 15 after.


def test_fates_are_counted_by_length() -> None:
    chunks = [function(1, 10), function(11, 35), function(36, 75), function(80, 140)]

    counts = count_by_length(map_chunks(text_of(200), chunks).functions)

    assert [(classes, [n[fate] for fate in Fate]) for classes, n in counts] == [
        ((1, 10), [0, 1, 0]),
        ((11, 25), [1, 0, 0]),
        ((26, 50), [0, 0, 1]),
        ((51, None), [0, 0, 1]),
    ]


def test_a_line_is_enclosed_by_its_innermost_chunk_and_seen_by_its_windows() -> None:
    text = text_of(60)
    chunks = [
        function(1, 60, ChunkKind.CLASS),
        function(40, 50),
        function(44, 46),
    ]
    spans = [((1, 39), (51, 60)), ((40, 50),), ((44, 46),)]

    inner = enclosing(45, chunks, spans, map_chunks(text, chunks))
    outer = enclosing(55, chunks, spans, map_chunks(text, chunks))
    beyond = enclosing(99, chunks, spans, map_chunks(text, chunks))

    assert inner.chunk == chunks[2]
    assert inner.windows == ((1, 50), (41, 60))
    assert outer.chunk == chunks[0]
    assert outer.windows == ((41, 60),)
    assert (beyond.chunk, beyond.windows) == (None, ())


def test_a_shift_beyond_the_step_is_refused() -> None:
    with pytest.raises(ValueError, match="not from 0 to 39"):
        map_chunks("x\n", [], STEP)
