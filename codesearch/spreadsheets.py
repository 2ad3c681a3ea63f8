"""Spreadsheets: tables as CSV that no program runs as formulas when it opens them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

Cell = str | float | None
# What a formula may start with, in full width too, behind apostrophes that guard it.
_FORMULA = re.compile(r"'*(\s*[=+\-@\uff0b\uff0d\uff1d\uff20]|[\t\r\n])")


def write_csv(rows: Iterable[Sequence[Cell]]) -> str:
    """Return rows as CSV with CRLF line ends (RFC 4180); None is an empty cell.

    Texts are quoted, so that a program that splits at other characters splits none.
    One that could be a formula starts with an apostrophe. Numbers are as they are.
    """
    written = io.StringIO(newline="")
    table = csv.writer(written, quoting=csv.QUOTE_NONNUMERIC)
    table.writerows([_safe(cell) for cell in row] for row in rows)
    return written.getvalue()


def unguard(text: str) -> str:
    """Return a text as it was before it was written: `write_csv` and this are one."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _safe(cell: Cell) -> Cell:
    is_formula = isinstance(cell, str) and _FORMULA.match(cell)
    return f"'{cell}" if is_formula else cell
