"""Child processes that end with their parent."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1  # linux/prctl.h

# Loaded before any fork: a child between fork and exec must not import.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def start_process(
    command: Sequence[str], *, folder: Path, orphan_signal: signal.Signals
) -> subprocess.Popen[bytes]:
    """Start `command` in a session of its own, with our output as its output.

    On Linux it gets `orphan_signal` when the *thread* that started it ends, so
    call this from the main thread. In its own session it is spared the
    terminal's Ctrl-C, which would stop everything at once and in no order.
    """
    parent = os.getpid()

    def prepare() -> None:
        if _libc is not None:
            _libc.prctl(PR_SET_PDEATHSIG, int(orphan_signal))
            if os.getppid() != parent:  # The parent died before prctl.
                os._exit(1)

    return subprocess.Popen(  # noqa: S603 - the commands are ours, without a shell
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=prepare,
    )


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill `process` and whatever it left behind in its session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
