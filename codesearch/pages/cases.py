"""Cases and their sets: as rows of pages, with the addresses they lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.urls import reverse

from codesearch.case_files.records import Problem
from codesearch.case_files.refused import unpack_refused
from codesearch.case_forms import write_typed
from codesearch.cases import may_add, may_edit_case, new_case
from codesearch.forms import TARGETS_LIMIT
from codesearch.models import Audit, Case, CaseSet, RefusedLines
from codesearch.pages.links import Scope
from codesearch.pages.paging import Pager, list_pager
from codesearch.reach import audits_in_reach, may_edit, sets_in_reach
from indexer.access import Viewer

SETS_SHOWN = 50
CASES_SHOWN = 50
TARGETS_SHOWN = 4  # Of a row; the case's own page has them all.
PROBLEMS_SHOWN = 100
_COUNTS = {
    "all": Count("pk"),
    "synthetic": Count("pk", filter=Q(is_synthetic=True)),
    "topics": Count("topic", filter=~Q(topic=""), distinct=True),
}
_NONE = dict.fromkeys(_COUNTS, 0)


@dataclass(frozen=True, slots=True)
class SetRow:
    """One set with its figures; `last_audit` is the newest in reach, if any."""

    case_set: CaseSet
    repositories: list[str]
    counts: Mapping[str, object]  # all, synthetic and topics.
    last_audit: Audit | None


@dataclass(frozen=True, slots=True)
class Target:
    """A target of a case with its grade."""

    target: str
    grade: int


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case; `url` is its trace, "" for a document of another system."""

    case: Case
    targets: list[Target]
    more: int
    url: str
    may_edit: bool


@dataclass(frozen=True, slots=True)
class RefusedView:
    """The lines that one import did not take, the first of them shown."""

    refused: RefusedLines
    problems: list[Problem]
    more: int


def set_rows(viewer: Viewer, number: int) -> tuple[list[SetRow], Pager]:
    """Return the sets of a page, newest first, and the pages."""
    sets = sets_in_reach(viewer).select_related("created_by")
    pager = _pager(reverse("cases"), sets, number, SETS_SHOWN)
    page = sets.prefetch_related("repositories")[pager.rows]
    keys = [one.pk for one in page]
    counts = {
        row["case_set"]: row
        for row in Case.objects.filter(case_set__in=keys)
        .order_by()
        .values("case_set")
        .annotate(**_COUNTS)
    }
    audits = audits_in_reach(viewer).filter(case_set__in=keys).order_by("pk")
    newest = {
        audit.case_set_id: audit for audit in audits.only("case_set", "created_at")
    }
    shown = [_set_row(one, counts.get(one.pk), newest.get(one.pk)) for one in page]
    return shown, pager


def case_rows(
    case_set: CaseSet, viewer: Viewer, number: int
) -> tuple[list[CaseRow], Pager]:
    """Return the cases of a page of a set, in its order, and the pages."""
    cases = case_set.cases.order_by("pk").select_related("created_by")
    pager = _pager(set_url(case_set), cases, number, CASES_SHOWN)
    names = _names(case_set)
    return [_row(case, case_set, names, viewer) for case in cases[pager.rows]], pager


def case_url(case: Case, case_set: CaseSet, names: Sequence[str]) -> str:
    """Return the address of the trace of a case, of its first wanted targets.

    "" where there is nothing to trace.
    """
    if case_set.is_foreign:
        return ""
    wanted = [target for target, grade in case.judged.items() if grade > 0]
    scope = Scope(case.query, tuple(names), case_set.profile)
    return scope.trace_url(*wanted[:TARGETS_LIMIT])


def set_context(
    viewer: Viewer, case_set: CaseSet, number: int
) -> dict[str, Any]:  # Any: a template context
    """Return what the page of a set shows, without its forms."""
    rows, pager = case_rows(case_set, viewer, number)
    audits = audits_in_reach(viewer).filter(case_set=case_set)
    return {
        "case_set": case_set,
        "repositories": _names(case_set),
        "rows": rows,
        "pager": pager,
        "counts": case_set.cases.order_by().aggregate(**_COUNTS),
        "may_edit": may_edit(viewer, case_set),
        "may_add": may_add(viewer, case_set) and not case_set.is_foreign,
        "refused": [_refused_view(one) for one in case_set.refused.all()],
        "last_audit": audits.first(),
        "audits": audits.count(),
    }


def typed_case(case: Case) -> dict[str, Any]:  # Any: values of a form
    """Return a case as the values of its form."""
    told = new_case(case)
    return {
        "query": told.query,
        "targets": write_typed(told.targets),
        "topic": told.topic,
        "key": told.key,
        "expected": told.expected,
        "synthetic": told.is_synthetic,
        "note": told.note,
    }


def own_sets(viewer: Viewer) -> QuerySet[CaseSet]:
    """Return the sets that `viewer` made and may add to, newest first."""
    if viewer.user_id is None:
        return CaseSet.objects.none()
    own = sets_in_reach(viewer).filter(created_by=viewer.user_id, is_foreign=False)
    return own[:SETS_SHOWN]


def set_url(case_set: CaseSet) -> str:
    """Return the address of a set."""
    return reverse("case_set", args=[case_set.pk])


def _pager(base: str, rows: QuerySet[Any], number: int, size: int) -> Pager:
    # Any: a model
    return list_pager(number, rows.count(), size, lambda page: f"{base}?page={page}")


def _names(case_set: CaseSet) -> list[str]:
    return sorted(repository.name for repository in case_set.repositories.all())


def _set_row(
    case_set: CaseSet, counts: Mapping[str, object] | None, audit: Audit | None
) -> SetRow:
    return SetRow(case_set, _names(case_set), counts or _NONE, audit)


def _row(
    case: Case, case_set: CaseSet, names: Sequence[str], viewer: Viewer
) -> CaseRow:
    case.case_set = case_set  # It is known, and not asked for once a row.
    targets = [Target(*pair) for pair in case.judged.items()]
    return CaseRow(
        case=case,
        targets=targets[:TARGETS_SHOWN],
        more=max(0, len(targets) - TARGETS_SHOWN),
        url=case_url(case, case_set, names),
        may_edit=may_edit_case(viewer, case),
    )


def _refused_view(refused: RefusedLines) -> RefusedView:
    _, problems = unpack_refused(bytes(refused.packed))
    shown = problems[:PROBLEMS_SHOWN]
    return RefusedView(refused, shown, len(problems) - len(shown))
