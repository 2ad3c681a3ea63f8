"""Pipes: room for what is written ahead, so that nobody waits for a reader."""

from __future__ import annotations

import fcntl
from contextlib import suppress
from typing import IO

PIPE_BYTES = 1 << 20  # The most that Linux gives to everyone; a file takes 3,000.


def widen(pipe: IO[bytes]) -> None:
    """Let a pipe hold more, where the system can: only Linux has it."""
    with suppress(OSError, AttributeError):
        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
