"""Walk: the definitions, comments, imports and errors of one syntax tree.

One iterative walk for all languages: what is special about one is in its rules.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from indexer.pipeline.naming import (
    MAX_NAME,
    bound_name,
    declared_name,
    name_at,
    text_of,
    unquoted,
)
from indexer.pipeline.rules import RULES, LanguageRules
from indexer.pipeline.syntax import Node, find, find_all
from indexer.pipeline.types import ChunkKind

_TYPE_KINDS = frozenset({ChunkKind.CLASS, ChunkKind.INTERFACE, ChunkKind.ENUM})
_FUNCTION_KINDS = frozenset({ChunkKind.FUNCTION, ChunkKind.METHOD})
_LEAF_KINDS = frozenset({ChunkKind.TYPE, ChunkKind.MACRO, ChunkKind.PROPERTY})


class Owner(NamedTuple):
    """What encloses a node: `prefix` of names, the symbol, and what kind it is."""

    prefix: str = ""
    symbol: str | None = None
    kind: ChunkKind | None = None


class Visit(NamedTuple):
    """A node to look at; `outer` is the wrapper whose span it would take.

    `tail` is the sibling that is its body.
    """

    node: Node
    owner: Owner
    outer: Node | None = None
    decorators: tuple[Node, ...] = ()
    tail: Node | None = None


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


_Handler = Callable[[Walk, Visit], list[Visit]]


def walk_tree(root: Node, data: bytes, rules: LanguageRules) -> Walk:
    """Walk a tree and return what was found, in no order."""
    lines = data.split(b"\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines[:-1])]
    walk = Walk(data=data, rules=rules, starts=starts)
    handlers = _handlers(rules.language)
    stack = [Visit(root, Owner())]
    while stack:
        visit = stack.pop()
        node, owner = visit.node, visit.owner
        if handler := handlers.get(node.type):
            stack.extend(handler(walk, visit))
        elif node.named_child_count:  # most nodes have none
            stack.extend([Visit(child, owner) for child in node.named_children])
    return walk


@cache
def _handlers(language: str) -> dict[str, _Handler]:
    """Return what to do at each node type; all others are only walked through."""
    rules = RULES[language]
    roles: list[tuple[Iterable[str], _Handler]] = [
        (rules.comments, _visit_comment),
        (rules.calls, _visit_call),
        (rules.decorated, _visit_children),
        (rules.imports, _visit_import),
        (rules.bindings, _visit_binding),
        (rules.prefixes, _visit_prefix),
        (rules.definitions, _visit_definition),
        (rules.values, _visit_definition),
        (rules.wrappers, _visit_wrapper),
        (("ERROR",), _visit_error),
    ]
    return {kind: handler for kinds, handler in roles for kind in kinds}


def _visit_children(
    walk: Walk, visit: Visit, owner: Owner | None = None, outer: Node | None = None
) -> list[Visit]:
    """Go on to the children; decorators go with the sibling they stand before."""
    rules = walk.rules
    visits: list[Visit] = []
    pending: tuple[Node, ...] = ()
    tail = visit.tail if outer else None
    for node in visit.node.named_children:
        if node.type in rules.tails and visits:
            visits[-1] = visits[-1]._replace(tail=node)
        elif node.type in rules.comments:
            visits.append(Visit(node, owner or visit.owner))
        elif _is_decorator(walk, node):
            pending = (*pending, node)
            visits.append(Visit(node, owner or visit.owner))
        else:
            decorators = (*visit.decorators, *pending) if outer else pending
            visits.append(Visit(node, owner or visit.owner, outer, decorators, tail))
            pending = ()
    return visits


def _is_decorator(walk: Walk, node: Node) -> bool:
    rules = walk.rules
    if node.type not in rules.decorators:
        return False
    if not rules.decorator_words:
        return True
    start = walk.data[node.start_byte : node.start_byte + MAX_NAME]
    return start.decode("utf-8", "replace").startswith(rules.decorator_words)


def _visit_comment(walk: Walk, visit: Visit) -> list[Visit]:
    walk.comments.append(visit.node)
    return []


def _visit_error(walk: Walk, visit: Visit) -> list[Visit]:
    walk.errors.append((visit.node.start_byte, visit.node.end_byte))
    return _visit_children(walk, visit)


def _visit_import(walk: Walk, visit: Visit) -> list[Visit]:
    node, rules = visit.node, walk.rules
    if implied := rules.implied_imports.get(node.type):
        walk.imports.append((node.start_byte, implied))
    for step in rules.imports[node.type]:
        for child in find_all(node, step):
            named = child.child_by_field_name("name") or child
            _note_import(walk, named)
    return _visit_children(walk, visit)


def _note_import(walk: Walk, node: Node) -> None:
    if node.end_byte - node.start_byte <= MAX_NAME:
        text = " ".join(unquoted(walk.text_of(node)).split())
        walk.imports.append((node.start_byte, text))


def _visit_call(walk: Walk, visit: Visit) -> list[Visit]:
    """Note `require('x')`, and what a called word defines."""
    rules = walk.rules
    called = find(visit.node, rules.call[0])
    if called is None or called.end_byte - called.start_byte > MAX_NAME:
        return _visit_children(walk, visit)
    word = walk.text_of(called)
    if word in rules.prefixes:
        return _visit_prefix(walk, visit, word)
    if word in rules.commands:
        return _visit_definition(walk, visit)
    if word in rules.import_calls:
        source = find(visit.node, f"{rules.call[1]} *")
        if source is not None and source.type in rules.import_arguments:
            _note_import(walk, source)
    return _visit_children(walk, visit)


def _visit_wrapper(walk: Walk, visit: Visit) -> list[Visit]:
    """Lend the span to the one thing inside; note what is re-exported.

    Several things in parentheses, and one thing in them, keep their own spans.
    """
    node, rules = visit.node, walk.rules
    if node.type in rules.imports:
        _visit_import(walk, Visit(node, visit.owner))
    if value := node.child_by_field_name(rules.default_value):
        return _bind(walk, visit, "default", value, node)
    aside = rules.decorators | rules.comments | rules.asides
    held = [child for child in node.named_children if child.type not in aside]
    alone = len(held) == 1 and not any(child.type == "(" for child in node.children)
    outer = (visit.outer or node) if alone else None
    return _visit_children(walk, visit, outer=outer)


def _visit_binding(walk: Walk, visit: Visit) -> list[Visit]:
    name_place, value_place = walk.rules.bindings[visit.node.type]
    name_node = find(visit.node, name_place)
    value = find(visit.node, value_place)
    if name_node is None or value is None:
        return _visit_children(walk, visit)
    name = bound_name(walk.data, walk.rules, name_node)
    outer = visit.outer or visit.node
    return _bind(walk, visit, name, value, outer)


def _bind(
    walk: Walk, visit: Visit, name: str | None, value: Node, outer: Node
) -> list[Visit]:
    """Make a symbol of a function or class bound to a name, or go on inside."""
    core = _seen_through(walk, value)
    if core.type in walk.rules.containers and name is not None:
        prefix = visit.owner.prefix
        if name not in ("", "default"):
            prefix = _qualified(visit.owner, name)
        owner = visit.owner._replace(prefix=prefix, kind=None)
        return _visit_children(walk, Visit(core, owner))
    kind = walk.rules.values.get(core.type)
    if kind is None or name is None or _is_local_line(walk, visit, outer):
        return _visit_children(walk, visit)
    decorators = (*visit.decorators, *_own_decorators(walk, visit.node))
    owner = _define(walk, visit, name or "default", kind, outer, core, decorators)
    return _visit_children(walk, Visit(core, owner))


def _visit_prefix(walk: Walk, visit: Visit, word: str = "") -> list[Visit]:
    """Lengthen the names inside by the name of the type they belong to."""
    place = walk.rules.prefixes[word or visit.node.type]
    return _lengthen(walk, visit, name_at(walk.data, walk.rules, visit.node, place))


def _lengthen(walk: Walk, visit: Visit, name: str) -> list[Visit]:
    if not name:
        return _visit_children(walk, visit)
    prefix = _qualified(visit.owner, name)
    owner = Owner(prefix=prefix, symbol=prefix, kind=ChunkKind.CLASS)
    return _visit_children(walk, visit, owner)


def _visit_definition(walk: Walk, visit: Visit) -> list[Visit]:
    node, rules = visit.node, walk.rules
    qualifier, name = declared_name(walk.data, rules, node)
    if not name or not _is_whole(walk, visit):
        return _visit_inside(walk, visit, visit.owner)
    kind = _kind_of(walk, node)
    if kind is None:
        return _lengthen(walk, visit, name)
    if qualifier:
        visit = visit._replace(owner=_attached(walk, visit.owner, qualifier))
    outer = visit.outer or node
    if kind is ChunkKind.PROPERTY and not _has_code(walk, outer, node):
        return _visit_inside(walk, visit, visit.owner)
    decorators = (*visit.decorators, *_own_decorators(walk, node))
    owner = _define(walk, visit, name, kind, outer, node, decorators)
    return _visit_inside(walk, visit, owner)


def _visit_inside(walk: Walk, visit: Visit, owner: Owner) -> list[Visit]:
    visits = _visit_children(walk, Visit(visit.node, owner))
    if visit.tail is not None:
        visits.append(Visit(visit.tail, owner))
    return visits


def _is_whole(walk: Walk, visit: Visit) -> bool:
    """Tell whether a definition has what it must have and lies where it may."""
    node, rules = visit.node, walk.rules
    if node.type in rules.shallow and visit.owner.kind in _FUNCTION_KINDS:
        return False
    place = rules.required.get(node.type)
    return place is None or find(node, place) is not None


def _kind_of(walk: Walk, node: Node) -> ChunkKind | None:
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


def _attached(walk: Walk, owner: Owner, qualifier: str) -> Owner:
    """Return the owner of a function that names its type (Go, C++, Kotlin)."""
    prefix = _qualified(owner, qualifier)
    return Owner(prefix=prefix, symbol=prefix, kind=walk.rules.attached or owner.kind)


def _has_code(walk: Walk, outer: Node, node: Node) -> bool:
    """Tell whether a property is more than its declaration: it is computed."""
    return not _is_one_line(walk, outer) and body_of(walk.rules, node) is not None


def _own_decorators(walk: Walk, node: Node) -> list[Node]:
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


def _define(
    walk: Walk,
    visit: Visit,
    name: str,
    kind: ChunkKind,
    outer: Node,
    core: Node,
    decorators: tuple[Node, ...],
) -> Owner:
    """Note a symbol and return it as the owner of what is inside.

    A type without members, a macro and a property own nothing.
    """
    if kind is ChunkKind.FUNCTION and visit.owner.kind in _TYPE_KINDS:
        kind = ChunkKind.METHOD
    qualified = _qualified(visit.owner, name)
    walk.definitions.append(
        Definition(
            qualified,
            kind,
            outer,
            core,
            decorators,
            visit.owner.symbol,
            last=visit.tail or outer,
        )
    )
    if kind in _LEAF_KINDS:
        return visit.owner
    return Owner(prefix=qualified, symbol=qualified, kind=kind)


def _qualified(owner: Owner, name: str) -> str:
    return (f"{owner.prefix}.{name}" if owner.prefix else name)[:MAX_NAME]


def body_of(rules: LanguageRules, node: Node) -> Node | None:
    """Return the body of a definition: its field, or the child that is one."""
    if found := node.child_by_field_name("body"):
        return found
    if not rules.bodies:
        return None
    return next((one for one in node.named_children if one.type in rules.bodies), None)


def _seen_through(walk: Walk, value: Node) -> Node:
    """Return the node inside parentheses, casts and calls such as `memo(...)`."""
    rules = walk.rules
    node = value
    while True:
        inner = None
        if node.type in rules.transparent:
            inner = node.named_child(0)
        elif node.type in rules.calls:
            inner = _wrapped_argument(walk, node)
        if inner is None:
            return node
        node = inner


def _wrapped_argument(walk: Walk, call: Node) -> Node | None:
    function, arguments = (find(call, place) for place in walk.rules.call)
    if function is None or arguments is None:
        return None
    if function.end_byte - function.start_byte > MAX_NAME:
        return None
    called = walk.text_of(function).rpartition(".")[2]
    return arguments.named_child(0) if called in walk.rules.transparent_calls else None


def _is_local_line(walk: Walk, visit: Visit, outer: Node) -> bool:
    """Tell whether it is a helper of one line inside a function: not a symbol."""
    return visit.owner.kind in _FUNCTION_KINDS and _is_one_line(walk, outer)


def _is_one_line(walk: Walk, node: Node) -> bool:
    return walk.line_of(node.start_byte) == walk.line_of(node.end_byte - 1)
