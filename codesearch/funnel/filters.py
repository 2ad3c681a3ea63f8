"""Filters: what a query says of where to look, by name and value.

`lang:python`, `path:db/models`, `kind:class`, `is:test` and `repo:shop`, each with
`-` in front for "not" (a repository is only ever asked for). A value with blanks
stands in quotation marks.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from codesearch.funnel.expression import (
    All,
    Any,
    Filter,
    FilterError,
    Node,
    Not,
)
from codesearch.funnel.tokens import CONTENT, Token
from indexer.pipeline.languages import LANGUAGES, language_called
from indexer.pipeline.types import ChunkKind, Mark

REPOSITORY, CASE = "repo", "case"
SETTINGS = (REPOSITORY, CASE)  # They hold for the whole query, and leave out no chunk.
KINDS = tuple(kind.value for kind in ChunkKind)
MARKS = tuple(mark.value for mark in Mark)
YES_NO = ("yes", "no")
# Each filter by the names it is known by.
ALIASES = {
    "repo": REPOSITORY,
    "r": REPOSITORY,
    "lang": "lang",
    "l": "lang",
    "language": "lang",
    "path": "path",
    "kind": "kind",
    "is": "is",
    "case": CASE,
}
NAMES = frozenset({*ALIASES, *CONTENT})


def read_filter(token: Token) -> Filter:
    """Return the filter of a token. Raises FilterError for a value it cannot have."""
    name = ALIASES[token.name]
    value = token.value if name == REPOSITORY else token.value.lower()
    if not value.strip():
        raise FilterError(token.text, token.start, "it has no value")
    if name not in (REPOSITORY, "path"):
        value = _known_value(token, name, value)
    return Filter(token.text, token.start, name, value)


def refuse_misplaced(node: Node, *, is_inside: bool = False) -> None:
    """Raise FilterError for what holds for the whole query, in an OR or negated."""
    if isinstance(node, All | Any):
        for part in node.parts:
            refuse_misplaced(part, is_inside=is_inside or isinstance(node, Any))
    elif isinstance(node, Not):
        refuse_misplaced(node.part, is_inside=True)
    elif isinstance(node, Filter) and node.name in SETTINGS and is_inside:
        why = "it holds for the whole query, and can be neither negated nor in an OR"
        raise FilterError(node.text, node.start, why)


def drop_filters(text: str, filters: Collection[Node]) -> str:
    """Return a query without some of its conditions; it is as typed without any.

    An AND beside one goes with it, and so do the parentheses of an emptied group.
    """
    for one in sorted(filters, key=lambda one: -one.start):
        before, after = text[: one.start].rstrip(), text[one.end :].lstrip()
        while before.endswith("(") and after.startswith(")"):
            before, after = before[:-1].rstrip(), after[1:].lstrip()
        if (" " + before).endswith((" AND", "(AND")):
            before = before[: -len("AND")].rstrip()
        elif after.startswith("AND") and not after[3:4].strip(" \t\n)"):
            after = after[len("AND") :].lstrip()
        text = f"{before} {after}".strip()
    return text


def _known_value(token: Token, name: str, value: str) -> str:
    """Return a value as it is compared, or raise FilterError."""
    if name == "lang":
        if language := language_called(value):
            return language
        near = get_close_matches(value, sorted(LANGUAGES), 3)
        hint = f"is {' or '.join(near)} meant?" if near else "try a file extension"
        raise _refuse(token, f"no language is called {value}; {hint}")
    known = {"kind": KINDS, "is": MARKS, CASE: YES_NO}[name]
    if value not in known:
        what = {"kind": "kind", "is": "mark", CASE: "case"}[name]
        raise _refuse(
            token, f"no {what} is called {value}; there are {', '.join(known)}"
        )
    return value


def _refuse(token: Token, why: str) -> FilterError:
    return FilterError(token.text, token.start, why)
