"""Re-exports: which definitions a file of nothing but imports passes on.

The statements are those that `marks` recognises. A name stands for the one file
that its statement names: all parts of the module end that file's path, or its
folder's (a package passes on what its modules define). Of several such files it
is the one nearest to the stub, and none where two are as near.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from os.path import commonprefix

from indexer.pipeline.packing import PlacedFile
from indexer.pipeline.paths import path_parts
from indexer.pipeline.types import ChunkKind

MOST_PASSED_ON = 2000  # Of one stub; ten times what a large library exports.

Parts = tuple[str, ...]
Names = Mapping[str, list[int]]  # Of one file: what defines each top-level name.

_PYTHON = re.compile(r"from\s+([\w.]+)\s+import\s+(.*)", re.DOTALL)
_RUST = re.compile(r"(?:pub\b[^:]*?)?\buse\s+([\w:]+)::(.*)", re.DOTALL)
_QUOTED = re.compile(r"['\"<]([^'\"<>\n]+)['\">]")
_WHOLE_FILE = re.compile(r"export\s+(?:type\s+)?\*|module\.exports|#")
# These pass on what they name also in a file that defines something itself.
_EXPORT = re.compile(r"export\b|module\.exports\b|(?:#\[[^\]]*\]\s*)*pub\b")
_WORD = re.compile(r"[\w$]+")
_HERE = frozenset({"", ".", "..", "crate", "self", "super"})
_DEFINED = frozenset(ChunkKind) - {
    ChunkKind.MODULE,
    ChunkKind.SECTION,
    ChunkKind.FILE,
    ChunkKind.WINDOW,
}


@dataclass(frozen=True, slots=True)
class Passed:
    """What one statement passes on of a module: `names`, or None for all of them."""

    module: Parts
    names: frozenset[str] | None


def read_statement(text: str) -> Passed | None:
    """Return what an import statement passes on; None for a module as a whole."""
    if text.startswith("__all__"):
        return None
    if found := _PYTHON.match(text):
        module, names = found[1].split("."), found[2]
    elif found := _RUST.search(text):
        module, names = found[1].split("::"), found[2]
    elif found := _QUOTED.search(text):
        module = list(path_parts(found[1].encode()))
        names = "*" if _WHOLE_FILE.match(text) else text[: found.start()]
    else:
        return None
    parts = tuple(part for part in module if part not in _HERE)
    words = None if "*" in names else frozenset(_WORD.findall(names))
    return Passed(parts, words) if parts else None


def find_reexports(files: Sequence[PlacedFile]) -> list[tuple[int, int]]:
    """Return (stub, definition) ordinals, rising, of files in order of path bytes.

    A chunk of imports passes on what it imports if its file defines nothing; else
    only what it says that it exports.
    """
    paths = [path_parts(placed.entry.path) for placed in files]
    names = _definitions(files)
    ends: dict[str, list[int]] = {}
    for number, parts in enumerate(paths):
        for end in {*parts[-2:]} if names[number] else ():
            ends.setdefault(end, []).append(number)
    pairs: set[tuple[int, int]] = set()
    start = 0
    for number, placed in enumerate(files):
        for chunk, statements in placed.file.statements.items():
            found = chain.from_iterable(
                _resolve(
                    passed,
                    paths[number],
                    [n for n in ends.get(passed.module[-1], ()) if n != number],
                    paths,
                    names,
                )
                for passed in _passed_on(statements, alone=not names[number])
            )
            pairs |= {(start + chunk, one) for one in islice(found, MOST_PASSED_ON)}
        start += len(placed.file.symbols)
    return sorted(pairs)


def _definitions(files: Sequence[PlacedFile]) -> list[Names]:
    """Return the top-level names of each file, with the ordinals that define them."""
    found: list[Names] = []
    ordinal = 0
    for placed in files:
        names: dict[str, list[int]] = {}
        for symbol, kind in zip(placed.file.symbols, placed.file.kinds, strict=True):
            if kind in _DEFINED and "." not in symbol:
                names.setdefault(symbol, []).append(ordinal)
            ordinal += 1
        found.append(names)
    return found


def _passed_on(statements: Sequence[str], *, alone: bool) -> Iterator[Passed]:
    for text in statements:
        passed = read_statement(text) if alone or _EXPORT.match(text) else None
        if passed:
            yield passed


def _resolve(
    passed: Passed,
    stub: Parts,
    files: Sequence[int],
    paths: Sequence[Parts],
    names: Sequence[Names],
) -> list[int]:
    """Return the ordinals that a statement of `stub` passes on, from `files`."""
    size = len(passed.module)
    named = [n for n in files if paths[n][-size:] == passed.module]
    if passed.names is None:
        nearest = _nearest(stub, named, paths)
        if nearest is None:
            return []
        return [ordinal for held in names[nearest].values() for ordinal in held]
    inside = [n for n in files if paths[n][-size - 1 : -1] == passed.module]
    found: list[int] = []
    for name in sorted(passed.names):
        for candidates in (named, inside):
            holders = [n for n in candidates if name in names[n]]
            nearest = _nearest(stub, holders, paths)
            if nearest is not None:
                found += names[nearest][name]
                break
    return found


def _nearest(stub: Parts, files: Sequence[int], paths: Sequence[Parts]) -> int | None:
    """Return the file that shares most of the stub's path, None if two do."""
    shared = {n: len(commonprefix([stub, paths[n]])) for n in files}
    most = max(shared.values(), default=0)
    nearest = [n for n, size in shared.items() if size == most]
    return nearest[0] if len(nearest) == 1 else None
