"""Forks: work of a process that starts as a copy of this one, and what it returns."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Fields = dict[str, Any]  # Any: JSON


@dataclass(frozen=True, slots=True)
class Forked:
    """A process at work. `ended` is asked while one waits, `answer` at last."""

    pid: int
    reader: int

    def answer(self) -> Fields:
        """Wait, and return what it returns. Raises RuntimeError if it failed."""
        with os.fdopen(self.reader, "rb") as pipe:
            answer = pipe.read()
        os.waitpid(self.pid, 0)
        if not answer:
            raise RuntimeError("a forked process failed; it printed why")
        found: Fields = json.loads(answer)
        return found

    @property
    def ended(self) -> bool:
        """Whether it is over; its answer still waits."""
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return found is not None


def begin(call: Callable[[], Fields]) -> Forked:
    """Start `call` in a copy of this process, which has no connection open."""
    from django.db import connections

    connections.close_all()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return Forked(pid, reader)
    os.close(reader)
    try:
        answer = json.dumps(call()).encode()
        connections.close_all()
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(answer)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def in_a_fork(call: Callable[[], Fields]) -> Fields:
    """Return what `call` returns in a copy of this process."""
    return begin(call).answer()
