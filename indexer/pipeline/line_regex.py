"""Line patterns: what a regex over lines, in place of a parser, finds of the functions.

One classic pattern a language, of those where such a pattern is in common use. What it
does not see (arrow functions, methods, receivers, type parameters) is what a parser is
for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from indexer.pipeline.types import ChunkKind

_FUNCTION = r"\bfunction\s+([\w$]+)\s*\("
_DEF = r"\bdef\s+(\w+)\s*\("
_FUN = r"\bfun\s+(\w+)\s*\("

# The pattern of a line that begins a function, by language; its group is the name.
PATTERNS = {
    "javascript": _FUNCTION,
    "typescript": _FUNCTION,
    "tsx": _FUNCTION,
    "vue": _FUNCTION,
    "svelte": _FUNCTION,
    "php": _FUNCTION,
    "lua": _FUNCTION,
    "python": _DEF,
    "ipynb": _DEF,
    "scala": _DEF,
    "ruby": r"\bdef\s+(\w+[?!=]?)",
    "go": r"\bfunc\s+(\w+)\s*\(",
    "swift": r"\bfunc\s+(\w+)\s*\(",
    "rust": r"\bfn\s+(\w+)\s*\(",
    "zig": r"\bfn\s+(\w+)\s*\(",
    "kotlin": _FUN,
    "bash": r"(\w+)\s*\(\)",
}
_SCRIPT = frozenset({"javascript", "typescript", "tsx", "vue", "svelte"})
_DECLARED = re.compile(r"^(?:export\s+|default\s+|declare\s+|async\s+)*function\b")
_EXPRESSION = re.compile(r"[=:]\s*(?:async\s+)?function\b")
_COUNTED = frozenset({ChunkKind.FUNCTION, ChunkKind.METHOD})
_SYMBOLS = frozenset(ChunkKind) - {
    ChunkKind.MODULE,
    ChunkKind.SECTION,
    ChunkKind.FILE,
    ChunkKind.WINDOW,
}

FUNCTION_DECLARATION = "function declaration"
ARROW_FUNCTION = "arrow function bound to a name"
FUNCTION_EXPRESSION = "function expression bound to a name"


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol as its chunk tells of it; `signature` is its head, on one line."""

    language: str
    kind: str
    symbol: str
    signature: str


@dataclass(frozen=True, slots=True)
class ShapeCount:
    """How many symbols have a shape, and how many of them the pattern finds.

    `found` is None where no pattern applies: another kind, or no pattern in use.
    """

    language: str
    shape: str
    symbols: int
    found: int | None


def shape_of(definition: Definition) -> str:
    """Return how a symbol is written: its kind, and of JavaScript which of three."""
    if definition.kind != ChunkKind.FUNCTION or definition.language not in _SCRIPT:
        return str(definition.kind)
    if _DECLARED.search(definition.signature):
        return FUNCTION_DECLARATION
    if _EXPRESSION.search(definition.signature):
        return FUNCTION_EXPRESSION
    return ARROW_FUNCTION


def is_found(definition: Definition) -> bool | None:
    """Tell whether the pattern of its language finds a function; None where none is."""
    pattern = PATTERNS.get(definition.language)
    if pattern is None or definition.kind not in _COUNTED:
        return None
    name = definition.symbol.rpartition(".")[2]
    return any(match[1] == name for match in re.finditer(pattern, definition.signature))


def count_shapes(definitions: Iterable[Definition]) -> list[ShapeCount]:
    """Return the counts of each shape, by language, the commonest first."""
    symbols: Counter[tuple[str, str]] = Counter()
    found: dict[tuple[str, str], int] = {}
    for one in definitions:
        if one.kind not in _SYMBOLS:
            continue
        key = (one.language, shape_of(one))
        symbols[key] += 1
        if (is_here := is_found(one)) is not None:
            found[key] = found.get(key, 0) + is_here
    ordered = sorted(symbols, key=lambda key: (key[0], -symbols[key], key[1]))
    return [ShapeCount(*key, symbols[key], found.get(key)) for key in ordered]
