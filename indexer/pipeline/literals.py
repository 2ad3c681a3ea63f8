"""Literals: a phrase or a regular expression that lines of text are to hold.

Matching is RE2's, in linear time whatever the pattern, and by line, as grep does:
`^` and `$` are the ends of a line, and no match goes over a line end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import re2

Integers = npt.NDArray[np.int32]

MOST_MEMORY = 8 << 20  # Bytes of a compiled pattern; `(a{500}){500}` is refused.
# A line with a word at both of its ends, one with anything else, and an empty one.
_BESIDE = (b"\na\n", b"\n \n", b"\n\n")


class PatternError(ValueError):
    """A regular expression cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a line is to hold. `text` is as typed; `has_case` tells `a` from `A`."""

    text: str
    is_regex: bool = False
    has_case: bool = False


@dataclass(frozen=True, slots=True)
class Unsearched:
    """What of `files` with a text was not looked at for a pattern.

    The texts of `missing` files are not kept yet; for `late` ones there was no time.
    Those of `hidden` builds may not be shown any more, and are not counted.
    """

    files: int
    missing: int = 0
    late: int = 0
    hidden: int = 0

    @property
    def is_nothing(self) -> bool:
        """Whether everything was looked at."""
        return not (self.missing or self.late or self.hidden)


@lru_cache(maxsize=256)
def compile_pattern(pattern: Pattern) -> Any:  # Any: re2 has no types
    """Return the compiled pattern, to be used on UTF-8 bytes. Raises PatternError."""
    options = re2.Options()
    options.case_sensitive = pattern.has_case
    options.never_nl = True
    options.log_errors = False
    options.max_mem = MOST_MEMORY
    text = pattern.text if pattern.is_regex else re2.escape(pattern.text)
    try:
        return re2.compile(f"(?m){text}", options)
    except re2.error as error:
        said = error.args[0].decode(errors="replace")
        raise PatternError(said.replace("(?m)", "", 1)) from error


@lru_cache(maxsize=256)
def matches_every_line(pattern: Pattern) -> bool:
    r"""Tell whether a pattern matches the empty text at one end of any line.

    As `^`, `$`, `x*` and `.*` do, and `\b` does not. Raises PatternError.
    """
    match, both = compile_pattern(pattern)._regexp.Match, re2._Anchor.ANCHOR_BOTH

    def is_empty_at(line: bytes, place: int) -> bool:
        return bool(match(both, line, place, place)[0][0] >= 0)

    return all(is_empty_at(line, 1) for line in _BESIDE) or all(
        is_empty_at(line, len(line) - 1) for line in _BESIDE
    )


def matching_lines(pattern: Pattern, data: bytes) -> Integers:
    """Return the numbers of the lines of UTF-8 `data` that hold a match, rising.

    From 1. Behind a last LF there is no line. Raises PatternError.
    """
    if matches_every_line(pattern):
        count = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
        return np.arange(1, 1 + count, dtype=np.int32)
    # Not `search`, which makes three objects a match: it takes three times as long.
    match = compile_pattern(pattern)._regexp.Match
    anchor, size = re2._Anchor.UNANCHORED, len(data)
    starts: list[int] = []
    at = 0
    while at < size:
        start, end = match(anchor, data, at, size)[0]
        if start < 0 or (start == size and data.endswith(b"\n")):
            break
        starts.append(start)
        at = data.find(b"\n", end) + 1
        if not at:
            break
    if not starts:
        return np.empty(0, np.int32)
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    return np.searchsorted(ends, starts).astype(np.int32) + 1


def find_spans(pattern: Pattern, line: str) -> list[tuple[int, int]]:
    """Return where a line holds matches, in characters, half-open, without empty ones.

    A match may end within a character, as that of a single byte does: all of it counts.
    Raises PatternError.
    """
    data = line.encode()
    found = [one.span() for one in compile_pattern(pattern).finditer(data)]
    is_first = np.frombuffer(data, np.uint8) & 0xC0 != 0x80
    number = np.cumsum(is_first)  # Of the character that each byte is of, from 1.
    return [
        (int(number[start]) - 1, int(number[end - 1]))
        for start, end in found
        if start < end
    ]


def joined_spans(patterns: Sequence[Pattern], line: str) -> list[tuple[int, int]]:
    """Return where a line holds matches of some patterns; those that meet are one.

    As `find_spans` counts, in order. Raises PatternError.
    """
    joined: list[tuple[int, int]] = []
    spans = (span for one in patterns for span in find_spans(one, line))
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined
