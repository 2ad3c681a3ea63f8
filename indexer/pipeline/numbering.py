"""Numbering: which line of the file each line of an encoded text is.

A body is the context line, the chunk's own lines and the signatures of its members; a
part begins, but for the first, with the context line again. A purpose is the context
line, the signature on one line, decorators and documentation without its marks: its
lines are looked for in the file, and what is not found there has no number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

CONTEXT, MEMBERS = "context", "members"

_WORD = re.compile(r"\w")
# A line of these alone begins or ends a docstring or a comment.
_MARK = re.compile(
    r"[rRuUbB]{0,2}(?:\"{1,3}|'{1,3})|/\*+!?|\*+/?|/{2,}!?|#+|-{2,}|;+|%+|=#|#="
)
_STRING_PREFIX = re.compile(r"\b[rRuUbB]{1,2}(?=[\"'])")


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of a text: its number in the file, from 1, or what else it is.

    `last` is the last line of the file where it stands for several.
    """

    text: str
    number: int | None
    label: str = ""
    last: int | None = None


def number_body(text: str, spans: Sequence[Sequence[int]]) -> list[TextLine]:
    """Return the lines of a body. `spans` are (first, last) lines of the file."""
    numbers = [n for first, last in spans for n in range(first, last + 1)]
    context, *lines = text.split("\n")
    return [
        TextLine(context, None, CONTEXT),
        *(
            TextLine(line, numbers[i])
            if i < len(numbers)
            else TextLine(line, None, MEMBERS)
            for i, line in enumerate(lines)
        ),
    ]


def number_purpose(text: str, source: Mapping[int, str]) -> list[TextLine]:
    """Return the lines of a purpose. `source` are lines of the file by number.

    One is found where a line of the file holds it and besides only marks, as quotes or
    `#`; the signature where a run of lines begins with it. In order, each once: after
    the line found last if there is one, else from the start (decorators stand above).
    """
    context, *lines = text.split("\n")
    found = [TextLine(context, None, CONTEXT)]
    free = dict(sorted(source.items()))
    at = 0
    for i, line in enumerate(lines):
        place = _find(line, free, at, is_head=i == 0) if line.strip() else None
        if place is None:
            found.append(TextLine(line, None))
            continue
        first, last = place
        found.append(TextLine(line, first, last=last if last > first else None))
        for number in range(first, last + 1):
            free.pop(number, None)
        at = last
    return found


def _find(
    line: str, free: Mapping[int, str], at: int, *, is_head: bool
) -> tuple[int, int] | None:
    """Return the first and last number of where a line of a purpose stands."""
    written = [number for number, text in free.items() if text.strip()]
    for number in sorted(written, key=lambda n: (n < at, n)):
        if _holds(free[number], line.strip()):
            return number, number
        if is_head and (last := _run_end(line, free, number)):
            return number, last
    return None


def _holds(written: str, line: str) -> bool:
    """Tell whether a line of the file is `line` with nothing but marks around it."""
    before, found, after = written.partition(line)
    marks = _STRING_PREFIX.sub("", f"{before}{after}")
    return bool(found) and not _WORD.search(marks)


def _run_end(head: str, free: Mapping[int, str], first: int) -> int | None:
    """Return the last line of the run from `first` that begins with `head`."""
    wanted, seen, number = "".join(head.split()), "", first
    while number in free and len(seen) < len(wanted):
        seen += "".join(free[number].split())
        number += 1
    rest = seen[len(wanted) :]
    begins = seen.startswith(wanted) and not _WORD.match(rest[:1])
    return number - 1 if begins else None


def with_marks(numbers: Collection[int], source: Mapping[int, str]) -> set[int]:
    """Return lines of the file with those between and beside them that only mark.

    The quotes of a docstring and the ends of a comment on lines of their own, and
    blank lines within.
    """
    found = set(numbers)
    for run in _mark_runs(numbers, source):
        written = [n for n in run if source[n].strip()]
        if run[0] - 1 in numbers and run[-1] + 1 in numbers:
            found.update(run)
        elif written and run[0] - 1 in numbers:
            found.update(range(run[0], written[-1] + 1))
        elif written and run[-1] + 1 in numbers:
            found.update(range(written[0], run[-1] + 1))
    return found


def _mark_runs(
    numbers: Collection[int], source: Mapping[int, str]
) -> Iterator[list[int]]:
    """Yield the runs of adjoining lines that only mark, or are blank."""
    run: list[int] = []
    for number, text in sorted(source.items()):
        only_marks = not text.strip() or _MARK.fullmatch(text.strip())
        if run and (number > run[-1] + 1 or number in numbers or not only_marks):
            yield run
            run = []
        if only_marks and number not in numbers:
            run.append(number)
    if run:
        yield run


def divide_lines(
    lines: Sequence[TextLine], parts: Sequence[str]
) -> Iterator[list[TextLine]]:
    """Yield the lines of each part of a text, which may begin and end inside one.

    A part that ends with a line's end has an empty line as its last.
    """
    text = "\n".join(line.text for line in lines)
    head = f"{lines[0].text}\n"
    at = 0
    for part in parts:
        repeats = at > 0 and part == head + text[at : at + len(part) - len(head)]
        own = part[len(head) :] if repeats else part
        first = text.count("\n", 0, at)
        found = [lines[0]] if repeats else []
        for i, written in enumerate(own.split("\n")):
            line = lines[first + i]
            found.append(TextLine(written, line.number, line.label, line.last))
        yield found
        at += len(own)
