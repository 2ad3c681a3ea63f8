"""Sweep from the command line: `manage.py sweep QUERY --target TARGET`."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from codesearch.config_forms import read_settings
from codesearch.errors import AmbiguousTarget, SearchError
from codesearch.forms import read_argument
from codesearch.management.commands.trace import AMBIGUOUS, candidates_text
from codesearch.pages.trace.phrasings import (
    chunk_name,
    end_of,
    kind,
    notes,
    nowhere,
    rank_text,
    ranks_of,
    told,
)
from codesearch.payloads import Payload
from codesearch.sweeps import sweep
from indexer.access import COMMAND_LINE
from indexer.management.base import DatabaseCommand

STDIN = "-"


class Command(DatabaseCommand):
    """Ask for one target in many ways and print its rank in each leg."""

    help = "Say how far the end of a target depends on how the query is phrased."
    requires_system_checks = []  # They import every page, for 0.2 s.

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("query")
        parser.add_argument("--target", required=True, metavar="SYMBOL_OR_PATH[:LINE]")
        parser.add_argument("--phrasing", action="append", default=[], metavar="TEXT")
        parser.add_argument(
            "--file", metavar="PATH", help="phrasings, one a line; - reads stdin"
        )
        parser.add_argument(
            "--no-variants", action="store_true", help="only the phrasings given"
        )
        parser.add_argument("--repository", action="append", default=[], metavar="NAME")
        parser.add_argument("--profile")
        parser.add_argument(
            "--set",
            dest="knobs",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="of the config, as in the address of a trace: pool=214",
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own
        """Sweep and print."""
        phrasings = [read_argument(text) for text in options["phrasing"]]
        phrasings += read_lines(options["file"])
        try:
            found = sweep(
                viewer=COMMAND_LINE,
                query=read_argument(options["query"]),
                target=read_argument(options["target"]),
                phrasings=phrasings,
                with_variants=not options["no_variants"],
                repositories=options["repository"],
                profile=options["profile"],
                config=read_settings(options["knobs"]),
            )
        except AmbiguousTarget as error:
            self.stdout.write(candidates_text(error, as_json=options["json"]))
            raise CommandError(str(error), returncode=AMBIGUOUS) from error
        except SearchError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
        else:
            self.stdout.write("\n".join(table(found)))


def read_lines(path: str | None) -> list[str]:
    """Return the lines of a file. Raises CommandError."""
    if path is None:
        return []
    try:
        data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    return data.decode("utf-8", "replace").splitlines()


def table(found: Payload) -> list[str]:
    """Return a sweep as lines: ranks, end and phrasing, then what holds for all."""
    if not found["phrasings"]:
        name = chunk_name(found["target"])
        return [f"{name}: no phrasing can find it. {nowhere(found)}", *notes(found)]
    heads = [*found["legs"], "fused", "rank"]
    widths = [max(7, len(head)) for head in heads]
    lines = [_line(heads, widths, f"{'ends at':24} phrasing")]
    for row in found["phrasings"]:
        ranks = list(map(rank_text, ranks_of(row)))
        other = "" if row["chunk"] == found["target"]["chunk"] else chunk_name(row)
        said = "; ".join(word for word in (row["origin"], other) if word)
        told_end = f"{end_of(row).words:24} {row['text']} ({said})"
        lines.append(_line(ranks, widths, told_end))
    for word, key in (("best", "least"), ("median", "median"), ("worst", "most")):
        spread = found["summary"]["ranks"].values()
        cells = [rank_text(ranks[key]) for ranks in spread]
        lines.append(_line(cells, widths, word))
    return [*lines, f"{kind(found)}. {told(found)}", *notes(found)]


def _line(cells: list[str], widths: list[int], rest: str) -> str:
    columns = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)]
    return f"{' '.join(columns)}  {rest}"
