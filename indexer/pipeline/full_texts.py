"""Full texts: what the files of a repository hold, found by the trigrams in it.

One SQLite file a repository, shared by all processes of a machine. It is filled by
content: equal files of all builds are one row. Like a cache it may be lost at any time;
a damaged file is begun anew, and whoever reads a build is told what is not in it.
"""

from __future__ import annotations

import logging
import secrets
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from indexer.pipeline.sqlite_files import (
    checksum,
    discard,
    files_of,
    is_damage,
    open_file,
)

logger = logging.getLogger(__name__)

FORMAT = 1  # Raise it when a text is read in another way from the same bytes.
ROWS_A_QUERY = 100
FREE_SHARE = 0.5  # Of the file: then its room is given back.

# Without positions (`detail`) and sizes the index is 6.3 MB for the 16 MB of Django's
# wheel and made in 1.5 s, with them 35 MB and 2.9 s; no query asks for them.
_SCHEMA = (
    "CREATE TABLE about (stamp TEXT NOT NULL)",
    "CREATE TABLE texts (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, "
    "sum BLOB NOT NULL, text TEXT NOT NULL)",
    "CREATE VIRTUAL TABLE trigrams USING fts5 (text, content='texts', "
    "content_rowid='id', tokenize='trigram', detail=none, columnsize=0)",
)

Ids = npt.NDArray[np.int64]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Known:
    """The texts that are kept: the id of each key.

    While the `stamp` is the same, texts are added to these and none is dropped.
    """

    stamp: str
    ids: Mapping[str, int]


class FullTexts:
    """Texts by keys. Every call is a transaction of its own.

    Raises sqlite3.Error where it cannot be read or written, but for damage: then all
    is gone, and nothing is found.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def known(self) -> Known:
        """Return which texts are kept."""
        return self._read(_known) or Known("", {})

    def add(self, texts: Mapping[str, str]) -> None:
        """Keep texts; of a key that is known the first one stays."""
        rows = [(key, text.encode()) for key, text in texts.items()]
        self._run(partial(_add, rows=rows), is_write=True)

    def candidates(self, known: Known, expression: str) -> Ids | None:
        """Return the ids of the texts that an FTS5 expression finds, rising.

        None where ids may stand for other texts by now than those that were known.
        """
        query = "SELECT rowid FROM trigrams WHERE trigrams MATCH ? ORDER BY rowid"

        def find(connection: sqlite3.Connection) -> Ids | None:
            rows = connection.execute(query, (expression,)).fetchall()
            ids = np.array(rows, np.int64).reshape(-1)
            return ids if _stamp(connection) == known.stamp else None

        return self._read(find)

    def read(self, known: Known, ids: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Yield texts in UTF-8, in order of id.

        Those are left out whose ids may stand for other texts by now.
        """
        ordered = sorted(set(ids))
        for start in range(0, len(ordered), ROWS_A_QUERY):
            some = ordered[start : start + ROWS_A_QUERY]
            yield from self._read(partial(_texts, known=known, ids=some)) or ()

    def keep(self, keys: Collection[str]) -> int:
        """Drop the texts of all other keys; return how many."""
        return self._read(partial(_keep, keys=set(keys))) or 0

    def check(self) -> None:
        """Compare the index with the texts, and begin anew if they differ."""
        self._read(_check)

    def size(self) -> int:
        """Return the bytes of its files, 0 when there are none."""
        return sum(one.stat().st_size for one in files_of(self.path) if one.exists())

    def discard(self) -> None:
        """Remove its files; the next `add` begins new ones."""
        discard(self.path)

    def _read(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        return self._run(work, is_write=False) if self.path.exists() else None

    def _run(
        self, work: Callable[[sqlite3.Connection], Result], *, is_write: bool
    ) -> Result | None:
        try:
            return self._try(work)
        except sqlite3.DatabaseError as error:
            if not (isinstance(error, _DamageError) or is_damage(error)):
                raise
            logger.warning("%s is damaged and begun anew: %s", self.path.name, error)
        self.discard()
        return self._try(work) if is_write else None

    def _try(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        with open_file(self.path, isolation_level=None) as connection:
            _begin(connection)
            return work(connection)


class _DamageError(sqlite3.DatabaseError):
    """What is read is not what was written."""


@contextmanager
def _writing(connection: sqlite3.Connection) -> Iterator[None]:
    """Write in one transaction, or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _begin(connection: sqlite3.Connection) -> None:
    """Make the tables where there are none; those of another format are damage."""
    if _number(connection, "PRAGMA user_version") == FORMAT:
        return
    with _writing(connection):
        if _number(connection, "PRAGMA user_version") == FORMAT:
            return  # Another process was faster.
        if _number(connection, "SELECT count(*) FROM sqlite_schema"):
            raise _DamageError("it has another format")
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute("INSERT INTO about VALUES (?)", (_new_stamp(),))
        connection.execute(f"PRAGMA user_version = {FORMAT}")


def _known(connection: sqlite3.Connection) -> Known:
    # The stamp first: what is dropped meanwhile is of another one.
    stamp = _stamp(connection)
    return Known(stamp, dict(connection.execute("SELECT key, id FROM texts")))


def _stamp(connection: sqlite3.Connection) -> str:
    stamp: str = connection.execute("SELECT stamp FROM about").fetchone()[0]
    return stamp


def _new_stamp() -> str:
    return secrets.token_hex(8)


def _add(connection: sqlite3.Connection, rows: Sequence[tuple[str, bytes]]) -> None:
    with _writing(connection):
        for key, data in rows:
            # As text: FTS5 reads it again, to check and to delete.
            added = connection.execute(
                "INSERT OR IGNORE INTO texts (key, sum, text) "
                "VALUES (?, ?, CAST(? AS TEXT))",
                (key, checksum(data), data),
            )
            if added.rowcount:
                connection.execute(
                    "INSERT INTO trigrams (rowid, text) VALUES (?, CAST(? AS TEXT))",
                    (added.lastrowid, data),
                )


def _texts(
    connection: sqlite3.Connection, known: Known, ids: Sequence[int]
) -> list[tuple[int, bytes]]:
    marks = ",".join("?" * len(ids))
    query = (
        f"SELECT id, sum, CAST(text AS BLOB) FROM texts WHERE id IN ({marks}) "  # noqa: S608
        "ORDER BY id"
    )
    rows = connection.execute(query, ids).fetchall()
    if any(total != checksum(data) for _, total, data in rows):
        raise _DamageError("a text is not as it was written")
    if _stamp(connection) != known.stamp:
        return []
    return [(number, data) for number, _, data in rows]


def _keep(connection: sqlite3.Connection, keys: set[str]) -> int:
    ids = _known(connection).ids
    others = [(number,) for key, number in ids.items() if key not in keys]
    if not others:
        return 0
    with _writing(connection):
        connection.executemany(
            "INSERT INTO trigrams (trigrams, rowid, text) "
            "SELECT 'delete', id, text FROM texts WHERE id = ?",
            others,
        )
        connection.executemany("DELETE FROM texts WHERE id = ?", others)
        # Their ids are free for other texts.
        connection.execute("UPDATE about SET stamp = ?", (_new_stamp(),))
    free = _number(connection, "PRAGMA freelist_count")
    if free > FREE_SHARE * _number(connection, "PRAGMA page_count"):
        connection.execute("VACUUM")
    return len(others)


def _check(connection: sqlite3.Connection) -> None:
    """Raise what damage raises if the index is not that of the texts."""
    connection.execute(
        "INSERT INTO trigrams (trigrams, rank) VALUES ('integrity-check', 1)"
    )


def _number(connection: sqlite3.Connection, query: str) -> int:
    found: int = connection.execute(query).fetchone()[0]
    return found
