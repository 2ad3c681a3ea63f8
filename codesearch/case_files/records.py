"""The records of an import: what could not be taken, and what every text must be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.errors import SearchError

MOST_LINES = 20_000
MOST_BYTES = 20_000_000
KEY_LIMIT = 100
TOPIC_LIMIT = 200

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


class UnreadableFile(SearchError):
    """Nothing of a file can be taken; the message says why and what to do."""

    def __init__(self, sentence: str) -> None:
        super().__init__(printable(sentence))


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


def printable(text: str) -> str:
    """Return a text of a file as a page can show it: with ? for what is no character.

    JSON can spell half of a surrogate pair, which no answer can be written with.
    """
    return text.encode("utf-8", "replace").decode().replace("\x00", "?")


def tell_unread(names: Sequence[str]) -> tuple[str, ...]:
    """Return the sentence on columns or keys that are not read, if there are any."""
    if not names:
        return ()
    told = ", ".join(name[:40] for name in names[:10])
    more = f" and {len(names) - 10:,} more" if len(names) > 10 else ""
    return (f"Not read: {printable(told)}{more}.",)


def read_grade(text: str) -> int | None:
    """Return a grade, None where the text is no whole number; "2.0" is one."""
    found = re.fullmatch(r"\s*([+-]?\d{1,9})(?:\.0*)?\s*", text, re.ASCII)
    return int(found[1]) if found else None


@dataclass(frozen=True, slots=True)
class NewCase:
    """One case of a file: a query and the grade of each target, in their order.

    `key` is its id, "" where the file has none. `expected` is "" for on page one.
    """

    query: str
    targets: tuple[tuple[str, int], ...]
    key: str = ""
    topic: str = ""
    expected: str = ""
    is_synthetic: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """What one line, or one entry, says of a case, and where it says so."""

    place: str
    text: str
    case: NewCase


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file holds. `notes` are sentences about the whole of it.

    Rows of one case are one after another or apart, unless `is_whole`: then each row
    is a case. `head` goes before the refused lines where they are to be read again.
    The last four are of the set, as far as the file says.
    """

    rows: list[Row]
    problems: list[Problem]
    notes: tuple[str, ...] = ()
    is_whole: bool = False
    head: str = ""
    name: str = ""
    description: str = ""
    unit: str = ""
    profile: str = ""


class Refused(Exception):
    """Why one line or one entry is not taken."""
