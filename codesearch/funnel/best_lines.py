"""Best lines: which of a chunk's own lines to show, where there is no room for all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from indexer.pipeline.literals import Pattern, matching_lines
from indexer.pipeline.terms import tokenize

MOST_LINES = 12
WINDOWS = 2  # Beside the signature: three pieces are read at a glance.
HEAD_SEARCHED = 12  # Lines in which a name is its definition, not a use of it.
SIGNATURE_LINES = 4
DECORATORS = 2  # Lines above a signature that are shown with it.
SHOWN_AGAIN = 0.25  # What a term that is shown already is worth in another window.

_COMMENTS = ("# ", "##", "//", "/*", "*", "--", ";;")

Held = Mapping[int, Mapping[str | Pattern, float]]


def choose_lines(
    lines: Sequence[str],
    *,
    name: str = "",
    idf: Mapping[str, float],
    literals: Sequence[Pattern] = (),
) -> list[int]:
    """Return which lines to show, as indexes from 0, rising: `MOST_LINES` at most.

    They are the signature of `name`, which may be "", and the windows that hold most
    of the idf of the query's terms; a literal outweighs all terms. They make at most
    `WINDOWS` + 1 runs, and room that is left goes to the lines after the signature.
    Without a window it is the first lines. Equal windows: the earlier one.
    """
    if len(lines) <= MOST_LINES:
        return list(range(len(lines)))
    head = find_signature(lines, name)
    held = _held(lines, idf, literals)
    shown = set(head)
    size = (MOST_LINES - len(head)) // WINDOWS
    start = 0
    for _ in range(WINDOWS):
        window = _best_window(held, shown, len(lines), size)
        if not window:
            break
        shown.update(window)
        start = head.start
    for number in range(start, len(lines)):
        if len(shown) == MOST_LINES:
            break
        shown.add(number)
    return sorted(shown)


def find_signature(lines: Sequence[str], name: str) -> range:
    """Return the lines of a definition's head, indexes from 0, by what they look like.

    From the first line that has the name, comments apart, to where its brackets are
    closed; the few lines above it belong to it. Without such a line, the first one.
    """
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    first = next(
        (
            number
            for number, line in enumerate(lines[:HEAD_SEARCHED])
            if name and word.search(line) and not line.lstrip().startswith(_COMMENTS)
        ),
        0,
    )
    depth, end = 0, first
    for line in lines[first : first + SIGNATURE_LINES]:
        end += 1
        depth += sum(line.count(sign) for sign in "([")
        depth -= sum(line.count(sign) for sign in ")]")
        if depth <= 0:
            break
    return range(0 if first <= DECORATORS else first, end)


def _held(
    lines: Sequence[str], idf: Mapping[str, float], literals: Sequence[Pattern]
) -> Held:
    """Return what each line holds of the query, with its weight, without empty ones."""
    held: dict[int, dict[str | Pattern, float]] = {}
    for number, line in enumerate(lines):
        if terms := idf.keys() & tokenize(line):
            held[number] = {term: idf[term] for term in terms}
    weight = 1 + sum(idf.values())
    data = "\n".join(lines).encode() if literals else b""
    for literal in literals:
        for line_number in matching_lines(literal, data).tolist():
            held.setdefault(line_number - 1, {})[literal] = weight
    return held


def _best_window(held: Held, shown: set[int], count: int, size: int) -> set[int]:
    """Return the lines of the window that adds most, none if no line holds anything.

    A window begins one line before a line that holds something.
    """
    known = {key for number in shown for key in held.get(number, ())}
    best: set[int] = set()
    most = 0.0
    for number in sorted(held.keys() - shown):
        start = max(0, number - 1)
        window = set(range(start, min(start + size, count))) - shown
        added: dict[str | Pattern, float] = {}
        for one in window:
            added |= held.get(one, {})
        gain = sum(
            added[key] * (SHOWN_AGAIN if key in known else 1.0)
            for key in sorted(added, key=str)
        )
        if gain > most:
            best, most = window, gain
    return best
