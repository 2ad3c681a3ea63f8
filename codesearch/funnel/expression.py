"""Expression: a query as a tree of what it asks for, each part with its place.

A word is only ranked by. The rest are conditions, which leave out what does not meet
them: a phrase, a regular expression, a filter, what is negated, and all that stands in
an OR beside one of these, words too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from indexer.pipeline.literals import Pattern

CONTENT, GROUP = "content", "group"  # What a condition that is no filter is called.


class FilterError(ValueError):
    """A query cannot be read; the message says which part of it, where, and why.

    The part is the characters from `start` to before `end`, counted from 0.
    """

    def __init__(self, text: str, start: int, why: str) -> None:
        self.start, self.end = start, start + len(text)
        stop = "" if why.endswith("?") else "."
        super().__init__(f"“{text}” at character {start + 1}: {why}{stop}")


@dataclass(frozen=True, slots=True)
class Node:
    """One part of a query: `text` as typed, at `start`, in characters from 0."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends: the place of the character after it."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Word(Node):
    """A word, with whatever signs stand at it."""


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A phrase or a regular expression that the lines of a chunk hold."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Filter(Node):
    """A filter. `value` is what is compared: as the index names it, or as typed.

    Of a path or a symbol it is a `pattern` that is compared.
    """

    name: str
    value: str
    pattern: Pattern | None = None


@dataclass(frozen=True, slots=True)
class Not(Node):
    """What `part` leaves out."""

    part: Node


@dataclass(frozen=True, slots=True)
class All(Node):
    """What all parts hold for; without a part everything."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Any(Node):
    """What one part at least holds for."""

    parts: tuple[Node, ...]


EVERYTHING = All("", 0, ())


def is_condition(node: Node) -> bool:
    """Tell whether a part of a query leaves anything out."""
    if isinstance(node, All | Any):
        return any(map(is_condition, node.parts))
    return isinstance(node, Literal | Filter | Not)


def conjuncts(node: Node) -> Iterator[Node]:
    """Yield the parts that hold together, in order; groups of them are taken apart."""
    if isinstance(node, All):
        for part in node.parts:
            yield from conjuncts(part)
    else:
        yield node


def conditions(node: Node) -> tuple[Node, ...]:
    """Return the conjuncts that leave something out: each could be dropped alone."""
    return tuple(filter(is_condition, conjuncts(node)))


def leaves(node: Node) -> Iterator[Node]:
    """Yield the words, literals and filters of a part of a query, in order."""
    if isinstance(node, Not):
        yield from leaves(node.part)
    elif isinstance(node, All | Any):
        for part in node.parts:
            yield from leaves(part)
    else:
        yield node


def wanted_literals(node: Node) -> Iterator[Pattern]:
    """Yield the phrases and regular expressions that are asked for, in order."""
    if isinstance(node, Literal):
        yield node.pattern
    elif isinstance(node, All | Any):
        for part in node.parts:
            yield from wanted_literals(part)


def is_literal(node: Node) -> bool:
    """Tell whether a part asks for phrases and regular expressions alone."""
    if isinstance(node, All | Any):
        return all(map(is_literal, node.parts))
    return isinstance(node, Literal)


def name_of(node: Node) -> str:
    """Return what a condition is called: a filter by its name."""
    if isinstance(node, Not):
        return name_of(node.part)
    if isinstance(node, All | Any):
        return GROUP
    return node.name if isinstance(node, Filter) else CONTENT


def value_of(node: Node) -> str:
    """Return what a condition asks for, or is not to hold."""
    if isinstance(node, Not) and isinstance(node.part, Filter):
        return node.part.value
    if isinstance(node, Not):  # A group's own text has no parentheses.
        sign = "-" if node.text.startswith("-") else "NOT"
        return node.text.removeprefix(sign).strip()
    return node.value if isinstance(node, Filter) else node.text
