"""Cases: what queries should find, saved, listed and removed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet

from codesearch.errors import NothingIndexed
from codesearch.inquiry import builds_of
from codesearch.models import Case
from indexer.access import Viewer, may_change, readable


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

    The same question is one case, whoever asks: one that exists stays as it is.
    Raises SearchError when there is nothing to search.
    """
    builds = builds_of(viewer, query, repositories, profile or None)
    asked = [build.index.repository_id for build in builds]
    if not asked:
        raise NothingIndexed("There is no index to ask this case of.")
    case, is_new = Case.objects.get_or_create(
        digest=_digest(query, targets, asked, profile),
        defaults={
            "query": query,
            "targets": sorted(set(targets)),
            "repository_count": len(asked),
            "profile": profile,
            "expected": expected,
            "note": note,
            "created_by_id": user.pk,
        },
    )
    if is_new:
        case.repositories.set(asked)
    return case


def cases_of(viewer: Viewer, repositories: Sequence[str] = ()) -> list[Case]:
    """Return the cases in reach, newest first: all of whose repositories are.

    With `repositories` only those that are asked of none but them.
    """
    cases = _in_reach(viewer, repositories).select_related("created_by")
    return list(cases.prefetch_related("repositories"))


def find_case(
    viewer: Viewer,
    query: str,
    targets: Sequence[str],
    asked: Collection[int],
    profile: str = "",
) -> Case | None:
    """Return the case of a question if it was saved; `asked` are repositories."""
    digest = _digest(query, targets, asked, profile)
    return _in_reach(viewer).filter(digest=digest).first()


def delete_case(*, viewer: Viewer, pk: int) -> bool:
    """Remove a case, if `viewer` may. False: there is no such case for them."""
    case = _in_reach(viewer).filter(pk=pk).first()
    if case is None or not may_delete(viewer, case):
        return False
    case.delete()
    return True


def may_delete(viewer: Viewer, case: Case) -> bool:
    """Return whether `viewer` may remove a case: whoever saved it, and staff."""
    is_own = viewer.user_id is not None and case.created_by_id == viewer.user_id
    return is_own or may_change(viewer)


def _in_reach(viewer: Viewer, repositories: Sequence[str] = ()) -> QuerySet[Case]:
    known = readable(viewer)
    if repositories:
        known = known.filter(name__in=repositories)
    held = Count("repositories", filter=Q(repositories__in=known))
    cases = Case.objects.alias(held=held).filter(held=F("repository_count"))
    return cases.order_by("-pk")  # A grouped query drops the model's own order.


def _digest(
    query: str, targets: Sequence[str], asked: Collection[int], profile: str
) -> str:
    """Return a hash of what is asked; the order of targets is no part of it."""
    what = [query, sorted(set(targets)), sorted(set(asked)), profile]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()
