"""Parser child: reads file after file for its parent, under limits of its own."""

from __future__ import annotations

import gc
import os
import pickle
import resource
import sys
import time
from typing import BinaryIO

from indexer.pipeline.parser_process import (
    GAVE_UP,
    HEADER,
    NO_MEMORY,
    READ,
    read_request,
)


def serve(memory: int, seconds: int) -> None:
    """Answer requests until the parent closes the pipe.

    The processor time of each file is limited too, so that a child whose parent
    was killed does not hang for ever.
    """
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    gc.set_threshold(50_000, 20, 100)  # A tree has many nodes and no cycles.
    _send(answers, b"")  # It is ready.
    while header := requests.read(HEADER.size):
        (size,) = HEADER.unpack(header)
        data = requests.read(size)
        used = int(time.process_time())
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, hard))
        try:
            answer = read_request(pickle.loads(data))  # noqa: S301 - our own parent
            frame = (GAVE_UP if answer.failure else READ) + answer.data
        except MemoryError:
            frame = NO_MEMORY + f"took more than {memory >> 20} MiB".encode()
        _send(answers, frame)


def _send(pipe: BinaryIO, data: bytes) -> None:
    pipe.write(HEADER.pack(len(data)) + data)
    pipe.flush()


if __name__ == "__main__":
    try:
        serve(int(sys.argv[1]), int(sys.argv[2]))
    except BrokenPipeError:
        os._exit(1)  # Its parent was killed; nobody is left to be told.
