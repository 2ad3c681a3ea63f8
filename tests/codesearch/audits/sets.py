"""Small sets of cases for the tests of audits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codesearch.cases import case_digest
from codesearch.models import Case, CaseSet
from indexer.models import Build


def make_set(
    build: Build,
    cases: Sequence[tuple[str, list[str]]],
    *,
    unit: str = "chunk",
    grades: Mapping[str, int] | None = None,
) -> CaseSet:
    """Return a set of (query, targets) for a build's repository, keys q0, q1, ..."""
    found = CaseSet.objects.create(name="tests", unit=unit, repository_count=1)
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
