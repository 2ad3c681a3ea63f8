"""Filters: what a query says of where to look, read from its text.

`lang:python`, `path:db/models`, `kind:class`, `is:test` and `repo:shop`, each with
`-` in front for "not" (a repository is only ever asked for). A filter stands apart
from other words by blanks; a value with blanks stands in quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches

from indexer.pipeline.languages import LANGUAGES, language_called
from indexer.pipeline.types import ChunkKind, Mark

REPOSITORY = "repo"
KINDS = tuple(kind.value for kind in ChunkKind)
MARKS = tuple(mark.value for mark in Mark)

# With nothing behind the colon (`path: str`), or with two (`path::Path`), it is code.
_FILTER = re.compile(
    r'(?<!\S)(?P<sign>-?)(?P<name>lang|path|kind|is|repo):(?!:)(?P<value>"[^"]*"|\S+)',
    re.IGNORECASE,
)


class FilterError(ValueError):
    """A filter cannot be read; the message says which, where, and what can be."""


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter: `text` as typed, at `start` of the query, in characters from 0.

    `value` is what is compared: a language, kind or mark as the index names it, a
    part of a path in lower case, or a repository as typed.
    """

    name: str
    value: str
    negated: bool
    text: str
    start: int


def read_filters(text: str) -> tuple[Filter, ...]:
    """Return the filters of a query in order. Any other word is a word.

    Raises FilterError for a value that a filter cannot have.
    """
    return tuple(map(_read, _FILTER.finditer(text)))


def drop_filters(text: str, filters: Collection[Filter]) -> str:
    """Return a query without some of its filters; it is as typed without any."""
    for one in sorted(filters, key=lambda one: -one.start):
        before, after = text[: one.start], text[one.start + len(one.text) :]
        text = f"{before.rstrip()} {after.lstrip()}".strip()
    return text


def _read(found: re.Match[str]) -> Filter:
    name, value = found["name"].lower(), found["value"]
    if value.startswith('"'):
        if len(value) < 3 or not value.endswith('"'):
            raise _refuse(found, "it has a quotation mark that nothing closes")
        value = value[1:-1]
    if name == REPOSITORY and found["sign"]:
        raise _refuse(found, "a repository can be asked for, not left out")
    if name != REPOSITORY:
        value = _known_value(found, name, value.lower())
    return Filter(name, value, bool(found["sign"]), found[0], found.start())


def _known_value(found: re.Match[str], name: str, value: str) -> str:
    """Return a value as it is compared, or raise FilterError."""
    if name == "path":
        return value
    if name == "lang":
        if language := language_called(value):
            return language
        near = get_close_matches(value, sorted(LANGUAGES), 3)
        hint = f"is {' or '.join(near)} meant?" if near else "try a file extension"
        raise _refuse(found, f"no language is called {value}; {hint}")
    known, what = (KINDS, "kind") if name == "kind" else (MARKS, "mark")
    if value not in known:
        raise _refuse(
            found, f"no {what} is called {value}; there are {', '.join(known)}"
        )
    return value


def _refuse(found: re.Match[str], why: str) -> FilterError:
    end = "" if why.endswith("?") else "."
    return FilterError(f"“{found[0]}” at character {found.start() + 1}: {why}{end}")
