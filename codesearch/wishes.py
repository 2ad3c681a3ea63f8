"""Wishes: the ways in which lines of a file are asked for as a target.

`PATH:620`, `PATH:10-20`, and as in addresses `PATH#L620` and `PATH#L10-L20`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINES = re.compile(
    r"(?P<path>.+)(?::|#L)(?P<first>\d{1,9})(?:-L?(?P<last>\d{1,9}))?", re.DOTALL
)
_RANGE = re.compile(r"\d+(-L?\d+)?")


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a file, from 1; both ends belong to them."""

    first: int
    last: int

    @property
    def spoken(self) -> str:
        """Return them as words."""
        if self.first == self.last:
            return f"line {self.first}"
        return f"lines {self.first} to {self.last}"

    @property
    def suffix(self) -> str:
        """Return them as they follow a path."""
        if self.first == self.last:
            return f":{self.first}"
        return f":{self.first}-{self.last}"

    def overlaps(self, first: int, last: int) -> bool:
        """Return whether some line is in both."""
        return first <= self.last and self.first <= last

    def lies_in(self, first: int, last: int) -> bool:
        """Return whether all lines are in these."""
        return first <= self.first and self.last <= last


def read_lines(wish: str) -> tuple[str, Lines | None]:
    """Return the path and the lines of a wish; the lines in either order."""
    found = _LINES.fullmatch(wish)
    if found is None:
        return wish, None
    first = int(found["first"])
    last = int(found["last"] or first)
    return found["path"], Lines(min(first, last), max(first, last))


def is_lines(text: str) -> bool:
    """Return whether a text names nothing but lines: no path can be meant."""
    return _RANGE.fullmatch(text) is not None
