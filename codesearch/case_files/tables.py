"""Tables: CSV with a head, one line a target.

Columns are `query`, `target` (or `targets`, one a line of the cell), `grade`, `id`,
`topic`, `expected`, `synthetic` and `note`, under these names or the usual others:
`query, docid, rating` is a table too. Lines of one id are one case; without ids, lines
of one query.

A spreadsheet runs a cell that starts like a formula. So each such cell is written with
an apostrophe before it, and read without: what is written comes back as it was.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from codesearch.case_files.records import (
    MOST_LINES,
    NewCase,
    Problem,
    Reading,
    Refused,
    Row,
    UnreadableFile,
    place_of,
    read_grade,
    tell_unread,
)
from codesearch.spreadsheets import Cell, unguard, write_csv

COLUMNS = (
    "id",
    "query",
    "target",
    "grade",
    "topic",
    "expected",
    "synthetic",
    "note",
)
_NAMES = {name: name for name in (*COLUMNS, "targets")} | {
    "qid": "id",
    "queryid": "id",
    "key": "id",
    "querytext": "query",
    "docid": "target",
    "documentid": "target",
    "document": "target",
    "doc": "target",
    "rating": "grade",
    "judgment": "grade",
    "judgement": "grade",
    "relevance": "grade",
    "issynthetic": "synthetic",
}
_DELIMITERS = ",;\t"
_TRUE, _FALSE = {"true", "yes", "1"}, {"false", "no", "0", ""}
_MOST_CELL = 1 << 30  # Of csv itself, where too long a cell would end the reading.


def read_table(text: str) -> Reading:
    """Return the rows of a table. Raises UnreadableFile where it has no such head."""
    csv.field_size_limit(_MOST_CELL)
    delimiter, columns, head, unknown = _read_head(text)
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, (place, line, cells) in enumerate(_lines(text, delimiter)):
        if number > MOST_LINES:
            raise UnreadableFile(
                f"It has more than {MOST_LINES:,} lines; share them out over files."
            )
        try:
            if isinstance(cells, str):
                raise Refused(cells)
            if number:
                rows.append(Row(place, line, _read_row(columns, cells)))
        except Refused as why:
            problems.append(Problem(place, line, str(why)))
    return Reading(rows, problems, tell_unread(unknown), head=head)


def write_table(cases: Iterable[NewCase]) -> str:
    """Return cases as a table that `read_table` reads as the same cases."""
    rows: list[Sequence[Cell]] = [COLUMNS]
    for case in cases:
        synthetic = "true" if case.is_synthetic else "false"
        rest = (case.topic, case.expected, synthetic, case.note)
        rows += [
            (case.key, case.query, target, grade, *rest)
            for target, grade in case.targets
        ]
    return write_csv(rows)


def _read_head(text: str) -> tuple[str, list[str], str, list[str]]:
    """Return delimiter, columns by our names, the head as it was, and what is unknown.

    An unknown column has the name "".
    """
    for delimiter in _DELIMITERS:
        _, head, cells = next(_lines(text, delimiter), ("", "", []))
        found = [] if isinstance(cells, str) else list(cells)
        columns = [_NAMES.get(re.sub(r"[\s_-]", "", c).lower(), "") for c in found]
        if "query" in columns and {"target", "targets"} & {*columns}:
            pairs = zip(found, columns, strict=True)
            unknown = [cell.strip() for cell, column in pairs if not column]
            known = [column for column in columns if column]
            if twice := [name for name in {*known} if known.count(name) > 1]:
                raise UnreadableFile(f"Two columns are its {min(twice)}.")
            return delimiter, columns, head, unknown
    raise UnreadableFile(
        "Its first line names no columns “query” and “target”; "
        f"there may be {', '.join(COLUMNS)}."
    )


def _lines(text: str, delimiter: str) -> Iterator[tuple[str, str, Sequence[str] | str]]:
    """Yield place, text and cells of each line, or why it has none; no empty ones."""
    kept: list[str] = []

    def keep() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            kept.append(line)
            yield line

    reader = csv.reader(keep(), delimiter=delimiter, strict=True)
    first = 1
    while True:
        cells: Sequence[str] | str
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            cells = f"A quote is not closed, or stands inside a cell: {error}."
        last = first + len(kept) - 1
        if line := "".join(kept).rstrip("\r\n"):
            yield place_of(first, last), line, cells
        kept.clear()
        first = last + 1


def _read_row(columns: Sequence[str], cells: Sequence[str]) -> NewCase:
    if len(cells) > len(columns) and any(cells[len(columns) :]):
        raise Refused(f"It has {len(cells)} cells, and the head {len(columns)}.")
    told = {
        column: unguard(cell).strip()
        for column, cell in zip(columns, cells, strict=False)
        if column
    }
    synthetic = told.get("synthetic", "").lower()
    if synthetic not in _TRUE | _FALSE:
        raise Refused(f"synthetic “{synthetic}” is neither true nor false.")
    return NewCase(
        query=told.get("query", ""),
        targets=_targets(told),
        key=told.get("id", ""),
        topic=told.get("topic", ""),
        expected=told.get("expected", ""),
        is_synthetic=synthetic in _TRUE,
        note=told.get("note", ""),
    )


def _targets(told: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    grade = read_grade(told.get("grade", "1"))
    if grade is None:
        raise Refused(
            f"The grade “{told['grade']}” is no whole number: 1 and more is wanted, "
            "0 was judged and is no answer."
        )
    targets = [told.get("target", ""), *told.get("targets", "").splitlines()]
    return tuple((one.strip(), grade) for one in targets if one.strip())
