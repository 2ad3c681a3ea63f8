"""Syntax trees as the walk sees them: what a node is, and finding places in it.

Nothing here recurses on user input, climbs to a parent or prints a tree: each of
these kills the process on deeply nested files.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Protocol


class Node(Protocol):
    """What is read of a tree-sitter node."""

    @property
    def type(self) -> str:
        """Its type in the grammar; a token's is its text."""

    @property
    def start_byte(self) -> int:
        """Where it begins."""

    @property
    def end_byte(self) -> int:
        """Where it ends, exclusive."""

    @property
    def child_count(self) -> int:
        """How many children it has, tokens included."""

    @property
    def named_child_count(self) -> int:
        """How many children it has without tokens."""

    @property
    def is_named(self) -> bool:
        """Whether it is no token."""

    @property
    def children(self) -> Sequence[Node]:
        """Its children, tokens included."""

    @property
    def named_children(self) -> Sequence[Node]:
        """Its children without tokens."""

    def child(self, index: int, /) -> Node | None:
        """Return a child; counts from the start at every call."""

    def named_child(self, index: int, /) -> Node | None:
        """Return a child that is no token. Raises IndexError beyond the last."""

    def child_by_field_name(self, name: str, /) -> Node | None:
        """Return the first child in a field."""

    def children_by_field_name(self, name: str, /) -> Sequence[Node]:
        """Return the children in a field."""


def find(node: Node, place: str) -> Node | None:
    """Return what stands at a place in a node, or None.

    A place is steps separated by blanks, each a field or else the type of a named
    child, `*` the first, `*a` the first if it is an `a`; alternatives are separated by
    `|`, and the first that is there counts.
    """
    for steps in _alternatives(place):
        found: Node | None = node
        for step in steps:
            found = _step(found, step) if found is not None else None
        if found is not None:
            return found
    return None


def find_all(node: Node, step: str) -> Sequence[Node]:
    """Return the children in a field, or else those of a type."""
    return node.children_by_field_name(step) or [
        child for child in node.named_children if child.type == step
    ]


def first_named(node: Node) -> Node | None:
    """Return the first child that is no token; broken code may have left none."""
    return node.named_child(0) if node.named_child_count else None


@cache
def _alternatives(place: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(steps.split()) for steps in place.split("|"))


def _step(node: Node, step: str) -> Node | None:
    if step.startswith("*"):
        first = first_named(node)
        return first if first is None or step in ("*", f"*{first.type}") else None
    if found := node.child_by_field_name(step):
        return found
    return next((child for child in node.named_children if child.type == step), None)
