"""Print the ledger of a repository: `manage.py coverage NAME [--json]`."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from indexer.access import COMMAND_LINE
from indexer.ledger import (
    OUTCOMES,
    Ledger,
    LedgerFile,
    LedgerFilter,
    describe_counts,
    ledger_json,
    read_ledger,
)
from indexer.management.base import DatabaseCommand
from indexer.pipeline.paths import printable


class Command(DatabaseCommand):
    """Say what is indexed of a repository, and what is not, file by file."""

    help = "Print what became of every file of a repository."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("name", help="of the repository")
        parser.add_argument("--reason", default="", help="such as too_large")
        parser.add_argument("--outcome", default="", choices=("", *OUTCOMES))
        parser.add_argument("--path", default="", help="a part of the path")
        parser.add_argument("--json", action="store_true", help="with every file")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print counts, and the files that are not indexed whole."""
        wanted = LedgerFilter(
            outcome=options["outcome"], reason=options["reason"], path=options["path"]
        )
        ledger = read_ledger(COMMAND_LINE, options["name"], wanted)
        if ledger is None:
            raise CommandError(
                f"There is no build of a repository called {options['name']}: "
                "index it first."
            )
        if options["json"]:
            found = ledger_json(ledger)
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
            return
        self.print_counts(ledger)
        for file in ledger.files:
            if file.outcome != "indexed" or wanted != LedgerFilter():
                self.stdout.write(describe(file))

    def print_counts(self, ledger: Ledger) -> None:
        """Print how many files ended how; the rows add up to the first line."""
        counts = ledger.counts
        self.stdout.write(
            f"{ledger.repository} at {ledger.revision[:12]}, "
            f"{counts['files']:,} files: {describe_counts(counts)}. "
            f"{counts['chunks']:,} chunks, {counts['over_length']:,} texts in parts."
        )
        if ledger.preview:
            self.stdout.write(ledger.preview)
        for group in ledger.groups:
            how = f"by {group.mode}" if group.mode else ""
            self.stdout.write(
                f"{group.files:>9,}  {group.outcome:<8} {how:<11} {group.reason or ''}"
            )


def describe(file: LedgerFile) -> str:
    """Return one file as a line; unseen characters of its path are written out."""
    left_out = ",".join(f"{first}-{last}" for first, last in file.partial)
    facts = [file.outcome, file.reason or "", left_out, ",".join(file.marks)]
    return f"{' '.join(filter(None, facts))}\t{printable(file.path)}"
