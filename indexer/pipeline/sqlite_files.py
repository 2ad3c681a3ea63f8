"""SQLite files: opened by several processes at once, and begun anew when damaged."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

BUSY_SECONDS = 30.0  # How long to wait for another process that is writing.
SUM_BYTES = 8


@contextmanager
def open_file(
    path: Path, isolation_level: Literal["DEFERRED"] | None = "DEFERRED"
) -> Iterator[sqlite3.Connection]:
    """Open a file, which is made if need be. Readers and a writer do not wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=isolation_level
    )
    with closing(opened) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        yield connection


def files_of(path: Path) -> list[Path]:
    """Return a file, and those that SQLite keeps beside it while it is open."""
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm")]


def discard(path: Path) -> None:
    """Remove a file with those beside it."""
    for one in files_of(path):
        one.unlink(missing_ok=True)


def checksum(data: bytes) -> bytes:
    """Return a hash, to tell what does not read back as it was written."""
    return hashlib.blake2b(data, digest_size=SUM_BYTES).digest()


def is_damage(error: Exception) -> bool:
    """Tell a damaged file from one that is busy, full or not ours."""
    return code_of(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def code_of(error: Exception) -> int:
    """Return SQLite's primary code of an error, 0 for another's."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
