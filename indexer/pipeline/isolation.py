"""Isolation: files are parsed in processes that may hang, grow or crash.

Grammars are C code that reads hostile input. One child a core parses file after file,
with the next ones in its pipe already; when it exceeds its time or memory it is ended,
the file is named, and what else it had is given to another. `parser_child.py` is that
child.
"""

from __future__ import annotations

import selectors
import time
from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType

from indexer.pipeline.cores import own_cores
from indexer.pipeline.parser_process import Answer, ParserProcess, Request
from indexer.pipeline.types import SkipReason

FILE_SECONDS = 10.0  # The slowest honest file of Django takes a tenth of a second.
MEMORY_BYTES = 2 << 30  # Of address space; a parse of 1 MiB takes a tenth of it.
MOST_CHILDREN = 8  # Their parent keeps no more than that at work.
IN_FLIGHT = 16  # Requests a child: it goes on while its parent does something else.


class ParserPool:
    """Reads files in child processes; a context manager that owns them."""

    def __init__(
        self,
        *,
        children: int | None = None,
        seconds: float = FILE_SECONDS,
        memory: int = MEMORY_BYTES,
    ) -> None:
        self.most = children or min(own_cores(), MOST_CHILDREN)
        self.seconds = seconds
        self.memory = memory
        self._children: list[ParserProcess] = []
        self._again: deque[Request] = deque()
        self._crashed: set[int] = set()

    def __enter__(self) -> ParserPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        while self._children:
            self._children.pop().end()

    def read(self, requests: Iterable[Request]) -> Iterator[tuple[Request, Answer]]:
        """Yield each request with its answer, as they come.

        A crash need not be the fault of the file: it is read once more after the first.
        Raises OSError when a child does not start.
        """
        source = iter(requests)
        while self._hand_out(source):
            for request, answer in self._collect():
                left = time.monotonic()
                yield request, answer
                for child in self._children:  # Nobody looked at it meanwhile.
                    child.since += time.monotonic() - left

    def _hand_out(self, source: Iterator[Request]) -> bool:
        """Keep requests in flight; return whether there are any."""
        for child in self._children:
            self._fill(child, source)
        while len(self._children) < self.most:
            request = self._next(source)
            if request is None:
                break
            self._children.append(ParserProcess(self.memory, self.seconds))
            self._children[-1].ask(request)
            self._fill(self._children[-1], source)
        return any(child.asked for child in self._children)

    def _fill(self, child: ParserProcess, source: Iterator[Request]) -> None:
        while len(child.asked) < IN_FLIGHT:
            request = self._next(source)
            if request is None:
                break
            child.ask(request)

    def _next(self, source: Iterator[Request]) -> Request | None:
        return self._again.popleft() if self._again else next(source, None)

    def _collect(self) -> Iterator[tuple[Request, Answer]]:
        """Wait for what the children have to say, and yield it."""
        busy = [child for child in self._children if child.asked]
        for child in _wait(busy):
            answers, ended = child.take()
            for answer in answers:
                if not answer.data:
                    # What a child without memory still holds is not to be trusted.
                    yield from self._lose(child, answer)
                    break
                yield child.asked.popleft(), answer
            else:
                if ended:
                    yield from self._lose(child, _crash(child.end()))
                elif child.asked and time.monotonic() > child.deadline:
                    detail = f"took longer than {self.seconds:g} s"
                    late = Answer(b"", SkipReason.PARSE_TIMEOUT, detail)
                    yield from self._lose(child, late)

    def _lose(
        self, child: ParserProcess, answer: Answer
    ) -> Iterator[tuple[Request, Answer]]:
        """End a child; blame the file that it was at, ask another for the others."""
        self._children.remove(child)
        child.end()
        if not child.asked:
            return
        if not child.is_ready:
            raise OSError(f"the parser does not start: {answer.detail}")
        blamed, *others = child.asked
        self._again.extend(others)
        is_crash = answer.failure is SkipReason.PARSE_CRASH
        if is_crash and blamed.number not in self._crashed:
            self._crashed.add(blamed.number)
            self._again.appendleft(blamed)
        else:
            yield blamed, answer


def _wait(children: Iterable[ParserProcess]) -> list[ParserProcess]:
    """Return the children after one of them said something, or ran out of time."""
    waiting = list(children)
    with selectors.DefaultSelector() as selector:
        for child in waiting:
            selector.register(child.answers, selectors.EVENT_READ)
            if child.has_unsent:
                selector.register(child.requests, selectors.EVENT_WRITE, child)
        first = min(child.deadline for child in waiting)
        for key, _ in selector.select(max(0.0, first - time.monotonic())):
            if key.data is not None:
                key.data.send()
    return waiting


def _crash(code: int) -> Answer:
    detail = f"the parser ended by signal {-code}" if code < 0 else "the parser ended"
    return Answer(b"", SkipReason.PARSE_CRASH, detail)
