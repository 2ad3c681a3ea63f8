"""Walk: the definitions, comments, imports and errors of one syntax tree.

One iterative walk for all languages: what is special about one is in its rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from indexer.pipeline.definitions import (
    FUNCTION_KINDS,
    Definition,
    Owner,
    Walk,
    attached_to,
    has_code,
    is_decorator,
    is_one_line,
    is_whole,
    kind_of,
    own_decorators,
    qualified_name,
)
from indexer.pipeline.naming import (
    MAX_NAME,
    bound_name,
    declared_name,
    name_at,
    unquoted,
)
from indexer.pipeline.rules import RULES, LanguageRules
from indexer.pipeline.syntax import Node, find, find_all, first_named
from indexer.pipeline.types import ChunkKind

_TYPE_KINDS = frozenset({ChunkKind.CLASS, ChunkKind.INTERFACE, ChunkKind.ENUM})
_LEAF_KINDS = frozenset({ChunkKind.TYPE, ChunkKind.MACRO, ChunkKind.PROPERTY})


class Visit(NamedTuple):
    """A node to look at; `outer` is the wrapper whose span it would take.

    `tail` is the sibling that is its body.
    """

    node: Node
    owner: Owner
    outer: Node | None = None
    decorators: tuple[Node, ...] = ()
    tail: Node | None = None


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
            continue
        plain = [node]  # Most nodes are only walked through, and have none inside.
        while plain:
            for child in plain.pop().named_children:
                if child.type in handlers:
                    stack.append(Visit(child, owner))
                elif child.named_child_count:
                    plain.append(child)
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
        if node.type in rules.tails and visits and _takes_tail(rules, visits[-1]):
            visits[-1] = visits[-1]._replace(tail=node)
        elif node.type in rules.comments:
            visits.append(Visit(node, owner or visit.owner))
        elif is_decorator(walk, node):
            pending = (*pending, node)
            visits.append(Visit(node, owner or visit.owner))
        else:
            decorators = (*visit.decorators, *pending) if outer else pending
            visits.append(Visit(node, owner or visit.owner, outer, decorators, tail))
            pending = ()
    return visits


def _takes_tail(rules: LanguageRules, visit: Visit) -> bool:
    kind = visit.node.type
    return kind in rules.definitions or kind in rules.wrappers


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
    if not alone:
        return _visit_inside(walk, visit, visit.owner)
    return _visit_children(walk, visit, outer=visit.outer or node)


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
            prefix = qualified_name(visit.owner, name)
        owner = visit.owner._replace(prefix=prefix, kind=None)
        return _visit_children(walk, Visit(core, owner))
    kind = walk.rules.values.get(core.type)
    if kind is None or name is None or _is_local_line(walk, visit, outer):
        return _visit_children(walk, visit)
    decorators = (*visit.decorators, *own_decorators(walk, visit.node))
    owner = _define(walk, visit, name or "default", kind, outer, core, decorators)
    return _visit_children(walk, Visit(core, owner))


def _visit_prefix(walk: Walk, visit: Visit, word: str = "") -> list[Visit]:
    """Lengthen the names inside by the name of the type they belong to."""
    place = walk.rules.prefixes[word or visit.node.type]
    return _lengthen(walk, visit, name_at(walk.data, walk.rules, visit.node, place))


def _lengthen(walk: Walk, visit: Visit, name: str) -> list[Visit]:
    if not name:
        return _visit_children(walk, visit)
    prefix = qualified_name(visit.owner, name)
    owner = Owner(prefix=prefix, symbol=prefix, kind=ChunkKind.CLASS)
    return _visit_children(walk, visit, owner)


def _visit_definition(walk: Walk, visit: Visit) -> list[Visit]:
    node, rules = visit.node, walk.rules
    qualifier, name = declared_name(walk.data, rules, node)
    if not name or not is_whole(walk, node, visit.owner):
        return _visit_inside(walk, visit, visit.owner)
    kind = kind_of(walk, node)
    if kind is None:
        return _lengthen(walk, visit, name)
    if qualifier:
        visit = visit._replace(owner=attached_to(walk, visit.owner, qualifier))
    outer = visit.outer or node
    if kind is ChunkKind.PROPERTY and not has_code(walk, outer, node):
        return _visit_inside(walk, visit, visit.owner)
    decorators = (*visit.decorators, *own_decorators(walk, node))
    owner = _define(walk, visit, name, kind, outer, node, decorators)
    return _visit_inside(walk, visit, owner)


def _visit_inside(walk: Walk, visit: Visit, owner: Owner) -> list[Visit]:
    visits = _visit_children(walk, Visit(visit.node, owner))
    if visit.tail is not None:
        visits.append(Visit(visit.tail, owner))
    return visits


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
    qualified = qualified_name(visit.owner, name)
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


def _seen_through(walk: Walk, value: Node) -> Node:
    """Return the node inside parentheses, casts and calls such as `memo(...)`."""
    rules = walk.rules
    node = value
    while True:
        inner = None
        if node.type in rules.transparent:
            inner = first_named(node)
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
    return first_named(arguments) if called in walk.rules.transparent_calls else None


def _is_local_line(walk: Walk, visit: Visit, outer: Node) -> bool:
    """Tell whether it is a helper of one line inside a function: not a symbol."""
    return visit.owner.kind in FUNCTION_KINDS and is_one_line(walk, outer)
