"""Limited: what a process prints, up to a time and a number of bytes."""

from __future__ import annotations

import os
import selectors
import subprocess
import time

CHUNK = 1 << 16


class LimitError(Exception):
    """A process has printed more than it may."""


def read_limited(
    process: subprocess.Popen[bytes], seconds: float, most: int
) -> tuple[bytes, bytes]:
    """Return what a process prints and says until it has ended.

    As `communicate` does, but raises LimitError as soon as either is more than `most`
    bytes, and TimeoutExpired after `seconds`. The process is for the caller to end.
    """
    pipes = (process.stdout, process.stderr)
    printed = {pipe.fileno(): bytearray() for pipe in pipes if pipe}
    ends = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for number in printed:
            selector.register(number, selectors.EVENT_READ)
        while selector.get_map():
            if time.monotonic() > ends:
                raise subprocess.TimeoutExpired(process.args, seconds)
            for key, _ in selector.select(max(0.0, ends - time.monotonic())):
                chunk = os.read(key.fd, CHUNK)
                printed[key.fd] += chunk
                if not chunk:
                    selector.unregister(key.fd)
                if len(printed[key.fd]) > most:
                    raise LimitError
    process.communicate(timeout=max(1.0, ends - time.monotonic()))
    output, errors = printed.values()
    return bytes(output), bytes(errors)
