"""Isolation: files are parsed in a process that may hang, grow or crash.

Grammars are C code that reads hostile input. One child parses file after file;
when it exceeds its time or memory it is ended, the file is named, and the next
file gets a new child. Run as a module this file is that child.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import selectors
import struct
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from indexer.pipeline.reading import read_source
from indexer.pipeline.types import FileResult, SkipReason, Source, TreeEntry

FILE_SECONDS = 10.0  # The slowest honest file of Django takes a tenth of a second.
START_SECONDS = 60.0
MEMORY_BYTES = 2 << 30  # Of address space; a parse of 1 MiB takes a tenth of it.
HEADER = struct.Struct(">Q")


class ParseFailure(Exception):
    """The child did not survive a file. `reason` is what the ledger says of it."""

    def __init__(self, reason: SkipReason, detail: str) -> None:
        self.reason = reason
        super().__init__(detail)


class IsolatedReader:
    """Reads sources in a child process; a context manager that owns the child."""

    def __init__(
        self, *, seconds: float = FILE_SECONDS, memory: int = MEMORY_BYTES
    ) -> None:
        self.seconds = seconds
        self.memory = memory
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> IsolatedReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def read(
        self,
        entry: TreeEntry,
        source: Source,
        chunker: str,
        *,
        index_secrets: bool = False,
    ) -> FileResult:
        """Return what `read_source` returns. Raises ParseFailure for a bad file."""
        child = self._child or self._start()
        try:
            _send(_pipe(child.stdin), (entry, source, chunker, index_secrets))
            answer = self._receive(child, self.seconds)
        except (BrokenPipeError, EOFError) as error:
            code = self._end()
            raise ParseFailure(SkipReason.PARSE_CRASH, _ending(code)) from error
        except TimeoutError as error:
            self._end()
            raise ParseFailure(
                SkipReason.PARSE_TIMEOUT, f"took longer than {self.seconds:g} s"
            ) from error
        if isinstance(answer, FileResult):
            return answer
        self._end()  # What an out-of-memory child still holds is not to be trusted.
        raise ParseFailure(SkipReason.PARSE_CRASH, str(answer))

    def _start(self) -> subprocess.Popen[bytes]:
        root = str(Path(__file__).resolve().parents[2])
        limits = [str(self.memory), str(int(self.seconds) + 1)]
        child = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "indexer.pipeline.isolation", *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PYTHONPATH": root, "PATH": os.defpath, "OPENBLAS_NUM_THREADS": "1"},
        )
        self._child = child
        self._receive(child, START_SECONDS)
        return child

    def _receive(self, child: subprocess.Popen[bytes], seconds: float) -> Any:
        """Return the child's next answer. Any: it is ours, and checked by `read`."""
        pipe = _pipe(child.stdout)
        deadline = time.monotonic() + seconds
        (size,) = HEADER.unpack(_read(pipe, HEADER.size, deadline))
        return pickle.loads(_read(pipe, size, deadline))  # noqa: S301 - our own child

    def _end(self) -> int:
        """Kill the child, if there is one, and return its exit code."""
        child, self._child = self._child, None
        if child is None:
            return 0
        if child.poll() is None:
            child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                _close(pipe)
        return child.wait()


def _ending(code: int) -> str:
    return f"the parser ended by signal {-code}" if code < 0 else "the parser ended"


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("the child was started without pipes")
    return pipe


def _close(pipe: IO[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError):  # What is unwritten is not needed.
        pipe.close()


def _send(pipe: IO[bytes], value: object) -> None:
    data = pickle.dumps(value)
    pipe.write(HEADER.pack(len(data)) + data)
    pipe.flush()


def _read(pipe: IO[bytes], size: int, deadline: float) -> bytes:
    """Read exactly `size` bytes. Raises TimeoutError, and EOFError at the end."""
    parts: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while size:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise TimeoutError
            part = os.read(pipe.fileno(), size)
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
    return b"".join(parts)


# The child


def serve(memory: int, seconds: int) -> None:
    """Answer requests until the parent closes the pipe.

    The processor time of each file is limited too, so that a child whose parent
    was killed does not hang for ever.
    """
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    _send(answers, "ready")
    while header := requests.read(HEADER.size):
        (size,) = HEADER.unpack(header)
        data = requests.read(size)
        used = int(time.process_time())
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, hard))
        try:
            *request, index_secrets = pickle.loads(data)  # noqa: S301 - our own parent
            answer: object = read_source(*request, index_secrets=index_secrets)
        except MemoryError:
            answer = f"took more than {memory >> 20} MiB"
        _send(answers, answer)


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
