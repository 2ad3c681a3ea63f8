"""What the walk must know of one grammar: one record a language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from indexer.pipeline.types import ChunkKind


def words(names: str) -> frozenset[str]:
    """Return the words of a string, as a set."""
    return frozenset(names.split())


def kinds(**names: str) -> dict[str, ChunkKind]:
    """Return node types with their kind: `kinds(method="a b")`; `class_` for class."""
    return {
        node: ChunkKind(kind.rstrip("_"))
        for kind, nodes in names.items()
        for node in nodes.split()
    }


def restart(pattern: str) -> re.Pattern[bytes]:
    """Return the pattern of a line at which a definition may begin."""
    return re.compile(pattern.encode(), re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """Data for the walk; all names are node or field types of the grammar.

    A *place* says where in a node something stands: steps separated by blanks,
    each a field or else the type of a named child (`*` the first, `*a` the first if
    it is an `a`), and alternatives separated by `|`, the first that is there counts.

    Symbols. `definitions` become symbols of their kind, a function directly inside
    a type a method; `refined` changes the kind by the type of a child, None makes
    it a prefix. `required` must have something at the place, `shallow` must not
    lie in a function. `prefixes` only lengthen the names inside them (Rust's impl)
    by the name at a place; they are node types or called words.
    `values` become symbols only when bound to a name: `bindings` are places of
    name and value, the value seen through the `transparent` nodes and calls of
    `transparent_calls`; `containers` then only lengthen the names inside them.
    `commands` are called words that define (`defmodule`).
    `signatures` are heads without a body: symbols only where nothing implements
    them. `clauses` are pieces of one symbol where they follow each other under one
    name. What stands under `#if 0` is not read where it is `preprocessed`.

    Names. `names` are the places of a name by node type, else `name`. `descent`
    are the places of the name proper inside a node that stands for a name
    (declarators, generics), `scopes` the place of its qualifier. `name_heads` go
    before the name, `spelled` are put together from the text of children, or what
    stands for it, `fixed_names` stand where there is none. `odd_names` are node
    types whose text is a name whatever it looks like, with `joint` for its `::`.
    `reserved` are names that only misread code has. `receivers` are places of the
    type a function belongs to, `attached` is the kind of what is written before a
    name. `dropped_names` are no part of a bound name.

    Spans. `wrappers` lend their span to the one thing they hold beside `asides`, or
    to the value in their field `default_value`. `decorated` may hold decorators as
    siblings of what they decorate, `modifiers` hold them inside it; where there are
    `decorator_words` they begin with one. `tails` after a sibling in `decorated`
    belong to it (Dart's bodies). `docs` are places of documentation in a definition
    or its decorators, where comments have none. `bodies` are body nodes without a
    `body` field. `end_marker` is text with the name that may follow a definition and
    belongs to it (Scala). `blocks` are where a long body may be cut.

    Imports. `imports` map a node to the fields or child types that hold module
    names; a call of `import_calls` has one, of a type in `import_arguments`, as its
    first argument. `call` are the places of a call's word and arguments.

    `restart` is the line at which reading goes on after a syntax error, `opening`
    what must stand before it. `grammar` is the pack's name where it is not
    `language`. `sample` and `sample_symbols` are for the self-test.
    """

    language: str
    definitions: Mapping[str, ChunkKind]
    blocks: frozenset[str]
    restart: re.Pattern[bytes]
    sample: str
    sample_symbols: tuple[str, ...]
    grammar: str = ""
    opening: bytes = b""
    values: Mapping[str, ChunkKind] = field(default_factory=dict)
    bindings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    refined: Mapping[str, Mapping[str, ChunkKind | None]] = field(default_factory=dict)
    required: Mapping[str, str] = field(default_factory=dict)
    shallow: frozenset[str] = frozenset()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, ChunkKind] = field(default_factory=dict)
    preprocessed: bool = False
    clauses: frozenset[str] = frozenset()
    name: str = "name"
    names: Mapping[str, str] = field(default_factory=dict)
    descent: Mapping[str, str] = field(default_factory=dict)
    scopes: Mapping[str, str] = field(default_factory=dict)
    name_heads: Mapping[str, str] = field(default_factory=dict)
    spelled: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    fixed_names: Mapping[str, str] = field(default_factory=dict)
    odd_names: frozenset[str] = frozenset()
    joint: str = "."
    reserved: frozenset[str] = frozenset()
    receivers: Mapping[str, str] = field(default_factory=dict)
    attached: ChunkKind | None = None
    containers: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset({"parenthesized_expression"})
    transparent_calls: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    asides: frozenset[str] = frozenset()
    default_value: str = "absent"
    decorated: frozenset[str] = frozenset()
    decorators: frozenset[str] = frozenset({"decorator"})
    decorator_words: tuple[str, ...] = ()
    modifiers: frozenset[str] = frozenset()
    tails: frozenset[str] = frozenset()
    docs: str = ""
    bodies: frozenset[str] = frozenset()
    end_marker: re.Pattern[bytes] | None = None
    comments: frozenset[str] = frozenset({"comment"})
    calls: frozenset[str] = frozenset()
    call: tuple[str, str] = ("function", "arguments")
    import_calls: frozenset[str] = frozenset()
    import_arguments: frozenset[str] = frozenset({"string"})
    implied_imports: Mapping[str, str] = field(default_factory=dict)
    docstrings: frozenset[str] = frozenset()
    signatures: frozenset[str] = frozenset()
    signature_decorators: frozenset[str] = frozenset()
    dropped_names: frozenset[str] = frozenset()
