"""What a search or trace cannot do, in sentences for the person who asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class SearchError(Exception):
    """The question cannot be answered; the message says what to do.

    `span` is where the part of the query that is to blame starts and ends, in
    characters from 0, where one is.
    """

    def __init__(self, sentence: str, span: tuple[int, int] | None = None) -> None:
        self.span = span
        super().__init__(sentence)


class UnreadableQuery(SearchError):
    """What was typed cannot be a query; the message says which part of it."""


class UnreadableTarget(SearchError):
    """What was expected cannot be looked up: it is too long."""


class UnreadableCase(SearchError):
    """What was typed cannot be a case; the message says which part of it."""


class UnreadableSetting(SearchError):
    """A setting of a config is unknown, or its value cannot be one."""


class UnknownRepository(SearchError):
    """A repository that was asked for does not exist for this viewer."""


class UnaskableSet(SearchError):
    """A case set cannot be asked; the message says what it lacks."""


class NotShareable(SearchError):
    """What was to be shared cannot be; the message says why."""


class TooManyLinks(SearchError):
    """Someone has as many open links as one may have."""


class NothingIndexed(SearchError):
    """No repository in reach has a build to search."""


class Unfinished(NothingIndexed):
    """A build that was to be asked is not complete; `build` is its key."""

    def __init__(self, sentence: str, build: int) -> None:
        self.build = build
        super().__init__(sentence)


class IndexMoved(SearchError):
    """An index was read to its end while it was asked, and its chunks have moved."""

    def __init__(self, repository: str) -> None:
        super().__init__(
            f"{repository} was read to its end while it was asked; ask again."
        )


class Candidate(TypedDict):
    """One chunk that a target may mean; `target` is its unambiguous spelling."""

    target: str
    repository: str
    path: str
    symbol: str
    kind: str
    start_line: int
    end_line: int


class AmbiguousTarget(SearchError):
    """A target stands for several chunks; `candidates` lists them all."""

    def __init__(self, target: str, candidates: Sequence[Candidate]) -> None:
        self.target = target
        self.candidates = list(candidates)
        super().__init__(
            f"{target} stands for {len(self.candidates)} chunks or files; choose one"
        )
