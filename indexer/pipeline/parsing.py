"""Parsing: the definitions of a file, by one iterative walk over its syntax tree.

The only module that knows tree-sitter. Nothing here recurses on user input,
climbs to a parent or prints a tree: each of these kills the process on deeply
nested files. Offsets are bytes of the normalised text; lines come from byte
offsets, since many nodes end on a later row than their last token.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from itertools import accumulate
from typing import NamedTuple

from tree_sitter import Node, Parser
from tree_sitter_language_pack import get_parser

from indexer.pipeline.comments import (
    Comment,
    CommentRun,
    clean_docstring,
    is_licence,
    join_runs,
)
from indexer.pipeline.languages import RULES, LanguageRules
from indexer.pipeline.types import ChunkKind, ParsedFile, Symbol

MAX_NAME = 255  # characters of a qualified name; deep nesting would make it quadratic
MAX_SIGNATURE = 1000  # characters; a longer head is a literal or generated
MAX_DECORATOR = 300  # characters, for the same reason

MAX_RESTARTS = 20  # per file; a file with more errors is in another language
MAX_REREAD = 512 * 1024  # bytes per file; damaged text parses at 1 MB/s or less

MIN_BREAKABLE = 1000  # bytes; a shorter body fits every model uncut
MIN_NESTED = 800  # bytes; a shorter statement is not worth cutting inside
MAX_BREAK_DEPTH = 8  # blocks in blocks; deeper nesting would make it quadratic

_TYPE_KINDS = frozenset({ChunkKind.CLASS, ChunkKind.INTERFACE, ChunkKind.ENUM})
_PLAIN_NAME = re.compile(r"[\w$#@][\w$#@.]*\Z")


class GrammarError(RuntimeError):
    """A grammar is missing or its node types are not those of our rules."""


class _Owner(NamedTuple):
    """What encloses a node: `prefix` of names, the symbol, and what kind it is."""

    prefix: str = ""
    symbol: str | None = None
    kind: ChunkKind | None = None


class _Visit(NamedTuple):
    """A node to look at; `outer` is the wrapper whose span it would take."""

    node: Node
    owner: _Owner
    outer: Node | None = None
    decorators: tuple[Node, ...] = ()


class _Definition(NamedTuple):
    """A symbol found: `outer` has its span, `core` its parameters and body."""

    name: str
    kind: ChunkKind
    outer: Node
    core: Node
    decorators: tuple[Node, ...]
    parent: str | None


@dataclass(frozen=True, slots=True)
class _Walk:
    """One file under the walk, and what was found so far."""

    data: bytes
    rules: LanguageRules
    starts: Sequence[int]  # byte of each line's start
    definitions: list[_Definition] = field(default_factory=list)
    comments: list[Node] = field(default_factory=list)
    imports: list[tuple[int, str]] = field(default_factory=list)
    errors: list[tuple[int, int]] = field(default_factory=list)

    def line_of(self, byte: int) -> int:
        """Return the line that holds `byte`."""
        return bisect_right(self.starts, byte)

    def text_of(self, node: Node) -> str:
        """Return the node's text; slices bytes, then decodes."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def begins_line(self, byte: int) -> bool:
        """Tell whether only blanks stand before `byte` on its line."""
        return not self.data[self.starts[self.line_of(byte) - 1] : byte].strip()


_Handler = Callable[[_Walk, _Visit], list[_Visit]]


def parse(text: str, language: str) -> ParsedFile:
    """Return the symbols, documentation, imports and unread lines of a file.

    Raises GrammarError for a language without rules or without its grammar.
    """
    data = text.encode("utf-8")
    root = _parser(language).parse(data).root_node
    walk = _walk(root, data, RULES[language])
    if walk.errors:
        _read_on(walk)
    runs = join_runs(_own_comments(walk))
    trailing = {node.end_byte: node.start_byte for node in walk.comments}
    documented = {run.last_line: run for run in runs}
    symbols = [
        _symbol(walk, found, documented, trailing)
        for found in _without_signatures(walk, walk.definitions)
    ]
    symbols.sort(key=lambda one: (one.start_byte, -one.end_byte, one.name))
    return ParsedFile(
        language=language,
        symbols=tuple(symbols),
        doc=_module_doc(walk, root, runs, symbols),
        imports=tuple(dict.fromkeys(name for _, name in sorted(walk.imports))),
        unparsed=_line_ranges(walk),
    )


def grammars_version() -> str:
    """Return the version of the package that holds the grammars."""
    return version("tree-sitter-language-pack")


def self_test() -> None:
    """Parse one sample per language. Raises GrammarError naming what is wrong."""
    for language, rules in RULES.items():
        found = parse(rules.sample, language)
        names = [symbol.name for symbol in found.symbols]
        if found.unparsed or names != list(rules.sample_symbols):
            raise GrammarError(
                f"The {language} grammar has changed: {names} found in its sample, "
                f"{list(rules.sample_symbols)} expected; install "
                "tree-sitter-language-pack==0.13.0."
            )


@cache
def _parser(language: str) -> Parser:
    if language not in RULES:
        raise GrammarError(f"{language!r} has no rules: use one of {sorted(RULES)}.")
    try:
        # The pack's names are a Literal type; ours are checked by `self_test`.
        return get_parser(language)  # type: ignore[arg-type]
    except Exception as error:  # the pack raises what its loader raises
        raise GrammarError(
            f"The {language} grammar is missing ({error}): install "
            "tree-sitter-language-pack==0.13.0."
        ) from error


def _walk(root: Node, data: bytes, rules: LanguageRules) -> _Walk:
    lines = data.split(b"\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines[:-1])]
    walk = _Walk(data=data, rules=rules, starts=starts)
    handlers = _handlers(rules.language)
    stack = [_Visit(root, _Owner())]
    while stack:
        visit = stack.pop()
        handler = handlers.get(visit.node.type)
        if handler is None:
            owner = visit.owner
            stack.extend([_Visit(node, owner) for node in visit.node.named_children])
        else:
            stack.extend(handler(walk, visit))
    return walk


def _read_on(walk: _Walk) -> None:
    """Read what a syntax error swallowed: one open bracket takes the whole rest.

    From the next line of an error at which a definition begins, the text is
    parsed again without what stands before it.
    """
    waiting = _outermost(walk.errors)[::-1]
    walk.errors.clear()
    restarts = reread = 0
    while waiting:
        start, end = waiting.pop()
        found = walk.rules.restart.search(walk.data, start + 1, end)
        reread += end - found.start() if found else 0
        if found is None or restarts == MAX_RESTARTS or reread > MAX_REREAD:
            walk.errors.append((start, end))
            continue
        restarts += 1
        # Blanks in place of what is left out keep every offset and line.
        blank = re.sub(rb"[^\n]", b" ", walk.data[: found.start()])
        again = blank + walk.data[found.start() : end]
        root = _parser(walk.rules.language).parse(again).root_node
        fresh = _walk(root, walk.data, walk.rules)
        _replace_from(walk, fresh, found.start(), end)
        walk.errors.append((start, len(walk.data[: found.start()].rstrip())))
        waiting += _outermost(fresh.errors)[::-1]


def _replace_from(walk: _Walk, fresh: _Walk, start: int, end: int) -> None:
    """Put what was found again in place of what was found there before."""
    walk.definitions[:] = [
        one for one in walk.definitions if not start <= one.outer.start_byte < end
    ]
    walk.comments[:] = [
        node for node in walk.comments if not start <= node.start_byte < end
    ]
    walk.definitions.extend(fresh.definitions)
    walk.comments.extend(fresh.comments)
    walk.imports.extend(fresh.imports)


def _outermost(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges that lie in no other, in order."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(ranges, key=lambda one: (one[0], -one[1])):
        if not kept or end > kept[-1][1]:
            kept.append((start, end))
    return kept


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
        (rules.definitions, _visit_definition),
        (rules.values, _visit_definition),
        (rules.wrappers, _visit_wrapper),
        (("ERROR",), _visit_error),
    ]
    return {kind: handler for kinds, handler in roles for kind in kinds}


def _visit_children(
    walk: _Walk, visit: _Visit, owner: _Owner | None = None, outer: Node | None = None
) -> list[_Visit]:
    """Go on to the children; decorators go with the sibling they stand before."""
    rules = walk.rules
    visits = []
    pending: tuple[Node, ...] = ()
    for node in visit.node.named_children:
        if node.type in rules.decorators:
            pending = (*pending, node)
        elif node.type not in rules.comments:
            decorators = (*visit.decorators, *pending) if outer else pending
            visits.append(_Visit(node, owner or visit.owner, outer, decorators))
            pending = ()
            continue
        visits.append(_Visit(node, owner or visit.owner))
    return visits


def _visit_comment(walk: _Walk, visit: _Visit) -> list[_Visit]:
    walk.comments.append(visit.node)
    return []


def _visit_error(walk: _Walk, visit: _Visit) -> list[_Visit]:
    walk.errors.append((visit.node.start_byte, visit.node.end_byte))
    return _visit_children(walk, visit)


def _visit_import(walk: _Walk, visit: _Visit) -> list[_Visit]:
    node, rules = visit.node, walk.rules
    if implied := rules.implied_imports.get(node.type):
        walk.imports.append((node.start_byte, implied))
    for field_name in rules.imports[node.type]:
        for child in node.children_by_field_name(field_name):
            named = child.child_by_field_name("name") or child
            walk.imports.append((named.start_byte, _unquoted(walk.text_of(named))))
    return _visit_children(walk, visit)


def _visit_call(walk: _Walk, visit: _Visit) -> list[_Visit]:
    """Note `require('x')` and `import('x')`."""
    function = visit.node.child_by_field_name("function")
    arguments = visit.node.child_by_field_name("arguments")
    if function and arguments and arguments.named_child_count:
        source = arguments.named_child(0)
        if (
            source is not None
            and source.type == "string"
            and function.end_byte - function.start_byte <= MAX_NAME
            and walk.text_of(function) in walk.rules.import_calls
        ):
            walk.imports.append((source.start_byte, _unquoted(walk.text_of(source))))
    return _visit_children(walk, visit)


def _visit_wrapper(walk: _Walk, visit: _Visit) -> list[_Visit]:
    """Lend the span to the one thing inside; note what is re-exported."""
    node, rules = visit.node, walk.rules
    if node.type in rules.imports:
        _visit_import(walk, _Visit(node, visit.owner))
    if value := node.child_by_field_name("value"):
        return _bind(walk, visit, "default", value, node)
    held = [
        child
        for child in node.named_children
        if child.type not in rules.decorators and child.type not in rules.comments
    ]
    outer = (visit.outer or node) if len(held) == 1 else None
    return _visit_children(walk, visit, outer=outer)


def _visit_binding(walk: _Walk, visit: _Visit) -> list[_Visit]:
    name_field, value_field = walk.rules.bindings[visit.node.type]
    name_node = visit.node.child_by_field_name(name_field)
    value = visit.node.child_by_field_name(value_field)
    if name_node is None or value is None:
        return _visit_children(walk, visit)
    name = _name_of(walk, name_node)
    outer = visit.outer or visit.node
    return _bind(walk, visit, name, value, outer)


def _bind(
    walk: _Walk, visit: _Visit, name: str | None, value: Node, outer: Node
) -> list[_Visit]:
    """Make a symbol of a function or class bound to a name, or go on inside."""
    core = _seen_through(walk, value)
    if core.type in walk.rules.containers and name is not None:
        prefix = visit.owner.prefix
        if name not in ("", "default"):
            prefix = _qualified(visit.owner, name)
        owner = visit.owner._replace(prefix=prefix, kind=None)
        return _visit_children(walk, _Visit(core, owner))
    kind = walk.rules.values.get(core.type)
    if kind is None or name is None or _is_local_line(walk, visit, outer):
        return _visit_children(walk, visit)
    own = [
        node for node in visit.node.named_children if node.type in walk.rules.decorators
    ]
    decorators = (*visit.decorators, *own)
    owner = _define(walk, visit, name or "default", kind, outer, core, decorators)
    return _visit_children(walk, _Visit(core, owner))


def _visit_definition(walk: _Walk, visit: _Visit) -> list[_Visit]:
    node, rules = visit.node, walk.rules
    names = (node.child_by_field_name(name) for name in rules.name_fields)
    name_node = next((found for found in names if found is not None), None)
    name = _name_of(walk, name_node) if name_node else None
    if not name:
        return _visit_children(walk, visit)
    kind = rules.definitions.get(node.type) or rules.values[node.type]
    own = [child for child in node.named_children if child.type in rules.decorators]
    decorators = (*visit.decorators, *own)
    owner = _define(walk, visit, name, kind, visit.outer or node, node, decorators)
    return _visit_children(walk, _Visit(node, owner))


def _define(
    walk: _Walk,
    visit: _Visit,
    name: str,
    kind: ChunkKind,
    outer: Node,
    core: Node,
    decorators: tuple[Node, ...],
) -> _Owner:
    """Note a symbol and return it as the owner of what is inside."""
    if kind is ChunkKind.FUNCTION and visit.owner.kind in _TYPE_KINDS:
        kind = ChunkKind.METHOD
    qualified = _qualified(visit.owner, name)
    walk.definitions.append(
        _Definition(qualified, kind, outer, core, decorators, visit.owner.symbol)
    )
    return _Owner(prefix=qualified, symbol=qualified, kind=kind)


def _qualified(owner: _Owner, name: str) -> str:
    return (f"{owner.prefix}.{name}" if owner.prefix else name)[:MAX_NAME]


def _seen_through(walk: _Walk, value: Node) -> Node:
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


def _wrapped_argument(walk: _Walk, call: Node) -> Node | None:
    function = call.child_by_field_name("function")
    arguments = call.child_by_field_name("arguments")
    if function is None or arguments is None:
        return None
    if function.end_byte - function.start_byte > MAX_NAME:
        return None
    called = walk.text_of(function).rpartition(".")[2]
    return arguments.named_child(0) if called in walk.rules.transparent_calls else None


def _is_local_line(walk: _Walk, visit: _Visit, outer: Node) -> bool:
    """Tell whether it is a helper of one line inside a function: not a symbol."""
    one_line = walk.line_of(outer.start_byte) == walk.line_of(outer.end_byte - 1)
    return one_line and visit.owner.kind in (ChunkKind.FUNCTION, ChunkKind.METHOD)


def _name_of(walk: _Walk, node: Node) -> str | None:
    """Return a name as it is written, without quotes and without `exports.`.

    None where it is no plain name (a pattern, a subscript), "" where nothing is
    left of it (`module.exports`).
    """
    if node.end_byte - node.start_byte > 4 * MAX_NAME:
        return None
    text = "".join(walk.text_of(node).split("\n"))
    if node.type in ("string", "computed_property_name", "number"):
        return _unquoted(text)
    if not _PLAIN_NAME.match(text):
        return None
    parts = text.split(".")
    if len(parts) > 1:
        parts = [part for part in parts if part not in walk.rules.dropped_names]
    return ".".join(parts)


def _unquoted(text: str) -> str:
    return text.strip().strip("'\"`")


def _without_signatures(
    walk: _Walk, definitions: list[_Definition]
) -> list[_Definition]:
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


def _is_bare(walk: _Walk, found: _Definition) -> bool:
    if found.core.type in walk.rules.signatures:
        return True
    marks = walk.rules.signature_decorators
    return bool(marks) and any(
        walk.text_of(node).strip() in marks for node in found.decorators
    )


def _symbol(
    walk: _Walk,
    found: _Definition,
    documented: dict[int, CommentRun],
    trailing: dict[int, int],
) -> Symbol:
    outer = found.outer
    start = min([outer.start_byte, *(node.start_byte for node in found.decorators)])
    end = _last_token_end(walk, outer, trailing)
    start_line = walk.line_of(start)
    if walk.rules.docstrings:
        doc = _docstring(walk, found.core.child_by_field_name("body"))
    else:
        run = documented.get(start_line - 1)
        doc = run.text if run else None
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
        ),
        parent=found.parent,
        breaks=_breaks(walk, found.core) if end - start > MIN_BREAKABLE else (),
    )


def _last_token_end(walk: _Walk, node: Node, trailing: dict[int, int]) -> int:
    """Return where the last token ends, before blank and comment lines."""
    first, end = node.start_byte, node.end_byte
    while True:
        while end > first + 1 and walk.data[end - 1] in b" \t\n\f\v":
            end -= 1
        start = trailing.get(end)
        if start is None or start <= first or not walk.begins_line(start):
            return end
        end = start


def _signature(walk: _Walk, found: _Definition) -> str:
    """Return the head of a definition on one line, without decorators and body."""
    aside = walk.rules.decorators | walk.rules.comments
    outer, core = found.outer, found.core
    heads = (node.start_byte for node in outer.children if node.type not in aside)
    start = next(heads, outer.start_byte)
    body = core.child_by_field_name("body")
    end = outer.end_byte
    if body is not None:
        before = [
            node.end_byte
            for node in core.children
            if node.end_byte <= body.start_byte and node.type not in aside
        ]
        end = max(before, default=body.start_byte)
    head = walk.data[start : min(end, start + 4 * MAX_SIGNATURE)]
    text = " ".join(head.decode("utf-8", "replace").split())[:MAX_SIGNATURE]
    return re.sub(r"\s*(?::|=>|\{|;)\Z", "", text)


def _docstring(walk: _Walk, body: Node | None) -> str | None:
    """Return the string a body begins with; f and b strings document nothing."""
    if body is None:
        return None
    first = _first_statement(walk, body)
    if first is not None and first.type == "expression_statement":
        first = first.named_child(0)
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


def _first_statement(walk: _Walk, body: Node) -> Node | None:
    # One pass: `named_child(index)` counts from the start at every call.
    code = (
        node for node in body.named_children if node.type not in walk.rules.comments
    )
    return next(code, None)


def _own_comments(walk: _Walk) -> list[Comment]:
    return [
        Comment(
            first_line=walk.line_of(node.start_byte),
            last_line=walk.line_of(max(node.end_byte - 1, node.start_byte)),
            text=walk.text_of(node),
        )
        for node in walk.comments
        if walk.begins_line(node.start_byte)
    ]


def _module_doc(
    walk: _Walk, root: Node, runs: list[CommentRun], symbols: list[Symbol]
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


def _line_ranges(walk: _Walk) -> tuple[tuple[int, int], ...]:
    """Return the lines of the ERROR nodes, joined where they touch."""
    ranges: list[tuple[int, int]] = []
    for start, end in sorted(walk.errors):
        first, last = walk.line_of(start), walk.line_of(max(end - 1, start))
        if ranges and first <= ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], max(last, ranges[-1][1]))
        else:
            ranges.append((first, last))
    return tuple(ranges)


def _breaks(walk: _Walk, core: Node) -> tuple[tuple[int, int], ...]:
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


def _nearest_blocks(walk: _Walk, node: Node) -> list[Node]:
    """Return the outermost blocks inside `node`."""
    blocks = []
    stack = node.named_children
    while stack:
        inner = stack.pop()
        if inner.type in walk.rules.blocks:
            blocks.append(inner)
        elif inner.end_byte - inner.start_byte > 2:
            stack.extend(inner.named_children)
    return blocks
