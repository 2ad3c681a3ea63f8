"""What is extracted from files: `manage.py symbols PATH [--json]`."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from indexer.pipeline.blobs import skip_reason
from indexer.pipeline.paths import display_path, printable
from indexer.pipeline.reading import read_symbols
from indexer.pipeline.types import Symbol, TreeEntry

FILE, LINK = "100644", "120000"  # The modes that git has for them.


class Command(BaseCommand):
    """Print the symbols of a file or folder that need not be in any repository."""

    help = "Show the symbols of a file, or of every file of a folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("path", type=Path)
        parser.add_argument(
            "--json",
            action="store_true",
            help="an object for a file, a list for a folder",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own
        """Read and print."""
        path: Path = options["path"]
        if not path.exists():
            raise CommandError(f"There is nothing at {path}.")
        if not path.is_dir():
            rows = [describe(path, path.name)]
        else:
            rows = [describe(file, str(file.relative_to(path))) for file in walk(path)]
        if options["json"]:
            answer = rows if path.is_dir() else rows[0]
            self.stdout.write(json.dumps(answer, ensure_ascii=False, indent=1))
            return
        for row in rows:
            self.print_file(row)

    def print_file(self, row: dict[str, Any]) -> None:  # Any: JSON
        """Print a file's line, and one line a symbol."""
        skipped = f", skipped: {row['skip']}" if row["skip"] else ""
        self.stdout.write(f"{printable(row['path'])} ({row['language']}{skipped})")
        for symbol in row["symbols"]:
            lines = f"{symbol['start_line']}-{symbol['end_line']}"
            words = printable("  ".join(filter(None, (symbol["name"], symbol["doc"]))))
            self.stdout.write(f"  {lines:>11}  {symbol['kind']:9}  {words}")


def walk(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder by path; links are named and not followed.

    Pipes, sockets and devices are no files: reading one may never end.
    """
    for parent, folders, files in os.walk(folder):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        folders[:] = sorted(name for name in folders if name != ".git")
        found = (Path(parent, name) for name in sorted([*files, *links]))
        yield from (path for path in found if path.is_symlink() or path.is_file())


def describe(file: Path, name: str) -> dict[str, Any]:  # Any: JSON
    """Return what is extracted from one file. `doc` is its first line."""
    mode = LINK if file.is_symlink() else FILE
    entry = TreeEntry(os.fsencode(name), mode, "", file.lstat().st_size)
    found = read_symbols(entry, b"" if skip_reason(entry) else file.read_bytes())
    return {
        "path": display_path(os.fsencode(name)),
        "language": found.language,
        "symbols": [describe_symbol(symbol) for symbol in found.symbols],
        "skip": found.skip,
    }


def describe_symbol(symbol: Symbol) -> dict[str, Any]:  # Any: JSON
    """Return one symbol as JSON; in a notebook also its cell, whose lines count."""
    row = {
        "name": symbol.name,
        "kind": symbol.kind,
        "start_line": symbol.start_line,
        "end_line": symbol.end_line,
        "doc": (symbol.doc or "").strip().partition("\n")[0] or None,
        "parent": symbol.parent,
    }
    return row if symbol.cell is None else row | {"cell": symbol.cell}
