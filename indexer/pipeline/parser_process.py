"""Parser process: one child that reads files, as its parent sees it.

Requests are written ahead and answers read as they come; nobody waits for a pipe.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from indexer.pipeline.packing import pack, to_bytes
from indexer.pipeline.path_rule import PathRule
from indexer.pipeline.pipes import PIPE_BYTES, widen
from indexer.pipeline.reading import read_content
from indexer.pipeline.types import FileResult, SkipReason

START_SECONDS = 60.0
HEADER = struct.Struct(">Q")
READ, GAVE_UP, NO_MEMORY = b"r", b"g", b"m"  # What a child's answer begins with.


@dataclass(frozen=True, slots=True)
class Request:
    """One file to read. `number` and `oid` are for who asks.

    `whole` asks for the result as it was read, not packed.
    """

    number: int
    oid: str
    rule: PathRule
    data: bytes
    chunker: str
    index_secrets: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What was read of a file: packed, or as `whole_of` returns it.

    `failure` is why it could not be parsed, None if it could, and `detail` says how
    that showed. Without `data` the child did not survive the file.
    """

    data: bytes
    failure: SkipReason | None = None
    detail: str = ""


def read_request(request: Request, failure: SkipReason | None = None) -> Answer:
    """Read a file in this process. `failure` as in `read_source`."""
    result = read_content(
        request.rule,
        request.data,
        request.chunker,
        index_secrets=request.index_secrets,
        failure=failure,
    )
    data = pickle.dumps(result) if request.whole else to_bytes(pack(result))
    if result.line.reason is SkipReason.PARSE_TIMEOUT:
        return Answer(data, SkipReason.PARSE_TIMEOUT, "its parser gave up")
    return Answer(data, failure)


def whole_of(answer: Answer) -> FileResult:
    """Return the result that a request for the whole was answered with."""
    result: FileResult = pickle.loads(answer.data)  # noqa: S301 - our own child
    return result


class ParserProcess:
    """One process, the requests that it has, and when it began with the first."""

    def __init__(self, memory: int, seconds: float) -> None:
        root = str(Path(__file__).resolve().parents[2])
        limits = [str(memory), str(int(seconds) + 1)]
        self.asked: deque[Request] = deque()
        self.is_ready = False
        self.since = time.monotonic()
        self._seconds = seconds
        self._unsent = bytearray()
        self._received = bytearray()
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "indexer.pipeline.parser_child", *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={"PYTHONPATH": root, "PATH": os.defpath, "OPENBLAS_NUM_THREADS": "1"},
        )
        self.requests = _pipe(self._process.stdin)
        self.answers = _pipe(self._process.stdout)

    @property
    def deadline(self) -> float:
        """When the first request must be answered, or the child have started."""
        return self.since + (self._seconds if self.is_ready else START_SECONDS)

    @property
    def has_unsent(self) -> bool:
        """Whether a request waits for room in the pipe."""
        return bool(self._unsent)

    def ask(self, request: Request) -> None:
        """Add a request; it is sent as far as there is room."""
        if not self.asked and self.is_ready:
            self.since = time.monotonic()
        self.asked.append(request)
        data = pickle.dumps(request)
        self._unsent += HEADER.pack(len(data)) + data
        self.send()

    def send(self) -> None:
        """Send what the pipe takes."""
        try:
            while self._unsent:
                sent = os.write(self.requests.fileno(), self._unsent[:PIPE_BYTES])
                del self._unsent[:sent]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._unsent.clear()  # It has ended, as its other pipe says.

    def take(self) -> tuple[list[Answer], bool]:
        """Return the answers that have come, and whether the child has ended."""
        ended = False
        with suppress(BlockingIOError):
            while not ended:
                part = os.read(self.answers.fileno(), PIPE_BYTES)
                self._received += part
                ended = not part
        answers: list[Answer] = []
        while (frame := self._frame()) is not None:
            self.since = time.monotonic()
            if self.is_ready:
                answers.append(_answer(frame))
            self.is_ready = True
        return answers, ended

    def _frame(self) -> bytes | None:
        received = self._received
        if len(received) < HEADER.size:
            return None
        end = HEADER.size + HEADER.unpack_from(received)[0]
        if len(received) < end:
            return None
        frame = bytes(received[HEADER.size : end])
        del received[:end]
        return frame

    def end(self) -> int:
        """Kill the process if it lives, and return its exit code."""
        if self._process.poll() is None:
            self._process.kill()
        self.requests.close()
        self.answers.close()
        return self._process.wait()


def _answer(frame: bytes) -> Answer:
    """Return the answer in a frame, which begins with a letter that says what it is."""
    kind, data = frame[:1], frame[1:]
    if kind == NO_MEMORY:
        return Answer(b"", SkipReason.PARSE_CRASH, data.decode())
    if kind == GAVE_UP:
        return Answer(data, SkipReason.PARSE_TIMEOUT, "its parser gave up")
    return Answer(data)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    """Return one end of a pipe that never makes its reader or writer wait."""
    if pipe is None:
        raise ValueError("the child was started without pipes")
    os.set_blocking(pipe.fileno(), False)
    widen(pipe)
    return pipe
