"""Bringing: from what was wanted, by page or by command, to a finished audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.audits.foreign.gathering import (
    BroughtFile,
    RunFile,
    gather_document,
    gather_questions,
    gather_runs,
)
from codesearch.audits.foreign.keeping import keep_runs, questions_of
from codesearch.audits.foreign.types import Brought, Report
from codesearch.case_files.records import UnreadableFile
from codesearch.models import Audit, CaseSet


class Failed(Exception):
    """Nothing was kept; the message says why, and the report each line of it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was brought: `document`, or `runs` with `qrels` or a `case_set`.

    `leave_out` keeps the rest where lines cannot be taken; else nothing is kept.
    """

    owner: int | None
    system: str = ""
    set_name: str = ""
    note: str = ""
    is_open: bool = False
    leave_out: bool = False
    document: BroughtFile | None = None
    runs: Sequence[RunFile] = ()
    qrels: BroughtFile | None = None
    topics: BroughtFile | None = None
    case_set: CaseSet | None = None


def bring(wanted: Wanted, report: Report) -> Audit:
    """Read, check and keep. Raises Failed; then nothing is kept."""
    try:
        brought = _read(wanted, report)
        if report.problem_count and not wanted.leave_out:
            raise Failed(
                f"{report.problem_count:,} lines or entries cannot be taken. Mend "
                "them, or say that they are to be left out."
            )
        return keep_runs(
            owner=wanted.owner,
            brought=brought,
            report=report,
            system=wanted.system,
            set_name=wanted.set_name,
            note=wanted.note,
            is_open=wanted.is_open,
        )
    except UnreadableFile as error:
        raise Failed(str(error)) from error


def _read(wanted: Wanted, report: Report) -> Brought:
    if wanted.document:
        return gather_document(wanted.document, report)
    if wanted.case_set:
        questions = questions_of(wanted.case_set)
    elif wanted.qrels:
        questions = gather_questions(wanted.qrels, wanted.topics, report)
    else:
        raise UnreadableFile("There are no judgements: bring qrels, or choose a set.")
    return gather_runs(wanted.runs, questions, report)
