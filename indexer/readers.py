"""Readers: while one has a build open, its files are not removed.

The lock is one of the kernel's, on the build's folder: readers share it, the removal
wants it alone, and it goes with the process that holds it, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indexer.pipeline.store import DamagedError


class BuildGone(DamagedError):
    """The folder of a build is not there, or not any more."""

    def __init__(self, folder: Path) -> None:
        gone = f"the folder of build {folder.name} is gone"
        super().__init__(f"{gone}: index it again", gone)


class Reading:
    """Holds the folder of a build as long as this object lives.

    Raises BuildGone. Waits, a moment, for a removal that is just deciding.
    """

    def __init__(self, folder: Path) -> None:
        try:
            descriptor = _open(folder)
        except FileNotFoundError as error:
            raise BuildGone(folder) from error
        self.release = weakref.finalize(self, os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if not folder.exists():  # It went while we waited.
            self.release()
            raise BuildGone(folder)


@contextmanager
def no_readers(folder: Path) -> Iterator[bool]:
    """Keep readers out while the block runs; False when there are some already."""
    try:
        descriptor = _open(folder)
    except FileNotFoundError:
        yield True
        return
    try:
        yield _lock_alone(descriptor)
    finally:
        os.close(descriptor)


def _open(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)


def _lock_alone(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
