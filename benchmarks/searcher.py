"""Searcher: someone who asks all the time, whatever happens to the site."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException

from benchmarks.checker import Checker, Wrong


@dataclass(slots=True)
class Searcher:
    """Asks in a thread of its own, on and on, and keeps what was wrong.

    While `may_fail` is set the site may be down; at any other time that is a fault.
    """

    checker: Checker
    queries: list[str]
    wrong: list[Wrong] = field(default_factory=list)
    answered: int = 0
    refused: int = 0
    may_fail: threading.Event = field(default_factory=threading.Event)
    _done: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def searching(self) -> Iterator[Searcher]:
        """Ask while the block runs."""
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._done.set()
            thread.join()

    def _run(self) -> None:
        number = 0
        while not self._done.is_set():
            query = self.queries[number % len(self.queries)]
            number += 1
            excused = self.may_fail.is_set()
            try:
                found = self.checker.check(query, files=number % 5 == 0)
            except (OSError, HTTPException) as error:
                self.refused += 1
                if not (excused or self.may_fail.is_set()):
                    self.wrong.append(Wrong(query, "site", f"did not answer: {error}"))
                self._done.wait(0.1)
                continue
            self.answered += 1
            self.wrong += found
            said, self.checker.refusals = self.checker.refusals, []
            self.wrong += [Wrong(query, "refused", sentence) for sentence in said]
