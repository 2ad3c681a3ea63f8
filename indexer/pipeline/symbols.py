"""Symbols: what the walk found, with its lines, signature, documentation and cuts."""

from __future__ import annotations

import re
from collections.abc import Iterable

from indexer.pipeline.comments import (
    Comment,
    CommentRun,
    clean_docstring,
    is_licence,
    join_runs,
)
from indexer.pipeline.definitions import Definition, Walk, body_of
from indexer.pipeline.syntax import Node, find, first_named
from indexer.pipeline.types import Symbol

MAX_SIGNATURE = 1000  # characters; a longer head is a literal or generated
MAX_DECORATOR = 300  # characters, for the same reason

MIN_BREAKABLE = 1000  # bytes; a shorter body fits every model uncut
MIN_NESTED = 800  # bytes; a shorter statement is not worth cutting inside
MAX_BREAK_DEPTH = 8  # blocks in blocks; deeper nesting would make it quadratic

_BLANKS = b" \t\n\f\v"


def make_symbols(walk: Walk, runs: Iterable[CommentRun]) -> list[Symbol]:
    """Return the symbols of a walk, in order of start byte, outer before inner."""
    trailing = {_without_blanks(walk, node): node.start_byte for node in walk.comments}
    documented = {run.last_line: run for run in runs}
    definitions = _joined_clauses(walk, _without_signatures(walk, walk.definitions))
    symbols = [_symbol(walk, found, documented, trailing) for found in definitions]
    symbols.sort(key=lambda one: (one.start_byte, -one.end_byte, one.name))
    return symbols


def join_comments(walk: Walk) -> list[CommentRun]:
    """Return the runs of comments that have their lines to themselves."""
    return join_runs(_own_comments(walk))


def _joined_clauses(walk: Walk, found: list[Definition]) -> list[Definition]:
    """Join the clauses of one function (Haskell, Elixir) that follow each other."""
    clauses = walk.rules.clauses
    if not clauses:
        return found
    kept: list[Definition] = []
    for one in sorted(found, key=lambda one: one.outer.start_byte):
        before = kept[-1] if kept else None
        if (
            before is not None
            and one.core.type in clauses
            and before.core.type in clauses
            and not one.decorators
            and (one.name, one.parent) == (before.name, before.parent)
        ):
            kept[-1] = before._replace(last=one.last)
        else:
            kept.append(one)
    return kept


def _without_signatures(walk: Walk, definitions: list[Definition]) -> list[Definition]:
    """Leave out heads without a body where the same name has one with a body."""
    bare = {index for index, one in enumerate(definitions) if _is_bare(walk, one)}
    if not bare:
        return definitions
    whole = {one.name for index, one in enumerate(definitions) if index not in bare}
    return [
        one
        for index, one in enumerate(definitions)
        if index not in bare or one.name not in whole
    ]


def _is_bare(walk: Walk, found: Definition) -> bool:
    if found.core.type in walk.rules.signatures:
        return True
    marks = walk.rules.signature_decorators
    return bool(marks) and any(
        walk.text_of(node).strip() in marks for node in found.decorators
    )


def _symbol(
    walk: Walk,
    found: Definition,
    documented: dict[int, CommentRun],
    trailing: dict[int, int],
) -> Symbol:
    outer = found.outer
    start = min([outer.start_byte, *(node.start_byte for node in found.decorators)])
    end = _with_marker(walk, found, _last_token_end(walk, found.last, trailing))
    start_line = walk.line_of(start)
    if walk.rules.docstrings:
        doc = _docstring(walk, found.core.child_by_field_name("body"))
    else:
        run = documented.get(start_line - 1)
        doc = run.text if run else _doc_at_place(walk, found)
    return Symbol(
        name=found.name,
        kind=found.kind,
        start_byte=start,
        end_byte=end,
        start_line=start_line,
        end_line=walk.line_of(end - 1),
        signature=_signature(walk, found),
        doc=doc or None,
        decorators=tuple(
            " ".join(walk.text_of(node).split())[:MAX_DECORATOR]
            for node in found.decorators
            if not walk.rules.docs or find(node, walk.rules.docs) is None
        ),
        parent=found.parent,
        breaks=_breaks(walk, found.core) if end - start > MIN_BREAKABLE else (),
    )


def _last_token_end(walk: Walk, node: Node, trailing: dict[int, int]) -> int:
    """Return where the last token ends, before blank and comment lines."""
    first, end = node.start_byte, node.end_byte
    while True:
        while end > first + 1 and walk.data[end - 1] in _BLANKS:
            end -= 1
        start = trailing.get(end)
        if start is None or start <= first or not walk.begins_line(start):
            return end
        end = start


def _with_marker(walk: Walk, found: Definition, end: int) -> int:
    """Return where a definition ends with its `end name`."""
    if walk.rules.end_marker is None:
        return end
    marker = walk.rules.end_marker.match(walk.data, end)
    name = found.name.rpartition(".")[2].encode()
    return marker.end() if marker and marker[1] == name else end


def _without_blanks(walk: Walk, node: Node) -> int:
    """Return where a comment ends; Rust's documentation takes its line end along."""
    end = node.end_byte
    while end > node.start_byte and walk.data[end - 1] in _BLANKS:
        end -= 1
    return end


def _signature(walk: Walk, found: Definition) -> str:
    """Return the head of a definition on one line, without decorators and body."""
    aside = walk.rules.decorators | walk.rules.comments
    outer, core = found.outer, found.core
    heads = (node.start_byte for node in outer.children if node.type not in aside)
    start = next(heads, outer.start_byte)
    for decorator in found.decorators:  # those among the modifiers, as Java's
        between = walk.data[start : decorator.start_byte]
        if decorator.start_byte >= start and not between.strip():
            start = decorator.end_byte
    body = body_of(walk.rules, core)
    end = outer.end_byte
    if core.type in walk.rules.bodies and core.start_byte > start:
        end = core.start_byte
    if body is not None and body.start_byte > start:
        before = [
            node.end_byte
            for node in core.children
            if node.end_byte <= body.start_byte and node.type not in aside
        ]
        end = max(before, default=body.start_byte)
    head = walk.data[start : min(end, start + 4 * MAX_SIGNATURE)]
    text = " ".join(head.decode("utf-8", "replace").split())[:MAX_SIGNATURE]
    return re.sub(r"\s*(?::|=>|=|\{|;)\Z", "", text)


def _doc_at_place(walk: Walk, found: Definition) -> str | None:
    """Return documentation that is code: Elixir's `@doc` and `@moduledoc`."""
    if not walk.rules.docs:
        return None
    for node in (*found.decorators, found.core):
        if place := find(node, walk.rules.docs):
            return clean_docstring(walk.text_of(place))
    return None


def _docstring(walk: Walk, body: Node | None) -> str | None:
    """Return the string a body begins with; f and b strings document nothing."""
    if body is None:
        return None
    first = _first_statement(walk, body)
    if first is not None and first.type == "expression_statement":
        first = first_named(first)
    if first is None or first.type not in walk.rules.docstrings:
        return None
    pieces = [first] if first.type == "string" else first.named_children
    texts = []
    for piece in pieces:
        opening, closing = piece.child(0), piece.child(piece.child_count - 1)
        if opening is None or closing is None or piece.type in walk.rules.comments:
            continue
        if {"f", "b"} & set(walk.text_of(opening).lower()):
            return None
        content = walk.data[opening.end_byte : closing.start_byte]
        texts.append(content.decode("utf-8", "replace"))
    return clean_docstring("".join(texts)) or None


def _first_statement(walk: Walk, body: Node) -> Node | None:
    # One pass: `named_child(index)` counts from the start at every call.
    code = (
        node for node in body.named_children if node.type not in walk.rules.comments
    )
    return next(code, None)


def _own_comments(walk: Walk) -> list[Comment]:
    return [
        Comment(
            first_line=walk.line_of(node.start_byte),
            last_line=walk.line_of(max(node.end_byte - 1, node.start_byte)),
            text=walk.text_of(node).rstrip(),
        )
        for node in walk.comments
        if walk.begins_line(node.start_byte)
    ]


def module_doc(
    walk: Walk, root: Node, runs: list[CommentRun], symbols: list[Symbol]
) -> str | None:
    """Return the module's docstring, else the comment its file begins with.

    A licence notice is passed over, and so is the first symbol's own comment.
    """
    if walk.rules.docstrings and (doc := _docstring(walk, root)):
        return doc
    kinds = ("hash_bang_line", *walk.rules.comments)
    code = (node for node in root.named_children if node.type not in kinds)
    first = next((walk.line_of(node.start_byte) for node in code), len(walk.starts) + 1)
    documents_symbol = bool(symbols) and symbols[0].start_line == first
    for run in runs:
        if run.first_line >= first:
            break
        if documents_symbol and run.last_line == first - 1:
            break
        if run.text and not is_licence(run.text):
            return run.text
    return None


def _breaks(walk: Walk, core: Node) -> tuple[tuple[int, int], ...]:
    """Return where a long body may be cut: the statements of its blocks."""
    found: list[tuple[int, int]] = []
    work = [(block, 0) for block in _nearest_blocks(walk, core)]
    while work:
        block, depth = work.pop()
        after_comment = False
        for node in block.named_children:
            if not after_comment and walk.begins_line(node.start_byte):
                found.append((node.start_byte, depth))
            # A comment and what it speaks of stay together.
            after_comment = node.type in walk.rules.comments
            if node.end_byte - node.start_byte > MIN_NESTED and depth < MAX_BREAK_DEPTH:
                work.extend((inner, depth + 1) for inner in _nearest_blocks(walk, node))
    return tuple(sorted(found))


def _nearest_blocks(walk: Walk, node: Node) -> list[Node]:
    """Return the outermost blocks inside `node`."""
    blocks = []
    stack = list(node.named_children)
    while stack:
        inner = stack.pop()
        if inner.type in walk.rules.blocks:
            blocks.append(inner)
        elif inner.end_byte - inner.start_byte > 2:
            stack.extend(inner.named_children)
    return blocks
