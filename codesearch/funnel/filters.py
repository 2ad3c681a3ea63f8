"""Filters: what a query says of where to look, by name and value.

`docs/query-language.md` says what each takes. With `-` in front it is "not"; a value
with blanks stands in quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches

from codesearch.funnel.expression import (
    All,
    Any,
    Filter,
    FilterError,
    Node,
    Not,
    leaves,
)
from codesearch.funnel.foreign import FOREIGN
from codesearch.funnel.tokens import CONTENT, Token
from indexer.pipeline.globs import GlobError, glob_regex, is_glob
from indexer.pipeline.languages import LANGUAGES, language_called
from indexer.pipeline.literals import Pattern, PatternError, compile_pattern
from indexer.pipeline.types import ChunkKind, Mark

REPOSITORY, REVISION, CASE, TYPE = "repo", "rev", "case", "type"
KINDS = tuple(kind.value for kind in ChunkKind)
MARKS = tuple(mark.value for mark in Mark)
CODE, PLACE, DOC = "code", "place", "doc"
YES, NO = "yes", "no"
MOST_CONDITIONS = 40  # Phrases, expressions and filters: each may be compared 10 ms.

# What each filter may be called; the first name is its own.
_CALLED = (
    (REPOSITORY, "r"),
    (REVISION, "branch", "b", "revision"),
    ("lang", "l", "language"),
    ("path",),
    ("file", "f"),
    ("sym", "symbol"),
    ("kind",),
    ("is",),
    (TYPE,),
    (CASE,),
)
ALIASES = {name: names[0] for names in _CALLED for name in names}
# Of a value that is one of a few: what it is called, and which there are.
CLOSED = {
    "kind": ("kind", KINDS),
    "is": ("mark", MARKS),
    TYPE: ("type", (CODE, PLACE, DOC)),
    CASE: ("case", (YES, NO)),
}
# Values that other tools have, by ours.
_SAME = {"symbol": CODE, "file": PLACE, "path": PLACE}
_PREDICATE = re.compile(r"(?:has|contains)(?:\.\w+)*\(")  # `repo:has.file(setup.py)`
_ANY = re.compile(r"")
# By the name of a filter: how a value of it begins.
NAMES = {
    **dict.fromkeys([*ALIASES, *CONTENT], _ANY),
    **{name: begins for name, (begins, _) in FOREIGN.items()},
}


def read_filter(token: Token, *, has_case: bool) -> Filter:
    """Return the filter of a token. Raises FilterError for a value it cannot have."""
    if token.name in FOREIGN:
        raise _refuse(token, FOREIGN[token.name][1])
    name, value = ALIASES[token.name], token.value
    if not value.strip():
        raise _refuse(token, "it has no value")
    pattern = None
    if name == "lang":
        value = _language(token, value.lower())
    elif name in CLOSED:
        value = _one_of(token, value.lower(), *CLOSED[name])
    elif name in ("path", "file", "sym"):
        pattern = _pattern(token, name, value, has_case)
    elif name == REPOSITORY:
        _pattern(token, name, value, False)
    return Filter(token.text, token.start, name, value, pattern)


def refuse_misplaced(node: Node, *, is_inside: bool = False) -> None:
    """Raise FilterError for what holds for the whole query, in an OR or negated."""
    if isinstance(node, All | Any):
        for part in node.parts:
            refuse_misplaced(part, is_inside=is_inside or isinstance(node, Any))
    elif isinstance(node, Not):
        refuse_misplaced(node.part, is_inside=True)
    elif isinstance(node, Filter) and node.name in (CASE, REVISION) and is_inside:
        why = "it holds for the whole query, and can be neither negated nor in an OR"
        raise FilterError(node.text, node.start, why)


def refuse_many(conditions: Sequence[Node]) -> None:
    """Raise FilterError for the first part of conditions that is one too many."""
    parts = [part for one in conditions for part in leaves(one)]
    if len(parts) > MOST_CONDITIONS:
        one = parts[MOST_CONDITIONS]
        why = f"a query has {MOST_CONDITIONS} conditions at most, and this is one more"
        raise FilterError(one.text, one.start, why)


def is_choice(node: Node) -> bool:
    """Tell whether a condition chooses repositories, builds or case, not chunks."""
    part = node.part if isinstance(node, Not) else node
    return isinstance(part, Filter) and part.name in (REPOSITORY, REVISION, CASE)


def asks_for_places(node: Node) -> bool:
    """Tell whether a condition leaves places only, and no chunk."""
    return isinstance(node, Filter) and (node.name, node.value) == (TYPE, PLACE)


def chosen(filters: Collection[Node], name: str) -> list[Filter]:
    """Return the filters of a name that are asked for."""
    return [one for one in filters if isinstance(one, Filter) and one.name == name]


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


def _language(token: Token, value: str) -> str:
    if language := language_called(value):
        return language
    near = get_close_matches(value, sorted(LANGUAGES), 3)
    hint = f"is {' or '.join(near)} meant?" if near else "try a file extension"
    raise _refuse(token, f"no language is called {value}; {hint}")


def _one_of(token: Token, value: str, what: str, known: Sequence[str]) -> str:
    if what == TYPE:
        value = _SAME.get(value, value)
    if value in known:
        return value
    raise _refuse(token, f"no {what} is called {value}; there are {', '.join(known)}")


def _pattern(token: Token, name: str, value: str, has_case: bool) -> Pattern:
    """Return what the path or name is to hold. Raises FilterError."""
    if name != "sym" and _PREDICATE.match(value):
        raise _refuse(token, "predicates are not known; ask for a path or name")
    is_described = name == "path" and is_glob(value)
    try:
        text = glob_regex(value) if is_described else value
        pattern = Pattern(text, is_described or name != "path", has_case)
        compile_pattern(pattern)
    except (GlobError, PatternError) as error:
        raise _refuse(token, f"it cannot be read: {error}") from error
    return pattern


def _refuse(token: Token, why: str) -> FilterError:
    return FilterError(token.text, token.start, why)
