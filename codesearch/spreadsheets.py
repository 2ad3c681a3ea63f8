"""Spreadsheets: tables as CSV that no program runs as formulas when it opens them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

Cell = str | float | None
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # What a formula may start with.


def write_csv(rows: Iterable[Sequence[Cell]]) -> str:
    """Return rows as CSV with CRLF line ends (RFC 4180); None is an empty cell.

    A text that could be a formula starts with an apostrophe. Numbers are as they are.
    """
    written = io.StringIO()
    csv.writer(written).writerows([_safe(cell) for cell in row] for row in rows)
    return written.getvalue()


def _safe(cell: Cell) -> Cell:
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULA)
    return f"'{cell}" if is_formula else cell
