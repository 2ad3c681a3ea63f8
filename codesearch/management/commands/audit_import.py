"""Runs of another system: `manage.py audit_import --run leg:dense=dense.run ...`."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from codesearch.audits.foreign.bringing import Failed, Wanted, bring
from codesearch.audits.foreign.gathering import BroughtFile, RunFile
from codesearch.audits.foreign.types import KINDS, MOST_BYTES, Report
from codesearch.reach import sets_in_reach
from indexer.access import COMMAND_LINE
from indexer.management.base import DatabaseCommand

RUN = re.compile(
    r"(?P<kind>[a-z]+):(?P<name>[^=@]+)(?:@(?P<depth>\d{1,7}))?=(?P<path>.+)"
)


class Command(DatabaseCommand):
    """Audit the runs of another retrieval system, without an index."""

    help = "Take the lists of each stage of another system, and audit them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        kinds = ", ".join(KINDS)
        parser.add_argument("--json", metavar="FILE", help="all in one, or JSON lines")
        parser.add_argument(
            "--run",
            action="append",
            default=[],
            metavar="KIND:NAME[@DEPTH]=FILE",
            help=f"the TREC run of one stage; a kind is one of {kinds}",
        )
        parser.add_argument("--qrels", metavar="FILE")
        parser.add_argument("--topics", metavar="FILE", help="texts of the queries")
        parser.add_argument("--set", metavar="ID", type=int, help="judgements of a set")
        parser.add_argument("--system", default="", metavar="NAME")
        parser.add_argument("--name", default="", help="of the query set, if it is new")
        parser.add_argument("--note", default="", help="what was tried")
        parser.add_argument(
            "--open", action="store_true", help="a new set is seen by everyone"
        )
        parser.add_argument(
            "--leave-out",
            action="store_true",
            help="lines that cannot be taken, and go on",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own
        """Take what was brought, and say how it was read."""
        report = Report()
        try:
            audit = bring(read_wanted(options), report)
        except Failed as error:
            self.tell_problems(report)
            raise CommandError(str(error)) from error
        self.tell_problems(report)
        for remark in report.remarks:
            self.stdout.write(remark)
        self.stdout.write(
            f"audit {audit.pk}: {audit.system}, {audit.row_count:,} queries of the set "
            f"{audit.case_set_id}, at /audits/{audit.pk}/"
        )

    def tell_problems(self, report: Report) -> None:
        """Print what could not be taken, one a line."""
        for problem in report.problems:
            self.stderr.write(f"{problem.place}: {problem.sentence}")
        if report.untold:
            self.stderr.write(f"and {report.untold:,} more")


def read_wanted(options: dict[str, Any]) -> Wanted:  # Any: options of a command
    """Return what the arguments want. Raises CommandError."""
    sets, case_set = sets_in_reach(COMMAND_LINE).filter(is_foreign=True), None
    if options["set"] is not None:
        case_set = sets.filter(pk=options["set"]).first()
        if case_set is None:
            raise CommandError(f"There is no foreign set {options['set']}.")
    return Wanted(
        owner=None,
        system=options["system"],
        set_name=options["name"],
        note=options["note"],
        is_open=options["open"],
        leave_out=options["leave_out"],
        document=_file(options["json"]),
        runs=[_run(text) for text in options["run"]],
        qrels=_file(options["qrels"]),
        topics=_file(options["topics"]),
        case_set=case_set,
    )


def _run(text: str) -> RunFile:
    found = RUN.fullmatch(text)
    if not found or (file := _file(found["path"])) is None:
        raise CommandError(f"“{text}” is no KIND:NAME[@DEPTH]=FILE.")
    depth = int(found["depth"]) if found["depth"] else None
    return RunFile(file, found["name"], found["kind"], depth)


def _file(path: str | None) -> BroughtFile | None:
    if not path:
        return None
    try:
        with Path(path).open("rb") as file:
            return BroughtFile(Path(path).name, file.read(MOST_BYTES + 1))
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
