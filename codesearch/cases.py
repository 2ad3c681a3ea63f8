"""Cases: what queries should find, saved one by one, listed and removed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from codesearch.errors import NothingIndexed
from codesearch.inquiry import builds_of
from codesearch.models import Case, CaseSet
from codesearch.reach import cases_in_reach, may_edit
from indexer.access import Viewer
from indexer.models import Build, Repository

KEY_DIGITS = 12  # Of the digest: the key of a case that was saved.


@transaction.atomic
def save_case(
    *,
    viewer: Viewer,
    user: AbstractBaseUser,
    query: str,
    targets: Sequence[str],
    repositories: Sequence[str] = (),
    profile: str = "",
    expected: str = Case.Expected.ON_PAGE,
    note: str = "",
) -> Case:
    """Save what `query` should find, in all that is searched if none is named.

    It goes to the set of these repositories. The same question is one case, whoever
    asks: one that exists stays as it is. Raises SearchError when there is nothing to
    search.
    """
    builds = builds_of(viewer, query, repositories, profile or None)
    if not builds:
        raise NothingIndexed("There is no index to ask this case of.")
    digest = case_digest(query, targets)
    case, _ = Case.objects.get_or_create(
        case_set=saved_set(builds, profile),
        key=digest[:KEY_DIGITS],
        defaults={
            "query": query,
            "targets": sorted(set(targets)),
            "digest": digest,
            "expected": expected,
            "note": note,
            "created_by_id": user.pk,
        },
    )
    return case


def saved_set(builds: Sequence[Build], profile: str) -> CaseSet:
    """Return the set that holds the single cases of these repositories."""
    repositories = [build.index.repository for build in builds]
    keys = sorted(repository.pk for repository in repositories)
    names = ", ".join(sorted(repository.name for repository in repositories))
    found, is_new = CaseSet.objects.get_or_create(
        saved_digest=_digest([keys, profile]),
        defaults={
            "name": f"saved for {names}"[:100],
            "repository_count": len(keys),
            "profile": profile,
        },
    )
    if is_new:
        found.repositories.set(keys)
    return found


def cases_of(viewer: Viewer, repositories: Sequence[str] = ()) -> list[Case]:
    """Return the cases in reach, newest first: all of whose repositories are.

    With `repositories` only those that are asked of none but them.
    """
    cases = cases_in_reach(viewer).filter(case_set__is_foreign=False)
    if repositories:
        beyond = Repository.objects.exclude(name__in=repositories)
        cases = cases.exclude(case_set__repositories__in=beyond)
    cases = cases.select_related("case_set", "created_by")
    return list(cases.prefetch_related("case_set__repositories"))


def find_case(
    viewer: Viewer,
    query: str,
    targets: Sequence[str],
    asked: Collection[int],
    profile: str = "",
) -> Case | None:
    """Return the case of a question if it was saved; `asked` are repositories."""
    same = cases_in_reach(viewer).filter(digest=case_digest(query, targets))
    same = same.filter(case_set__profile=profile).select_related("case_set")
    for case in same.prefetch_related("case_set__repositories"):
        if {one.pk for one in case.case_set.repositories.all()} == set(asked):
            return case
    return None


def delete_case(*, viewer: Viewer, pk: int) -> bool:
    """Remove a case, if `viewer` may. False: there is no such case for them."""
    case = cases_in_reach(viewer).filter(pk=pk).first()
    if case is None or not may_edit(viewer, case):
        return False
    case.delete()
    return True


def case_digest(query: str, targets: Sequence[str]) -> str:
    """Return a hash of what is asked; the order of targets is no part of it."""
    return _digest([query, sorted(set(targets))])


def _digest(what: object) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()
