"""Numbering: which line of the file each line of an encoded text is.

A body is the context line, the chunk's own lines and the signatures of its members; a
part begins, but for the first, with the context line again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CONTEXT, MEMBERS = "context", "members"


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of a text: its number in the file, from 1, or what else it is."""

    text: str
    number: int | None
    label: str = ""


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


def number_purpose(text: str) -> list[TextLine]:
    """Return the lines of a purpose; only those of a body have numbers."""
    context, *lines = text.split("\n")
    return [TextLine(context, None, CONTEXT), *(TextLine(line, None) for line in lines)]


def divide_lines(
    lines: Sequence[TextLine], parts: Sequence[str]
) -> Iterator[list[TextLine]]:
    """Yield the lines of each part of a text, which may begin and end inside one."""
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
            found.append(TextLine(written, line.number, line.label))
        yield found
        at += len(own)
