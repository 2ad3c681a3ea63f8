"""The records of an import: what could not be taken, and what every text must be."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_LINES = 20_000
MOST_BYTES = 20_000_000

_ENDS = re.compile(r"\r\n|\n|\r")  # Not the other ends of str.splitlines.


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that was not taken: its place, what stands there, and why not.

    `place` names it as a person counts, from 1: "line 12", "lines 3 to 5", "entry 7".
    `text` is the line as it was.
    """

    place: str
    text: str
    sentence: str


class UnreadableFile(Exception):
    """Nothing of a file can be taken; the message says why and what to do."""


def split_lines(text: str) -> list[str]:
    """Return the lines of a text without their ends, the last one too if it has any."""
    lines = _ENDS.split(text)
    return lines if lines[-1] else lines[:-1]


def place_of(first: int, last: int | None = None) -> str:
    """Return where a line is, or several, from 1."""
    if last is None or last == first:
        return f"line {first:,}"
    return f"lines {first:,} to {last:,}"


def fault_of_text(text: str) -> str:
    """Return why no database would keep a text, "" if it will."""
    if "\x00" in text:
        return "It holds a NUL character."
    if any("\ud800" <= character <= "\udfff" for character in text):
        return "It holds half of a surrogate pair, which is no character."
    return ""


def read_grade(text: str) -> int | None:
    """Return a grade, None where the text is no whole number; "2.0" is one."""
    found = re.fullmatch(r"\s*([+-]?\d{1,9})(?:\.0*)?\s*", text, re.ASCII)
    return int(found[1]) if found else None
