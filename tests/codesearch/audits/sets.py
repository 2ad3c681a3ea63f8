"""Small sets of cases for the tests of audits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from codesearch.audits.rows import Line, unpack_lists
from codesearch.case_files.gathering import case_digest
from codesearch.models import AuditRow, Case, CaseSet
from indexer.models import Build


def make_set(
    build: Build,
    cases: Sequence[tuple[str, list[str]]],
    *,
    unit: str = "chunk",
    grades: Mapping[str, int] | None = None,
    name: str = "tests",
) -> CaseSet:
    """Return a set of (query, targets) for a build's repository, keys q0, q1, ..."""
    found = CaseSet.objects.create(name=name, unit=unit, repository_count=1)
    found.repositories.add(build.index.repository)
    for n, (query, targets) in enumerate(cases):
        Case.objects.create(
            case_set=found,
            key=f"q{n}",
            query=query,
            targets=targets,
            grades={t: g for t, g in (grades or {}).items() if t in targets},
            digest=case_digest(query, targets),
        )
    return found


def result_of(row: AuditRow) -> dict[str, Any]:  # Any: JSON
    """Return the result of a row that has one."""
    assert row.result is not None
    return dict(row.result)


def lists_of(row: AuditRow) -> dict[str, list[Line]]:
    """Return the lists of a row that has some."""
    assert row.lists is not None
    return unpack_lists(bytes(row.lists))
