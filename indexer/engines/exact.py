"""Exact search: the lines of one build that a phrase or a regular expression matches.

The index proposes texts, RE2 decides over what they hold. What was found is kept in the
process for a while: pages and traces of one query do not match again.
"""

from __future__ import annotations

import logging
import math
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from indexer.pipeline.catalogue import Catalogue
from indexer.pipeline.full_texts import FullTexts, Known
from indexer.pipeline.literals import Pattern, compile_pattern, matching_lines
from indexer.pipeline.trigrams import match_expression, required_trigrams

logger = logging.getLogger(__name__)

Integers = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

MATCH_SECONDS = 3.0  # For a query: a page may take a little longer than others.
KEPT_LINES = 4_000_000  # In the process, of all patterns; 8 bytes each ...
KEPT = 256  # ... and as many patterns.
PARTIAL_SECONDS = 60.0  # What time ran out for is kept, and then tried again.
FILE_BITS = 32  # Of a line of a build as one number: those of the line.


@dataclass(frozen=True, eq=False, slots=True)
class FoundLines:
    """The lines of a build that a pattern matches, in order of file and line.

    `files` are ordinals of the build's ledger, `lines` count from 1. `late` are the
    files that were not looked at, for want of time.
    """

    files: Integers = field(default_factory=lambda: np.empty(0, np.int32))
    lines: Integers = field(default_factory=lambda: np.empty(0, np.int32))
    late: Integers = field(default_factory=lambda: np.empty(0, np.int32))

    def of_file(self, ordinal: int) -> Integers:
        """Return the lines of one file."""
        start, end = np.searchsorted(self.files, [ordinal, ordinal + 1])
        return self.lines[start:end]

    def within(self, files: Mask) -> FoundLines:
        """Return what is of some files of the build."""
        kept = files[self.files]
        late = self.late[files[self.late]]
        return FoundLines(self.files[kept], self.lines[kept], late)

    def with_others(self, others: FoundLines) -> FoundLines:
        """Return what was found here and in other files of the build."""
        files = np.concatenate([self.files, others.files])
        order = np.argsort(files, kind="stable")
        lines = np.concatenate([self.lines, others.lines])
        late = np.sort(np.concatenate([self.late, others.late]))
        return FoundLines(files[order], lines[order], late)

    def counts(self, catalogue: Catalogue) -> Integers:
        """Return how many are each chunk's own, by ordinal."""
        found = as_numbers(self.files, self.lines)
        first, last = _span_numbers(catalogue)
        held = np.searchsorted(found, last, "right") - np.searchsorted(found, first)
        ends = np.concatenate([[0], np.cumsum(held)])[catalogue.span_offsets]
        return np.diff(ends).astype(np.int32)


@dataclass(frozen=True, eq=False)
class BuildTexts:
    """The texts of one build. `keys` has one for each file of its ledger.

    None where a file has no text to search; of all where they are hidden. `build` tells
    this ledger from others.
    """

    build: Hashable
    texts: FullTexts
    keys: Sequence[str | None]
    is_hidden: bool = False

    @cached_property
    def file_count(self) -> int:
        """How many files have a text to search."""
        return sum(key is not None for key in self.keys)

    @cached_property
    def missing(self) -> int:
        """How many of them are not kept yet."""
        return self.file_count - int(np.count_nonzero(self._ids))

    def find(
        self,
        pattern: Pattern,
        seconds: float = MATCH_SECONDS,
        within: Mask | None = None,
    ) -> FoundLines:
        """Return the lines that match, as far as there is time. Raises PatternError.

        Of the files `within`, by ordinal, None for all.
        """
        compile_pattern(pattern)
        if self.is_hidden:
            return FoundLines()
        key = (self.texts.path, self.build, self._known.stamp, self.missing, pattern)
        if within is not None and (whole := _kept.get((key, b""))):
            found = whole.within(within)
            if not len(found.late):
                return found
        part = (key, b"" if within is None else np.packbits(within).tobytes())
        known = _kept.get(part)
        if known is None:
            known = self._find(pattern, time.monotonic() + seconds, within)
            if seconds > 0:  # Else other patterns took all: nothing was looked at.
                _kept.put(part, known)
        return known

    def holds(self, ordinal: int) -> bool:
        """Tell whether the text of a file is kept, and may be looked in."""
        return bool(self._ids[ordinal])

    def read(self, ordinals: Sequence[int]) -> dict[int, str]:
        """Return the texts of files, by ordinal; those that are not kept are absent."""
        ids = {ordinal: int(self._ids[ordinal]) for ordinal in ordinals}
        found = dict(self._read([one for one in ids.values() if one]))
        return {
            ordinal: found[one].decode() for ordinal, one in ids.items() if one in found
        }

    @cached_property
    def _known(self) -> Known:
        try:
            return self.texts.known()
        except sqlite3.Error as error:
            logger.warning("%s cannot be read: %s", self.texts.path.name, error)
            return Known("", {})

    @cached_property
    def _ids(self) -> npt.NDArray[np.int64]:
        """The id of the text of each file, 0 without one."""
        ids = self._known.ids
        found = [ids.get(key, 0) if key else 0 for key in self.keys]
        return np.array(found, np.int64)

    def _find(self, pattern: Pattern, ends: float, within: Mask | None) -> FoundLines:
        files = np.flatnonzero(self._ids).astype(np.int32)
        files = files if within is None else files[within[files]]
        if time.monotonic() > ends or not len(files):
            return FoundLines(late=files)
        files = self._proposed(pattern, files)
        ids = self._ids[files].tolist()
        by_id: dict[int, Integers] = {}
        for number, data in self._read(ids):
            by_id[number] = matching_lines(pattern, data)
            if time.monotonic() > ends:
                break
        found = [by_id.get(one) for one in ids]
        sizes = [0 if lines is None else len(lines) for lines in found]
        return FoundLines(
            files=np.repeat(files, sizes),
            lines=joined([lines for lines in found if lines is not None]),
            late=files[[lines is None for lines in found]],
        )

    def _proposed(self, pattern: Pattern, files: Integers) -> Integers:
        """Return those of some files that the index proposes, by ordinal."""
        expression = match_expression(required_trigrams(pattern))
        if not expression:
            return files
        try:
            found = self.texts.candidates(self._known, expression)
        except sqlite3.Error as error:
            logger.warning("%s cannot be asked: %s", self.texts.path.name, error)
            return files
        return files if found is None else files[np.isin(self._ids[files], found)]

    def _read(self, ids: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        try:
            yield from self.texts.read(self._known, ids)
        except sqlite3.Error as error:
            logger.warning("%s cannot be read: %s", self.texts.path.name, error)


class _Kept:
    """What was found last, by what it was looked for in, and until when it holds."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, tuple[FoundLines, float]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> FoundLines | None:
        with self._lock:
            found, until = self._found.get(key, (None, 0.0))
            if found is None or time.monotonic() > until:
                return None
            self._found.move_to_end(key)
            return found

    def clear(self) -> None:
        with self._lock:
            self._found.clear()

    def put(self, key: Hashable, found: FoundLines) -> None:
        seconds = PARTIAL_SECONDS if len(found.late) else math.inf
        with self._lock:
            self._found[key] = found, time.monotonic() + seconds
            self._found.move_to_end(key)
            lines = sum(len(one.lines) for one, _ in self._found.values())
            while len(self._found) > KEPT or lines > KEPT_LINES:
                _, (dropped, _) = self._found.popitem(last=False)
                lines -= len(dropped.lines)


_kept = _Kept()


def forget() -> None:
    """Let everything be looked for anew, as in a fresh process."""
    _kept.clear()


def joined(parts: Sequence[Integers]) -> Integers:
    """Return all numbers of some parts, in order."""
    return np.concatenate([np.empty(0, np.int32), *parts])


def own_lines(catalogue: Catalogue, numbers: Numbers) -> npt.NDArray[np.bool_]:
    """Return which lines, as `as_numbers` has them, are some chunk's own."""
    first, last = _span_numbers(catalogue)
    order = np.argsort(first, kind="stable")
    at = np.searchsorted(first[order], numbers, "right") - 1
    # Spans may lie within others: one that began before may reach further.
    reach = np.maximum.accumulate(last[order])
    return (at >= 0) & (reach[at] >= numbers) if len(order) else at >= 0


def _span_numbers(catalogue: Catalogue) -> tuple[Numbers, Numbers]:
    """Return the first and the last line of each span of the catalogue."""
    sizes = np.diff(catalogue.file_starts)
    file_of = np.repeat(np.arange(len(sizes)), sizes)
    files = np.repeat(file_of, np.diff(catalogue.span_offsets))
    first, last = catalogue.spans.T
    return as_numbers(files, first), as_numbers(files, last)


def as_numbers(files: npt.ArrayLike, lines: npt.ArrayLike) -> Numbers:
    """Return lines of a build as numbers: a file's ordinal above, its line below."""
    return (np.asarray(files, np.int64) << FILE_BITS) + np.asarray(lines, np.int64)
