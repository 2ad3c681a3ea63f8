"""Cases: each as a row with the address of its trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.models import Case
from codesearch.pages.links import Scope
from codesearch.reach import may_edit
from indexer.access import Viewer


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case with the repositories that it is asked of, by name."""

    case: Case
    repositories: list[str]
    url: str
    may_delete: bool


def case_rows(cases: Sequence[Case], viewer: Viewer) -> list[CaseRow]:
    """Return the rows of cases, in their order."""
    return [_row(case, viewer) for case in cases]


def _row(case: Case, viewer: Viewer) -> CaseRow:
    asked = case.case_set
    names = sorted(repository.name for repository in asked.repositories.all())
    scope = Scope(case.query, tuple(names), asked.profile)
    url = scope.trace_url(*case.targets)
    return CaseRow(case, names, url, may_edit(viewer, case))
