"""Cache: what was computed once, found again by the hash of what it was made from.

One SQLite file a kind, shared by all processes of a machine. It may be lost at any
time: whatever is not found is computed again. A row that does not read back as it
was written counts as not found, and a damaged file is begun anew.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from indexer.pipeline.sqlite_files import (
    checksum,
    code_of,
    discard,
    is_damage,
    open_file,
)

logger = logging.getLogger(__name__)

REST_SECONDS = 60.0  # Not to write again after another process kept us waiting in vain.
DAY_SECONDS = 86_400
STALE_DAYS = 7  # A row found after more is noted as used: not at each find a write.
KEYS_A_QUERY = 500

_SCHEMA = """
CREATE TABLE IF NOT EXISTS rows (
    key BLOB NOT NULL PRIMARY KEY, sum BLOB NOT NULL, value BLOB NOT NULL,
    day INTEGER NOT NULL
);
"""

Result = TypeVar("Result")

# By file, when it may be written again: another writer may stand still, and hold it.
_rests: dict[Path, float] = {}


class Cache:
    """Values by keys, both bytes. Every call is a transaction of its own.

    A cache that cannot be written, because the disk is full or the folder is not
    ours, is a cache that keeps nothing: it never stops the work that it is for.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values of those of `keys` that are known.

        They count as used, so that `trim` takes others first.
        """
        wanted = list(dict.fromkeys(keys))
        rows = self._run(lambda connection: _read(connection, wanted)) or []
        stale = [key for key, _, _, day in rows if day < _today() - STALE_DAYS]
        if stale:
            self._run(lambda connection: _touch(connection, stale))
        return {
            key: value
            for key, total, value, _ in rows
            if total == checksum(key + value)
        }

    def add(self, values: Mapping[bytes, bytes]) -> None:
        """Keep `values`; of a key that is known the first value stays.

        Unless that one does not read back: then it is replaced.
        """
        known = self.find(list(values))
        fresh = [
            (key, checksum(key + value), value, _today())
            for key, value in values.items()
            if key not in known
        ]
        if fresh:
            self._write(
                lambda connection: connection.executemany(
                    "INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)", fresh
                )
            )

    def trim(self, most_bytes: int) -> int:
        """Drop what was used longest ago until the file fits; return how many rows.

        While another process reads, the file itself may shrink later.
        """
        if self.size() <= most_bytes:
            return 0
        return self._write(lambda connection: _drop_oldest(connection, most_bytes)) or 0

    def size(self) -> int:
        """Return the bytes of the file, 0 when there is none."""
        return self.path.stat().st_size if self.path.exists() else 0

    def discard(self) -> None:
        """Remove the file; the next `add` begins a new one."""
        discard(self.path)

    def _write(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        if time.monotonic() < _rests.get(self.path, 0.0):
            return None
        return self._run(work)

    def _run(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        try:
            return self._try(work)
        except (sqlite3.Error, OSError) as error:
            if not is_damage(error):
                if code_of(error) == sqlite3.SQLITE_BUSY:
                    _rests[self.path] = time.monotonic() + REST_SECONDS
                logger.warning("%s is not used: %s", self.path.name, error)
                return None
            logger.warning("%s is damaged and begun anew: %s", self.path.name, error)
        self.discard()
        try:
            return self._try(work)
        except (sqlite3.Error, OSError) as error:
            logger.warning("%s is not used: %s", self.path.name, error)
            return None

    def _try(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        with open_file(self.path) as connection, connection:
            connection.execute(_SCHEMA)
            return work(connection)


def _read(
    connection: sqlite3.Connection, keys: Sequence[bytes]
) -> list[tuple[bytes, bytes, bytes, int]]:
    rows: list[tuple[bytes, bytes, bytes, int]] = []
    for start in range(0, len(keys), KEYS_A_QUERY):
        some = keys[start : start + KEYS_A_QUERY]
        marks = ",".join("?" * len(some))
        rows += connection.execute(
            f"SELECT key, sum, value, day FROM rows WHERE key IN ({marks})",  # noqa: S608
            some,
        )
    return rows


def _touch(connection: sqlite3.Connection, keys: Sequence[bytes]) -> None:
    rows = [(_today(), key) for key in keys]
    connection.executemany("UPDATE rows SET day = ? WHERE key = ?", rows)


def _drop_oldest(connection: sqlite3.Connection, most_bytes: int) -> int:
    """Delete a tenth of the rows at a time until what is held fits.

    The size of the file is not asked meanwhile: it stays while someone reads.
    """
    dropped = 0
    while _held_bytes(connection) > most_bytes:
        (total,) = connection.execute("SELECT count(*) FROM rows").fetchone()
        if not total:
            break
        found = connection.execute(
            "DELETE FROM rows WHERE rowid IN (SELECT rowid FROM rows ORDER BY day, "
            "rowid LIMIT ?)",
            (total // 10 + 1,),
        )
        dropped += found.rowcount
        connection.commit()  # Others may write in between.
    connection.execute("VACUUM")
    return dropped


def _held_bytes(connection: sqlite3.Connection) -> int:
    """Return the bytes of the pages that are in use."""
    size, pages, free = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_size", "page_count", "freelist_count")
    )
    return int(size) * (int(pages) - int(free))


def _today() -> int:
    return int(time.time()) // DAY_SECONDS
