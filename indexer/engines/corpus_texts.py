"""Corpus texts: what one query looks for in the lines of its builds, within one time.

The files that its other conditions leave come first. The others are looked at for what
is counted over the whole corpus: how rare a match is, and what the conditions cost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from indexer.engines.exact import (
    MATCH_SECONDS,
    BuildTexts,
    FoundLines,
    Integers,
    Mask,
    joined,
)
from indexer.pipeline.catalogue import Catalogue
from indexer.pipeline.literals import Pattern, Unsearched

REST_SECONDS = 1.0  # Of MATCH_SECONDS, for files that are out of scope.

OpenTexts = Callable[[int], BuildTexts]


class CorpusTexts:
    """The texts of the builds of one search, by the number of each.

    They are opened when the first pattern is looked for. What was found then stays so,
    for all stages of a search.
    """

    def __init__(
        self, catalogues: Sequence[Catalogue], open_texts: OpenTexts | None
    ) -> None:
        self._catalogues = catalogues
        self._open = open_texts
        self._opened: dict[int, BuildTexts] = {}
        self._found: dict[tuple[int, Pattern], FoundLines] = {}
        self._late: dict[tuple[int, Pattern], int] = {}  # Of those that come first.
        self._counts: dict[Pattern, Integers] = {}

    def of(self, build: int) -> BuildTexts | None:
        """Return the texts of a build, None where there are none at all."""
        if build not in self._opened and self._open:
            self._opened[build] = self._open(build)
        return self._opened.get(build)

    def seek(
        self,
        patterns: Sequence[Pattern],
        first: Sequence[Mask] | None = None,
        *,
        rest: bool = True,
    ) -> None:
        """Look for the patterns that nobody looked for yet, all in MATCH_SECONDS.

        `first` says of each build which files come first, None for all; without `rest`
        the others are not looked at. Raises PatternError.
        """
        keys = [
            (number, pattern)
            for pattern in dict.fromkeys(patterns)
            for number in range(len(self._catalogues))
            if (number, pattern) not in self._found
        ]
        ends = time.monotonic() + MATCH_SECONDS
        for number, pattern in keys:
            wanted = first[number] if first else None
            found = self._find(number, pattern, ends, wanted)
            self._found[number, pattern] = found
            self._late[number, pattern] = len(found.late)
        if not first or not rest:
            return
        ends = min(ends, time.monotonic() + REST_SECONDS)
        for number, pattern in keys:
            others = self._find(number, pattern, ends, ~first[number])
            found = self._found[number, pattern].with_others(others)
            self._found[number, pattern] = found

    def _find(
        self, number: int, pattern: Pattern, ends: float, within: Mask | None
    ) -> FoundLines:
        texts = self.of(number)
        if texts is None:
            return FoundLines()
        return texts.find(pattern, ends - time.monotonic(), within)

    def lines(self, build: int, pattern: Pattern) -> FoundLines:
        """Return the lines of a build that match. Raises PatternError."""
        self.seek([pattern])
        return self._found[build, pattern]

    def occurrences(self, pattern: Pattern) -> Integers:
        """Return how many of each chunk's own lines match. Raises PatternError."""
        if pattern not in self._counts:
            counts = [
                self.lines(number, pattern).counts(catalogue)
                for number, catalogue in enumerate(self._catalogues)
            ]
            self._counts[pattern] = joined(counts)
        return self._counts[pattern]

    def unsearched(self, patterns: Sequence[Pattern]) -> Unsearched:
        """Return what of the files that come first was not looked at for a pattern."""
        self.seek(patterns)
        files = missing = late = hidden = 0
        for number in range(len(self._catalogues)):
            if texts := self.of(number):
                files += texts.file_count
                missing += texts.missing
                hidden += texts.is_hidden
            late += max((self._late[number, one] for one in patterns), default=0)
        return Unsearched(files, missing, late, hidden)
