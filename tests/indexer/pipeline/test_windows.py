"""Windows are 50 lines, begin every 40, and keep to the lines asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.types import Chunk, ChunkKind
from indexer.pipeline.windows import window_chunks


def numbered(count: int) -> str:
    return "".join(f"{number}\n" for number in range(1, count + 1))


def lines_of(chunks: list[Chunk]) -> list[tuple[int, int]]:
    return [(chunk.start_line, chunk.end_line) for chunk in chunks]


def test_a_long_text_is_cut_with_overlap() -> None:
    assert lines_of(window_chunks(numbered(120))) == [(1, 50), (41, 90), (81, 120)]


def test_no_window_only_repeats_the_overlap() -> None:
    assert lines_of(window_chunks(numbered(50))) == [(1, 50)]
    assert lines_of(window_chunks(numbered(90))) == [(1, 50), (41, 90)]
    assert lines_of(window_chunks(numbered(91))) == [(1, 50), (41, 90), (81, 91)]


def test_windows_keep_to_their_ranges() -> None:
    chunks = window_chunks(numbered(100), [(3, 5), (40, 99)])

    assert lines_of(chunks) == [(3, 5), (40, 89), (80, 99)]


def test_a_window_has_the_bytes_of_its_lines() -> None:
    text = "é\nb\n\nc"

    chunk = window_chunks(text, [(2, 4)])[0]

    assert text.encode()[chunk.start_byte : chunk.end_byte] == b"b\n\nc"
    assert chunk.spans == ((chunk.start_byte, chunk.end_byte),)
    assert (chunk.kind, chunk.symbol) == (ChunkKind.WINDOW, "")


def test_blank_text_has_no_window() -> None:
    assert window_chunks("") == []
    assert window_chunks(" \n\t\n") == []
    assert window_chunks(numbered(3), [(4, 9)]) == []


@given(st.lists(st.sampled_from(["", "x", "é", "\x0c", "\u2028"]), max_size=300))
def test_every_line_that_is_not_blank_lies_in_a_window(lines: list[str]) -> None:
    chunks = window_chunks("\n".join(lines))

    covered = {
        line for first, last in lines_of(chunks) for line in range(first, last + 1)
    }
    assert {n for n, line in enumerate(lines, 1) if line.strip()} <= covered
