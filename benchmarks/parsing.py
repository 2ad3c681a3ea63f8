"""How many files a second one core parses and cuts, and what ugly files cost.

`python -m benchmarks.parsing [--source DIR] [--files N] [--json OUT]` reads up to N
files of a folder (the environment's packages) that have a language with symbols,
through the same function that a build uses. The baseline of the same run is Python's
own parser over the Python files among them.
"""

from __future__ import annotations

import argparse
import ast
import sysconfig
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from benchmarks.records import publish
from indexer.pipeline.blobs import decode, skip_reason
from indexer.pipeline.languages import detect_language, has_symbols
from indexer.pipeline.path_rule import rule_of
from indexer.pipeline.reading import read_source
from indexer.pipeline.types import Source, TreeEntry

FILES = 5000

UGLY: dict[str, tuple[bytes, Callable[[], str]]] = {
    "20,000 nested brackets": (b"a.py", lambda: "x = " + "[" * 20_000),
    "a sum of 3,000 terms": (b"a.js", lambda: "x = " + " + ".join(["a.b"] * 3_000)),
    "generated, 1.2 MB": (
        b"a.py",
        lambda: "".join(f"def f{n}(x):\n    return x + {n}\n" for n in range(36_000)),
    ),
    "a line of 160 kB": (b"a.js", lambda: "var a = '" + "ab c" * 40_000 + "';\n"),
}


def main() -> None:
    """Measure, print the tables, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=sysconfig.get_paths()["purelib"])
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = measure(Path(options.source), options.files)
    ugly = measure_ugly()
    figures = {
        "one core": {key: {"value": value} for key, value in found.items()},
        "ugly files": {name: {"seconds": value} for name, value in ugly.items()},
    }
    publish(options, figures)


def measure(source: Path, limit: int) -> dict[str, float]:
    """Read the files of a folder, and the Python ones with `ast` as well."""
    files = load(source, limit)
    started = time.perf_counter()
    results = [read_source(rule_of(entry), text, "symbol") for entry, text in files]
    ours = time.perf_counter() - started

    python = [text.text for entry, text in files if entry.path.endswith(b".py")]
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in python:
            try_ast(text)
    plain = time.perf_counter() - started
    return {
        "files": len(files),
        "megabytes": round(sum(len(text.text) for _, text in files) / 1e6, 1),
        "chunks": sum(len(result.chunks) for result in results),
        "files_per_second": round(len(files) / ours),
        "against_ast_per_file": round((ours / len(files)) / (plain / len(python)), 2),
    }


def load(source: Path, limit: int) -> list[tuple[TreeEntry, Source]]:
    """Return up to `limit` decoded files whose language has symbols, by path."""
    found: list[tuple[TreeEntry, Source]] = []
    for path in sorted(source.rglob("*")):
        if len(found) == limit:
            break
        if not path.is_file() or path.is_symlink():
            continue
        name = path.relative_to(source).as_posix().encode()
        entry = TreeEntry(name, "100644", "", path.stat().st_size)
        if skip_reason(entry) or not has_symbols(detect_language(name, "")):
            continue
        text = decode(path.read_bytes())
        if isinstance(text, Source):
            found.append((entry, text))
    return found


def try_ast(text: str) -> None:
    """Parse with Python's own parser; what it refuses costs it time as well."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return


def measure_ugly() -> dict[str, float]:
    """Return the seconds that each ugly file takes."""
    seconds = {}
    for name, (path, make) in UGLY.items():
        text = make()
        started = time.perf_counter()
        rule = rule_of(TreeEntry(path, "100644", "", 0))
        read_source(rule, Source(text, "utf-8"), "symbol")
        seconds[name] = round(time.perf_counter() - started, 2)
    return seconds


if __name__ == "__main__":
    main()
