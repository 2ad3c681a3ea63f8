"""Turns: how many searches run at once, how many wait, and who is asked to come back.

More at once make none of them faster, and a queue that nobody sees keeps everyone
waiting for answers that may have been given up long ago.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from codesearch.errors import SearchError

PATIENCE_SECONDS = 10.0  # A person does not wait longer either.
RETRY_SECONDS = 2  # By then as many as may wait have been answered.


class Busy(SearchError):
    """So many searches wait that this one is not taken."""

    def __init__(self) -> None:
        super().__init__(
            "The server is busy with other searches and has not begun with this one."
        )


class Turns:
    """Lets `running` run at once and `waiting` wait, for `patience` seconds at most."""

    def __init__(
        self, running: int, waiting: int, patience: float = PATIENCE_SECONDS
    ) -> None:
        self._free = threading.Semaphore(running)
        self._places = threading.Semaphore(running + waiting)
        self._patience = patience

    @contextmanager
    def take(self) -> Iterator[None]:
        """Wait for a turn and hold it for the block. Raises Busy."""
        if not self._places.acquire(blocking=False):
            raise Busy
        try:
            if not self._free.acquire(timeout=self._patience):
                raise Busy
            try:
                yield
            finally:
                self._free.release()
        finally:
            self._places.release()
