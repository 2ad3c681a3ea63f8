"""Parsing: the definitions of a file, by one iterative walk over its syntax tree.

The only module that knows tree-sitter; it is imported with the first grammar.
Nothing here recurses on user input, climbs to a parent or prints a tree: each of
these kills the process on deeply nested files. Offsets are bytes of the normalised
text; lines come from byte offsets, since many nodes end on a later row than their
last token.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from time import process_time
from typing import TYPE_CHECKING

from indexer.pipeline.definitions import Walk
from indexer.pipeline.embedded import MIXED, SAMPLES, find_blocks, leading_prose
from indexer.pipeline.rules import RULES, LanguageRules
from indexer.pipeline.symbols import join_comments, make_symbols, module_doc
from indexer.pipeline.types import ParsedFile, Symbol
from indexer.pipeline.walk import walk_tree

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

# CPU time for a file: ten times what the slowest ordinary one takes. Damaged text
# can take minutes, and a gigabyte a second.
PARSE_SECONDS = 1.0
PARSE_SECONDS_PER_BYTE = 5e-6
READ_BYTES = 1024  # handed to the parser at a time

MAX_RESTARTS = 20  # per file; a file with more errors is in another language
MAX_REREAD = 512 * 1024  # bytes per file; damaged text parses at 1 MB/s or less
_DISABLED = re.compile(rb"^[ \t]*#[ \t]*if[ \t]+0[ \t]*(?:$|//|/\*)", re.MULTILINE)
_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*(\w+)")
_OPENS = (b"if", b"ifdef", b"ifndef")


class GrammarError(RuntimeError):
    """A grammar is missing or its node types are not those of our rules."""


def parse(text: str, language: str) -> ParsedFile:
    """Return the symbols, documentation, imports and unread lines of a file.

    Raises GrammarError for a language without rules or without its grammar.
    """
    if language in MIXED:
        return _parse_mixed(text, language)
    data = text.encode("utf-8")
    rules = _rules(language)
    if rules.preprocessed:
        data = _without_disabled(data)
    deadline = process_time() + PARSE_SECONDS + PARSE_SECONDS_PER_BYTE * len(data)
    tree = _tree(rules, data, deadline)
    if tree is None:
        lines = ((1, text.count("\n") + 1),)
        return ParsedFile(language, (), None, (), unparsed=lines, timed_out=True)
    root = tree.root_node
    walk = walk_tree(root, data, rules)
    if walk.errors:
        _read_on(walk, deadline)
    runs = join_comments(walk)
    symbols = make_symbols(walk, runs)
    return ParsedFile(
        language=language,
        symbols=tuple(symbols),
        doc=module_doc(walk, root, runs, symbols),
        imports=tuple(dict.fromkeys(name for _, name in sorted(walk.imports))),
        unparsed=_line_ranges(walk),
    )


def grammars_version() -> str:
    """Return the version of the package that holds the grammars."""
    return version("tree-sitter-language-pack")


def self_test() -> None:
    """Parse one sample per language. Raises GrammarError naming what is wrong."""
    samples = [(name, one.sample, one.sample_symbols) for name, one in RULES.items()]
    for language, sample, expected in (*samples, *SAMPLES):
        found = parse(sample, language)
        names = [symbol.name for symbol in found.symbols]
        if found.unparsed or names != list(expected):
            raise GrammarError(
                f"The {language} grammar has changed: {names} found in its sample and "
                f"lines {list(found.unparsed)} unread, {list(expected)} expected; "
                "install tree-sitter-language-pack==0.13.0."
            )


def _parse_mixed(text: str, language: str) -> ParsedFile:
    """Parse each block of code on its own, and put together what is found."""
    symbols: list[Symbol] = []
    unparsed: list[tuple[int, int]] = []
    imports: dict[str, None] = {}
    doc = leading_prose(text)
    at = byte = line = 0
    timed_out = False
    for block in find_blocks(text, language):
        if block.language not in RULES:
            continue
        found = parse(block.text, block.language)
        byte += len(text[at : block.start].encode("utf-8"))
        line += text.count("\n", at, block.start)
        at = block.start
        symbols += [_moved(one, byte, line, block.cell) for one in found.symbols]
        unparsed += [(first + line, last + line) for first, last in found.unparsed]
        imports.update(dict.fromkeys(found.imports))
        doc = doc or found.doc
        timed_out = timed_out or found.timed_out
    return ParsedFile(
        language=language,
        symbols=tuple(symbols),
        doc=doc,
        imports=tuple(imports),
        unparsed=tuple(unparsed),
        timed_out=timed_out,
    )


def _moved(symbol: Symbol, byte: int, line: int, cell: int | None) -> Symbol:
    """Return a symbol of a block with its place in the file, or its line in a cell."""
    if cell is not None:
        line = 0
    return replace(
        symbol,
        start_byte=symbol.start_byte + byte,
        end_byte=symbol.end_byte + byte,
        start_line=symbol.start_line + line,
        end_line=symbol.end_line + line,
        breaks=tuple((start + byte, depth) for start, depth in symbol.breaks),
        cell=cell,
    )


def _rules(language: str) -> LanguageRules:
    if language not in RULES:
        raise GrammarError(f"{language!r} has no rules: use one of {sorted(RULES)}.")
    return RULES[language]


def _tree(rules: LanguageRules, data: bytes, deadline: float) -> Tree | None:
    """Parse, or return None where it takes longer than until `deadline`."""
    parser = _parser(rules.grammar or rules.language)

    pieces: dict[int, bytes] = {}

    def read(byte: int, _: object) -> bytes:
        # The binding keeps every piece until the end: one at a place, not hundreds.
        if byte not in pieces:
            pieces[byte] = data[byte : byte - byte % READ_BYTES + READ_BYTES]
        return pieces[byte]

    def is_late(*_: object) -> bool:
        return process_time() > deadline

    try:
        # Only a source that is read in pieces can be given up.
        return parser.parse(read, progress_callback=is_late)
    except ValueError:
        parser.reset()  # else the next file begins where this one was left
        return None


@cache
def _parser(grammar: str) -> Parser:
    try:
        from tree_sitter_language_pack import get_parser

        # The pack's names are a Literal type; ours are checked by `self_test`.
        return get_parser(grammar)  # type: ignore[arg-type]
    except Exception as error:  # the pack raises what its loader raises
        raise GrammarError(
            f"The {grammar} grammar is missing ({error}): install "
            "tree-sitter-language-pack==0.13.0."
        ) from error


def _without_disabled(data: bytes) -> bytes:
    """Blank what stands under `#if 0`: it may hold half a function, or prose."""
    if not _DISABLED.search(data):
        return data
    lines = data.split(b"\n")
    depth = 0
    for number, line in enumerate(lines):
        directive = _DIRECTIVE.match(line)
        word = directive[1] if directive else b""
        if depth:
            depth += (word in _OPENS) - (word == b"endif")
            if depth == 1 and word in (b"else", b"elif"):
                depth = 0
            if depth:
                lines[number] = b" " * len(line)
        elif _DISABLED.match(line):
            depth = 1
    return b"\n".join(lines)


def _read_on(walk: Walk, deadline: float) -> None:
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
        opening = walk.rules.opening[: found.start()]
        again = opening + blank[len(opening) :] + walk.data[found.start() : end]
        tree = _tree(walk.rules, again, deadline)
        if tree is None:
            walk.errors.append((start, end))
            continue
        fresh = walk_tree(tree.root_node, walk.data, walk.rules)
        _replace_from(walk, fresh, found.start(), end)
        walk.errors.append((start, len(walk.data[: found.start()].rstrip())))
        waiting += _outermost(fresh.errors)[::-1]


def _replace_from(walk: Walk, fresh: Walk, start: int, end: int) -> None:
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


def _line_ranges(walk: Walk) -> tuple[tuple[int, int], ...]:
    """Return the lines of the ERROR nodes, joined where they touch."""
    ranges: list[tuple[int, int]] = []
    for start, end in sorted(walk.errors):
        first, last = walk.line_of(start), walk.line_of(max(end - 1, start))
        if ranges and first <= ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], max(last, ranges[-1][1]))
        else:
            ranges.append((first, last))
    return tuple(ranges)
