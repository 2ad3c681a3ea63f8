"""Rows: the ledger and the chunks of a build, written to the database in one go.

Fifty thousand chunks as model instances take several times as long as the statement
that inserts them, so the columns of the catalogue go to it as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from django.db import connection, models

from indexer.models import Build, Chunk, File
from indexer.pipeline.build import Assembly
from indexer.pipeline.catalogue import Catalogue, FileEntry
from indexer.pipeline.packing import PlacedFile
from indexer.pipeline.paths import display_path
from indexer.pipeline.texts import without_nul
from indexer.pipeline.types import NONE

Row = tuple[str | int | bytes | None, ...]

FILE_FIELDS = (
    "build",
    "ordinal",
    "path",
    "path_bytes",
    "oid",
    "size",
    "language",
    "mode",
    "reason",
    "partial",
    "marks",
    "encoding",
    "lines",
    "chunk_count",
    "doc",
    "defines",
    "place",
)
CHUNK_FIELDS = (
    "build",
    "file",
    "ordinal",
    "symbol",
    "kind",
    "start_byte",
    "start_line",
    "end_line",
    "spans",
    "marks",
    "duplicate_of",
)


def replace_rows(build: Build, assembly: Assembly) -> None:
    """Make the ledger and the chunks of a build those of `assembly`."""
    Chunk.objects.filter(build=build).delete()
    File.objects.filter(build=build).delete()
    insert_rows(File, FILE_FIELDS, _file_rows(build, assembly))
    files = build.files.order_by("ordinal").values_list("pk", flat=True)
    chunks = _chunk_rows(build, list(files), assembly.catalogue)
    insert_rows(Chunk, CHUNK_FIELDS, chunks)


def insert_rows(
    model: type[models.Model], fields: Sequence[str], rows: Iterable[Row]
) -> None:
    """Insert rows of the database's own values, JSON as text, in one statement."""
    quote = connection.ops.quote_name
    columns = {one.name: one.column or "" for one in model._meta.concrete_fields}
    named = ", ".join(quote(columns[name]) for name in fields)
    table = f"{quote(model._meta.db_table)} ({named})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(fields))
            cursor.executemany(
                f"INSERT INTO {table} VALUES ({marks})",  # noqa: S608 - our names
                list(rows),
            )


def _file_rows(build: Build, assembly: Assembly) -> Iterator[Row]:
    place = 0
    for ordinal, placed in enumerate(assembly.files):
        entry = assembly.catalogue.files[ordinal]
        number = place if placed.file.is_place else None
        place += placed.file.is_place
        yield _file_row(build, ordinal, placed, entry, number)


def _file_row(
    build: Build, ordinal: int, placed: PlacedFile, entry: FileEntry, place: int | None
) -> Row:
    file, line = placed.file, placed.file.line
    return (
        build.pk,
        ordinal,
        display_path(entry.path),
        entry.path,
        placed.entry.oid,
        placed.entry.size or 0,
        line.language,
        str(line.mode or ""),
        str(line.reason or ""),
        json.dumps(line.partial),
        json.dumps(entry.marks),
        line.encoding,
        line.lines,
        len(file.symbols),
        without_nul((file.doc or "").partition("\n\n")[0]),
        json.dumps(file.defines),
        place,
    )


def _chunk_rows(
    build: Build, files: Sequence[int], catalogue: Catalogue
) -> Iterator[Row]:
    columns = zip(
        _file_of(files, catalogue),
        range(len(catalogue.symbols)),
        catalogue.symbols,
        catalogue.kinds,
        catalogue.start_bytes.tolist(),
        *catalogue.lines.T.tolist(),
        _spans(catalogue),
        _marks(catalogue),
        (None if n == NONE else n for n in catalogue.duplicate_of.tolist()),
        strict=True,
    )
    return ((build.pk, *row) for row in columns)


def _file_of(files: Sequence[int], catalogue: Catalogue) -> Iterator[int]:
    """Yield the key of each chunk's file."""
    starts = catalogue.file_starts.tolist()
    for key, start, end in zip(files, starts[:-1], starts[1:], strict=True):
        for _ in range(start, end):
            yield key


def _spans(catalogue: Catalogue) -> Iterator[str]:
    """Yield the line ranges of each chunk, as JSON."""
    offsets, spans = catalogue.span_offsets.tolist(), catalogue.spans.tolist()
    for start, end in zip(offsets, offsets[1:], strict=False):
        yield str(spans[start:end])


def _marks(catalogue: Catalogue) -> Iterator[str]:
    """Yield the marks of each chunk, as JSON."""
    written: dict[tuple[str, ...], str] = {}
    for marks in catalogue.marks:
        if marks not in written:
            written[marks] = json.dumps(marks)
        yield written[marks]
