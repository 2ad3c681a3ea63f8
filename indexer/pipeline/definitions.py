"""Definitions: what the walk collects, and what the rules say of one node."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from indexer.pipeline.naming import MAX_NAME, text_of
from indexer.pipeline.rules import LanguageRules
from indexer.pipeline.syntax import Node, find
from indexer.pipeline.types import ChunkKind

FUNCTION_KINDS = frozenset({ChunkKind.FUNCTION, ChunkKind.METHOD})


class Owner(NamedTuple):
    """What encloses a node: `prefix` of names, the symbol, and what kind it is."""

    prefix: str = ""
    symbol: str | None = None
    kind: ChunkKind | None = None


class Definition(NamedTuple):
    """A symbol found: `outer` has its span, `core` its parameters and body.

    `last` is the node it ends with, where it was joined from several clauses.
    """

    name: str
    kind: ChunkKind
    outer: Node
    core: Node
    decorators: tuple[Node, ...]
    parent: str | None
    last: Node


@dataclass(frozen=True, slots=True)
class Walk:
    """One file under the walk, and what was found so far."""

    data: bytes
    rules: LanguageRules
    starts: Sequence[int]  # byte of each line's start
    definitions: list[Definition] = field(default_factory=list)
    comments: list[Node] = field(default_factory=list)
    imports: list[tuple[int, str]] = field(default_factory=list)
    errors: list[tuple[int, int]] = field(default_factory=list)

    def line_of(self, byte: int) -> int:
        """Return the line that holds `byte`."""
        return bisect_right(self.starts, byte)

    def text_of(self, node: Node) -> str:
        """Return the node's text."""
        return text_of(self.data, node)

    def begins_line(self, byte: int) -> bool:
        """Tell whether only blanks stand before `byte` on its line."""
        return not self.data[self.starts[self.line_of(byte) - 1] : byte].strip()


def is_decorator(walk: Walk, node: Node) -> bool:
    """Tell whether a node decorates its next sibling or what it lies in."""
    rules = walk.rules
    if node.type not in rules.decorators:
        return False
    if not rules.decorator_words:
        return True
    start = walk.data[node.start_byte : node.start_byte + MAX_NAME]
    return start.decode("utf-8", "replace").startswith(rules.decorator_words)


def own_decorators(walk: Walk, node: Node) -> list[Node]:
    """Return the decorators inside a definition, also those among its modifiers."""
    rules = walk.rules
    own = []
    for child in node.named_children:
        if child.type in rules.decorators:
            own.append(child)
        elif child.type in rules.modifiers:
            inner = child.named_children
            own += [one for one in inner if one.type in rules.decorators]
    return own


def body_of(rules: LanguageRules, node: Node) -> Node | None:
    """Return the body of a definition: its field, or the child that is one."""
    if found := node.child_by_field_name("body"):
        return found
    if not rules.bodies:
        return None
    return next((one for one in node.named_children if one.type in rules.bodies), None)


def kind_of(walk: Walk, node: Node) -> ChunkKind | None:
    """Return the kind of a definition; None where it only lengthens names."""
    rules = walk.rules
    if node.type in rules.calls:
        word = find(node, rules.call[0])
        return rules.commands[walk.text_of(word)] if word is not None else None
    if refined := rules.refined.get(node.type):
        for child in node.children:
            if child.type in refined:
                return refined[child.type]
    return rules.definitions.get(node.type) or rules.values[node.type]


def is_whole(walk: Walk, node: Node, owner: Owner) -> bool:
    """Tell whether a definition has what it must have and lies where it may."""
    rules = walk.rules
    if node.type in rules.shallow and owner.kind in FUNCTION_KINDS:
        return False
    place = rules.required.get(node.type)
    return place is None or find(node, place) is not None


def has_code(walk: Walk, outer: Node, node: Node) -> bool:
    """Tell whether a property is more than its declaration: it is computed."""
    return not is_one_line(walk, outer) and body_of(walk.rules, node) is not None


def is_one_line(walk: Walk, node: Node) -> bool:
    """Tell whether a node begins and ends on one line."""
    return walk.line_of(node.start_byte) == walk.line_of(node.end_byte - 1)


def attached_to(walk: Walk, owner: Owner, qualifier: str) -> Owner:
    """Return the owner of a function that names its type (Go, C++, Kotlin)."""
    prefix = qualified_name(owner, qualifier)
    return Owner(prefix=prefix, symbol=prefix, kind=walk.rules.attached or owner.kind)


def qualified_name(owner: Owner, name: str) -> str:
    """Return a name with what encloses it, capped."""
    return (f"{owner.prefix}.{name}" if owner.prefix else name)[:MAX_NAME]
