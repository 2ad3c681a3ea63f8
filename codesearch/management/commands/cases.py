"""Cases from the command line: `manage.py cases list|import|generate|export|delete`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from codesearch.case_files.files import read_file
from codesearch.case_files.gathering import gather_cases
from codesearch.case_files.records import MOST_BYTES, Problem, Reading
from codesearch.case_files.refused import write_refused
from codesearch.case_sets import (
    FORMATS,
    Imported,
    NothingTaken,
    counted,
    delete_set,
    import_into,
    import_new,
    write_set,
)
from codesearch.errors import SearchError
from codesearch.forms import read_argument
from codesearch.generating import generate_set
from codesearch.models import CaseSet
from codesearch.reach import sets_in_reach
from indexer.access import COMMAND_LINE
from indexer.management.base import DatabaseCommand

STDIN = "-"
REFUSED = 3  # Exit code: some lines of a file were not taken.


class Command(DatabaseCommand):
    """List, import, make, write and remove sets of cases."""

    help = "Keep sets of cases: what queries should find."
    requires_system_checks = []  # They import every page, for 0.2 s.

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare a command for each thing that is done to sets."""
        does = parser.add_subparsers(dest="does", required=True)
        does.add_parser("list", help="print every set with its number")
        self._add_import(does.add_parser("import", help="read a file with cases"))
        make = does.add_parser("generate", help="make a set from docstrings")
        make.add_argument("repository")
        make.add_argument("--count", type=int, default=100)
        make.add_argument("--seed", type=int, default=0)
        make.add_argument("--profile", default="")
        make.add_argument("--name", default="")
        export = does.add_parser("export", help="write a set to stdout")
        export.add_argument("set", metavar="SET", help="number or name")
        export.add_argument("--format", choices=FORMATS, default="json")
        remove = does.add_parser("delete", help="remove a set and its audits")
        remove.add_argument("set", metavar="SET", help="number or name")

    def _add_import(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="CSV, JSON, JSON lines or qrels; - is stdin")
        parser.add_argument("--topics", metavar="FILE", help="the queries of qrels")
        parser.add_argument("--repository", action="append", default=[], metavar="NAME")
        parser.add_argument(
            "--into", metavar="SET", help="add to a set; with --repository made if new"
        )
        parser.add_argument("--name", default="")
        parser.add_argument("--profile", default="")
        parser.add_argument("--unit", choices=CaseSet.Unit.values, default="")
        parser.add_argument("--check", action="store_true", help="save nothing")
        parser.add_argument("--refused", metavar="FILE", help="write refused lines to")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own
        """Do what was asked, or say in a sentence why not."""
        try:
            getattr(self, f"do_{options['does']}")(options)
        except NothingTaken as error:
            self._tell(error.problems)
            raise CommandError(str(error)) from error
        except SearchError as error:
            raise CommandError(str(error)) from error

    def do_list(self, options: dict[str, Any]) -> None:
        """Print the sets, the newest first."""
        for one in sets_in_reach(COMMAND_LINE).prefetch_related("repositories"):
            names = sorted(repository.name for repository in one.repositories.all())
            asked = "another system" if one.is_foreign else ", ".join(names)
            count = counted(one.cases.count(), "case")
            told = f"{count:>12}  {one.unit:5}  {one}  ({asked})"
            self.stdout.write(f"{one.pk:>4}  {told}")

    def do_import(self, options: dict[str, Any]) -> None:
        """Import a file; exit with 3 where some lines were not taken."""
        topics = options["topics"] and _read(options["topics"])
        reading = read_file(_read(options["file"]), topics)
        if options["check"]:
            rows, problems = gather_cases(reading)
            told = f"{counted(len(rows), 'case')} would be taken."
            self.stdout.write(" ".join([told, *reading.notes]))
        else:
            done = self._import(reading, options)
            problems = list(done.problems)
            self.stdout.write(f"Set {done.case_set.pk}: {done.told}")
        self._tell(problems)
        if options["refused"] and problems:
            _write(options["refused"], write_refused(reading.head, problems))
        if problems:
            told = f"{counted(len(problems), 'line')} not taken."
            raise CommandError(told, returncode=REFUSED)

    def _import(self, reading: Reading, options: dict[str, Any]) -> Imported:
        who: dict[str, Any] = {"viewer": COMMAND_LINE, "user": None}
        who |= {
            "reading": reading,
            "file_name": read_argument(Path(options["file"]).name),
        }
        into = options["into"] and read_argument(options["into"])
        if into and not (options["repository"] and _is_new(into)):
            return import_into(**who, case_set=find_set(into))
        told = {name: options[name] for name in ("profile", "unit")}
        told["name"] = into or read_argument(options["name"])
        return import_new(**who, repositories=options["repository"], **told)

    def do_generate(self, options: dict[str, Any]) -> None:
        """Make a set of docstrings."""
        names = ("repository", "profile", "count", "seed")
        told = {name: options[name] for name in names}
        told["name"] = read_argument(options["name"])
        made = generate_set(viewer=COMMAND_LINE, user=None, **told)
        self.stdout.write(f"Set {made.case_set.pk}: {made.told}")

    def do_export(self, options: dict[str, Any]) -> None:
        """Write a set to stdout."""
        text = write_set(find_set(options["set"]), options["format"])
        self.stdout.write(text, ending="")

    def do_delete(self, options: dict[str, Any]) -> None:
        """Remove a set."""
        found = find_set(options["set"])
        number = found.pk
        delete_set(viewer=COMMAND_LINE, case_set=found)
        self.stdout.write(f"The set {number}, {found}, was deleted.")

    def _tell(self, problems: Sequence[Problem]) -> None:
        for one in problems:
            self.stderr.write(f"{one.place}: {one.sentence}")


def find_set(wanted: str) -> CaseSet:
    """Return the set of a number or of a name. Raises CommandError."""
    sets = sets_in_reach(COMMAND_LINE)
    wanted = read_argument(wanted)
    if wanted.isdecimal() and (found := sets.filter(pk=int(wanted)).first()):
        return found
    named = list(sets.filter(name=wanted))
    if len(named) > 1:
        numbers = ", ".join(str(one.pk) for one in named)
        raise CommandError(f"Several sets are called {wanted}: give one of {numbers}.")
    if not named:
        raise CommandError(f"There is no set {wanted}; `cases list` prints them.")
    return named[0]


def _is_new(name: str) -> bool:
    return not sets_in_reach(COMMAND_LINE).filter(name=name).exists()


def _read(path: str) -> bytes:
    """Return the bytes of a file, at most one more than may be read."""
    try:
        if path == STDIN:
            return sys.stdin.buffer.read(MOST_BYTES + 1)
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
