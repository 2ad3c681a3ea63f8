"""Position drift: whether a window holds a function whole depends on its place."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.experiments.bench import Bench
from codesearch.experiments.figures import share
from codesearch.experiments.queries import FUNCTIONS
from codesearch.experiments.types import Column, Figure, Finding, Json, Result
from indexer.pipeline.chunk_map import expected_whole
from indexer.pipeline.windows import OVERLAP_LINES, STEP, WINDOW_LINES

LENGTHS = range(OVERLAP_LINES + 1, WINDOW_LINES + 1)  # Where the place decides.


def choose(bench: Bench) -> list[Json]:
    """Return one case: all is arithmetic."""
    return [{}]


def ask(bench: Bench, case: Json) -> Json:
    """Return by length how many functions a window holds whole, and may hold."""
    chunks = bench.local.lexical.catalogue
    spans = [
        (int(first), int(last))
        for (first, last), kind in zip(chunks.lines, chunks.kinds, strict=True)
        if kind in FUNCTIONS
    ]
    lengths: dict[int, list[tuple[int, int]]] = {}
    for span in spans:
        lengths.setdefault(span[1] - span[0] + 1, []).append(span)
    return {
        "lengths": [
            {
                "lines": lines,
                "functions": len(held),
                "whole": sum(is_whole(first, lines) for first, _ in held),
                "expected": expected_whole(lines) / STEP,
                "drift": sum(drift(first, lines) for first, _ in held) / len(held),
            }
            for lines, held in sorted(lengths.items())
        ]
    }


def is_whole(first: int, lines: int) -> bool:
    """Tell whether some window holds `lines` lines from line `first`, from 1, whole.

    The window that begins last at or above it reaches furthest.
    """
    return (first - 1) % STEP + lines <= WINDOW_LINES


def drift(first: int, lines: int) -> float:
    """Return at what share of the places that it may drift down to it is whole.

    A step of a window holds all there are; it is the same from any line on.
    """
    return sum(is_whole(first + by, lines) for by in range(STEP)) / STEP


def conclude(bench: Bench, rows: Sequence[Json]) -> Result:
    """Return the shares by length, and those of all functions."""
    (found,) = rows
    lengths = found["lengths"]
    deciding = [one for one in lengths if one["lines"] in LENGTHS]
    counted, whole = _sum(deciding, "functions"), _sum(deciding, "whole")
    expected = sum(one["functions"] * one["expected"] for one in deciding)
    total = _sum(lengths, "functions")
    longer = total - _upto(lengths, WINDOW_LINES)
    figures = [
        Figure("functions", total, "count"),
        Figure("of 10 lines or fewer: whole anywhere", _upto(lengths, 10), "count"),
        Figure("of 11 to 50 lines: the place decides", counted, "count"),
        Figure("… whole where they stand", _part(whole, counted), "share"),
        Figure(
            "… expected of (51 - n) / 40",
            _part(expected, counted),
            "share",
        ),
        Figure("of more than 50 lines: whole nowhere", longer, "count"),
        Figure(
            "all: whole in no window",
            _part(total - _sum(lengths, "whole"), total),
            "share",
            "12 of 41 in the file of 1,066 lines",
        ),
        Figure(
            "lengths at which the shares over all 40 shifts equal (51 - n) / 40",
            share([abs(one["drift"] - one["expected"]) < 1e-9 for one in lengths]),
            "share",
        ),
    ]
    told = [{**one, "share": one["whole"] / one["functions"]} for one in lengths]
    return Result(_sentence(counted, whole, expected), figures, COLUMNS, told, NOTES)


def _part(number: float, of: int) -> float | None:
    return number / of if of else None


def _sum(rows: Sequence[Json], key: str) -> int:
    return sum(int(row[key]) for row in rows)


def _upto(rows: Sequence[Json], lines: int) -> int:
    return _sum([row for row in rows if row["lines"] <= lines], "functions")


def _sentence(counted: int, whole: int, expected: float) -> str:
    if not counted:
        return "On this repository no function has 11 to 50 lines."
    return (
        f"On this repository {counted:,} functions have 11 to 50 lines; a window holds "
        f"{whole / counted:.1%} of them whole where they stand, "
        f"{expected / counted:.1%} are expected of a random place."
    )


COLUMNS = (
    Column("lines", "Lines", "count"),
    Column("functions", "Functions", "count"),
    Column("whole", "Whole where they stand", "count"),
    Column("share", "Share", "share"),
    Column("drift", "Share over all 40 shifts", "share"),
    Column("expected", "(51 - n) / 40", "share"),
)
NOTES = (
    f"Windows are those of the window profile: {WINDOW_LINES} lines, {OVERLAP_LINES} "
    "of them shared. This is arithmetic of lines; it needs no index by window.",
)
DRIFT = Finding(
    kind="drift",
    title="Position drift",
    claim="Whether a window holds a function whole is a property of its place: code "
    "that grows above moves it from whole to split and back.",
    reported=(
        "A 17-line function was split at lines 318 to 334 between the windows 281 to "
        "330 and 321 to 370; the same function moved from line 479 to 499 became "
        "whole. No model takes part.",
    ),
    asked="Every function and method of the build, by its length, at its own place and "
    "at all 40 it may drift to.",
    choose=choose,
    ask=ask,
    conclude=conclude,
)
