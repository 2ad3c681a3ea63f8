"""Case sets: made, imported, changed, removed, and written as files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from codesearch.case_files.entries import write_entries
from codesearch.case_files.files import write_qrels, write_topics
from codesearch.case_files.gathering import gather_cases
from codesearch.case_files.records import NewCase, Problem, Reading, Row
from codesearch.case_files.refused import pack_refused
from codesearch.case_files.tables import write_table
from codesearch.cases import User, make_row, new_case
from codesearch.errors import SearchError, UnknownRepository
from codesearch.models import Case, CaseSet, RefusedLines
from codesearch.reach import may_edit
from indexer.access import Viewer, readable
from indexer.models import Profile

NAME_LIMIT = 100
MOST_CASES = 20_000  # Of a set; an audit of more runs for hours.
FORMATS = ("json", "csv", "topics", "qrels")
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import took: how many cases are new, and how many were there already."""

    case_set: CaseSet
    taken: int
    same: int
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]

    @property
    def told(self) -> str:
        """Return what was taken, as sentences."""
        told = [f"{counted(self.taken, 'case')} taken."]
        if self.same:
            told.append(f"{self.same:,} there already.")
        if self.problems:
            told.append(f"{counted(len(self.problems), 'line')} not taken.")
        return " ".join([*told, *self.notes])


def counted(number: int, noun: str) -> str:
    """Return a number of things in words that fit it."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@transaction.atomic
def make_set(
    *,
    viewer: Viewer,
    user: User | None,
    name: str,
    repositories: Sequence[str],
    profile: str = "",
    unit: str = "",
    description: str = "",
) -> CaseSet:
    """Make an empty set that is asked of these repositories. Raises SearchError."""
    if not repositories:
        raise SearchError("Say which repositories the set is asked of.")
    found = {one.name: one for one in readable(viewer).filter(name__in=repositories)}
    for wanted in repositories:
        if wanted not in found:
            raise UnknownRepository(f"There is no repository called {wanted}.")
    if profile and not Profile.objects.filter(name=profile).exists():
        raise SearchError(f"There is no profile {profile}.")
    case_set = CaseSet.objects.create(
        name=name[:NAME_LIMIT],
        description=description,
        unit=unit if unit in CaseSet.Unit.values else CaseSet.Unit.CHUNK,
        profile=profile,
        repository_count=len(found),
        created_by_id=user.pk if user else None,
    )
    case_set.repositories.set(found.values())
    return case_set


@transaction.atomic
def import_new(
    *,
    viewer: Viewer,
    user: User | None,
    reading: Reading,
    file_name: str,
    repositories: Sequence[str],
    name: str = "",
    profile: str = "",
    unit: str = "",
) -> Imported:
    """Make a set of the good lines of a file; the others are kept beside it.

    What is not given is as the file says. Raises SearchError, also for a file without
    a good line.
    """
    rows, problems = gather_cases(reading)
    if not rows:
        raise NothingTaken(problems)
    case_set = make_set(
        viewer=viewer,
        user=user,
        name=name or reading.name or file_name or "imported",
        repositories=repositories,
        profile=profile or reading.profile,
        unit=unit or reading.unit,
        description=reading.description,
    )
    return _add(case_set, user, rows, problems, reading, file_name)


@transaction.atomic
def import_into(
    *,
    viewer: Viewer,
    user: User | None,
    reading: Reading,
    file_name: str,
    case_set: CaseSet,
) -> Imported:
    """Add the good lines of a file to a set. Raises SearchError, PermissionError."""
    if not may_edit(viewer, case_set):
        raise PermissionError
    rows, problems = gather_cases(reading)
    case_set = CaseSet.objects.select_for_update().get(pk=case_set.pk)
    return _add(case_set, user, rows, problems, reading, file_name)


class NothingTaken(SearchError):
    """No line of a file is a case; `problems` says why for each."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("No line of the file is a case, so nothing was imported.")


def change_set(
    *, viewer: Viewer, case_set: CaseSet, name: str, description: str, unit: str
) -> None:
    """Call a set otherwise, and count its places otherwise. Raises PermissionError."""
    if not may_edit(viewer, case_set):
        raise PermissionError
    case_set.name, case_set.description = name, description
    case_set.unit = unit
    case_set.save(update_fields=["name", "description", "unit"])


def delete_set(*, viewer: Viewer, case_set: CaseSet) -> None:
    """Remove a set with its cases and audits. Raises PermissionError."""
    if not may_edit(viewer, case_set):
        raise PermissionError
    case_set.delete()


def forget_refused(*, viewer: Viewer, refused: RefusedLines) -> None:
    """Remove the lines that an import did not take. Raises PermissionError."""
    if not may_edit(viewer, refused.case_set):
        raise PermissionError
    refused.delete()


def add_cases(
    case_set: CaseSet, user: User | None, cases: Sequence[NewCase]
) -> list[Case]:
    """Add cases whose keys are free in a set. Raises SearchError above the limit."""
    count = case_set.cases.count() + len(cases)
    if count > MOST_CASES:
        raise SearchError(f"The set would have {count:,} cases; {MOST_CASES:,} fit.")
    rows = [make_row(case_set, case, user) for case in cases]
    return Case.objects.bulk_create(rows, batch_size=_BATCH)


def write_set(case_set: CaseSet, form: str) -> str:
    """Return a set as a file: `json`, `csv`, or of TREC `topics` or `qrels`."""
    cases = [new_case(case) for case in case_set.cases.order_by("pk")]
    if form == "csv":
        return write_table(cases)
    if form == "topics":
        return write_topics(cases)
    if form == "qrels":
        return write_qrels(cases)
    names = case_set.repositories.order_by("name").values_list("name", flat=True)
    about = {
        "name": case_set.name,
        "description": case_set.description,
        "unit": case_set.unit,
        "repositories": list(names),
        "profile": case_set.profile,
    }
    return write_entries(cases, about)


def _add(
    case_set: CaseSet,
    user: User | None,
    rows: Sequence[Row],
    problems: Sequence[Problem],
    reading: Reading,
    file_name: str,
) -> Imported:
    known = {case.key: new_case(case) for case in case_set.cases.all()}
    problems = list(problems)
    new, same = [], 0
    for row in rows:
        there = known.get(row.case.key)
        if there is None:
            new.append(row.case)
        elif _sorted(there) == _sorted(row.case):
            same += 1
        else:
            sentence = f"The set has another case with the id {row.case.key}."
            problems.append(Problem(row.place, row.text, sentence))
    add_cases(case_set, user, new)
    if problems:
        RefusedLines.objects.create(
            case_set=case_set,
            file_name=file_name[:200],
            count=len(problems),
            packed=pack_refused(reading.head, problems),
        )
    return Imported(case_set, len(new), same, tuple(problems), reading.notes)


def _sorted(case: NewCase) -> tuple[object, ...]:
    """Return a case as it compares: the order of its targets says nothing."""
    expected = case.expected or Case.Expected.ON_PAGE
    rest = (case.topic, expected, case.is_synthetic, case.note)
    return (case.query, sorted(case.targets), *rest)
