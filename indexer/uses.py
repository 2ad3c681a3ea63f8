"""Uses: the lines of a build that hold a name as a whole word.

By name only: other things of the same name are among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import re2

from indexer.engines.exact import FoundLines
from indexer.exact import build_texts
from indexer.named import BuildNames, Definition
from indexer.paging import find_page
from indexer.pipeline.literals import Pattern
from indexer.pipeline.paths import display_path, path_url

LINES = 200  # On a page.


@dataclass(frozen=True, slots=True)
class Use:
    """One line that holds the name."""

    number: int
    text: str
    is_definition: bool


@dataclass(slots=True)
class UsedIn:
    """A file with its lines that are shown."""

    path: str
    path_url: str
    language: str
    uses: list[Use] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Uses:
    """All lines counted, those of one page shown, in order of path and line.

    Of the `file_count` files with a text `missing` are not kept yet, and for `late`
    there was no time; all are `is_hidden` if they may hold secrets that are off now.
    """

    file_count: int
    missing: int
    late: int
    is_hidden: bool
    files: int
    lines: int
    page: int
    pages: int
    shown: Sequence[UsedIn]


def find_uses(names: BuildNames, name: str, page: int) -> Uses:
    """Return a page of the lines that hold `name`; the last page at most."""
    files = names.layer.catalogue.files
    texts = build_texts(names.build, [file.path for file in files])
    found = texts.find(whole_word(name))
    count = len(found.lines)
    page, pages = find_page(page, count, LINES)
    wanted = slice((page - 1) * LINES, page * LINES)
    ordinals = [int(one) for one in np.unique(found.files[wanted])]
    shown = texts.read(ordinals)
    definitions = _definitions(names, name)
    return Uses(
        file_count=texts.file_count,
        missing=texts.missing,
        late=len(found.late),
        is_hidden=texts.is_hidden,
        files=len(np.unique(found.files)),
        lines=count,
        page=page,
        pages=pages,
        shown=[
            _used_in(names, ordinal, shown[ordinal], found, wanted, definitions)
            for ordinal in ordinals
            if ordinal in shown
        ],
    )


def whole_word(name: str) -> Pattern:
    """Return the pattern of lines that hold a name as a word of code, in its case."""
    other = r"[^\p{L}\p{N}_$]"  # RE2's own \b knows ASCII only.
    return Pattern(f"(?:^|{other}){re2.escape(name)}(?:{other}|$)", True, True)


def _used_in(
    names: BuildNames,
    ordinal: int,
    text: str,
    found: FoundLines,
    wanted: slice,
    definitions: Mapping[str, Sequence[Definition]],
) -> UsedIn:
    """Return a file with its lines that are on the page."""
    file = names.layer.catalogue.files[ordinal]
    lines = text.split("\n")
    url = path_url(file.path)
    held = found.of_file(ordinal).tolist()
    marked = {_line_of(one, held, lines) for one in definitions.get(url, ())}
    here = found.lines[wanted][found.files[wanted] == ordinal].tolist()
    uses = [Use(number, lines[number - 1], number in marked) for number in here]
    return UsedIn(display_path(file.path), url, file.language, uses)


def _definitions(names: BuildNames, name: str) -> dict[str, list[Definition]]:
    """Return the definitions of a name by the address of their file."""
    found: dict[str, list[Definition]] = {}
    for one in names.describe(names.find(name)):
        found.setdefault(one.path_url, []).append(one)
    return found


def _line_of(
    definition: Definition, held: Sequence[int], lines: Sequence[str]
) -> int | None:
    """Return the line of a definition that says its name, as its signature does.

    Of those that hold the name. Comments and decorators may say it before.
    """
    within = range(definition.start_line, definition.end_line + 1)
    numbers = [number for number in held if number in within]
    head = definition.signature
    for number in numbers:
        words = " ".join(lines[number - 1].split())
        if head and (head.startswith(words) or words.startswith(head)):
            return number
    return numbers[0] if numbers else None
