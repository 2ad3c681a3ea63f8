"""Cases: what queries should find, saved one by one, changed, listed and removed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction

from codesearch.case_files.gathering import (
    KEY_DIGITS,
    case_digest,
    check_case,
    digest_of,
    free_key,
)
from codesearch.case_files.records import NewCase, Refused
from codesearch.corpora import current_builds
from codesearch.errors import NothingIndexed, SearchError, UnreadableCase
from codesearch.inquiry import builds_of
from codesearch.models import Case, CaseSet
from codesearch.reach import cases_in_reach, may_edit
from codesearch.targets import Resolved, resolve_target, spell_lasting
from indexer.access import Viewer
from indexer.models import Build, Repository

User = AbstractBaseUser | AnonymousUser


@transaction.atomic
def save_case(
    *,
    viewer: Viewer,
    user: User,
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
    builds = _searched(viewer, query, repositories, profile)
    case_set = _lock(saved_set(builds, profile))
    digest = case_digest(query, targets)
    if known := case_set.cases.filter(digest=digest).first():
        return known
    judged = tuple((target, 1) for target in dict.fromkeys(targets))
    case = NewCase(query, judged, expected=expected, note=note)
    return _create(case_set, case, user)


@transaction.atomic
def save_right_one(
    *,
    viewer: Viewer,
    user: User,
    query: str,
    target: str,
    repositories: Sequence[str] = (),
    profile: str = "",
    case_set: CaseSet | None = None,
) -> Case:
    """Save that `target`, one hit of a search, is what `query` should find.

    It goes to `case_set`, or to the set of what is searched. Where one's own case of
    this query is there, it becomes one of its targets. Raises SearchError.
    """
    builds = _searched(viewer, query, repositories, profile)
    case_set = _lock(case_set or saved_set(builds, profile))
    spelled = _spell_in(case_set, resolve_target(target, builds))
    for case in case_set.cases.filter(query=query):
        if spelled in case.targets:
            return case
        if case.created_by_id == user.pk:
            judged = (*new_case(case).targets, (spelled, 1))
            return _write(case, NewCase(query, judged))
    return _create(case_set, NewCase(query, ((spelled, 1),)), user)


@transaction.atomic
def add_case(*, viewer: Viewer, user: User, case_set: CaseSet, case: NewCase) -> Case:
    """Add a case that was typed. Raises SearchError, PermissionError."""
    if not may_add(viewer, case_set):
        raise PermissionError
    _check(_lock(case_set), case)
    _check_targets(viewer, case_set, case)
    return _create(case_set, case, user)


@transaction.atomic
def change_case(*, viewer: Viewer, case: Case, told: NewCase) -> Case:
    """Write what was told over a case. Raises SearchError, PermissionError."""
    if not may_edit_case(viewer, case):
        raise PermissionError
    _check(_lock(case.case_set), told, known=case)
    _check_targets(viewer, case.case_set, told)
    case.key = told.key or case.key
    case.topic, case.note = told.topic, told.note
    case.expected = told.expected or Case.Expected.ON_PAGE
    case.is_synthetic = told.is_synthetic
    return _write(case, told)


def may_add(viewer: Viewer, case_set: CaseSet) -> bool:
    """Return whether `viewer` may add cases: to one's own set, and to saved ones."""
    saved = bool(case_set.saved_digest) and viewer.user_id is not None
    return saved or may_edit(viewer, case_set)


def may_edit_case(viewer: Viewer, case: Case) -> bool:
    """Return whether `viewer` may change or remove a case: its own, or of its set."""
    return may_edit(viewer, case) or may_edit(viewer, case.case_set)


def saved_set(builds: Sequence[Build], profile: str) -> CaseSet:
    """Return the set that holds the single cases of these repositories."""
    repositories = [build.index.repository for build in builds]
    keys = sorted(repository.pk for repository in repositories)
    names = ", ".join(sorted(repository.name for repository in repositories))
    found, is_new = CaseSet.objects.get_or_create(
        saved_digest=digest_of([keys, profile]),
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


def delete_case(*, viewer: Viewer, pk: int) -> CaseSet | None:
    """Remove a case, if `viewer` may, and return its set. None: there is none."""
    case = cases_in_reach(viewer).filter(pk=pk).select_related("case_set").first()
    if case is None or not may_edit_case(viewer, case):
        return None
    case.delete()
    return case.case_set


def new_case(case: Case) -> NewCase:
    """Return a case as it is written into files."""
    return NewCase(
        query=case.query,
        targets=tuple(case.judged.items()),
        key=case.key,
        topic=case.topic,
        expected=case.expected,
        is_synthetic=case.is_synthetic,
        note=case.note,
    )


def make_row(case_set: CaseSet, case: NewCase, user: User | None) -> Case:
    """Return a case with a key as a row that is not saved yet."""
    row = Case(
        case_set=case_set,
        key=case.key,
        topic=case.topic,
        expected=case.expected or Case.Expected.ON_PAGE,
        is_synthetic=case.is_synthetic,
        note=case.note,
        created_by_id=user.pk if user else None,
    )
    return _fill(row, case)


def _lock(case_set: CaseSet) -> CaseSet:
    """Let one at a time add to a set: keys and questions are there once."""
    return CaseSet.objects.select_for_update().get(pk=case_set.pk)


def _searched(
    viewer: Viewer, query: str, repositories: Sequence[str], profile: str
) -> list[Build]:
    builds = builds_of(viewer, query, repositories, profile or None)
    if not builds:
        raise NothingIndexed("There is no index to ask this case of.")
    return builds


def _spell_in(case_set: CaseSet, found: Resolved) -> str:
    """Return the spelling of one hit that lasts: without the name of a lone repository.

    Raises SearchError where it is no hit of this set.
    """
    if len(found.chunks) != 1:
        raise SearchError("This hit is not in the index any more; search again.")
    chunk = found.chunks[0]
    repository = chunk.build.index.repository
    asked = [one.pk for one in case_set.repositories.all()]
    if repository.pk not in asked:
        raise SearchError(f"{case_set} is not asked of {repository}.")
    spelled = spell_lasting(chunk)
    return spelled if len(asked) == 1 else f"{repository}:{spelled}"


def _check(case_set: CaseSet, case: NewCase, known: Case | None = None) -> None:
    try:
        check_case(case)
    except Refused as why:
        raise UnreadableCase(str(why)) from why
    others = case_set.cases.exclude(pk=known.pk) if known else case_set.cases
    if case.key and others.filter(key=case.key).exists():
        raise UnreadableCase(f"Another case of this set has the id {case.key}.")


def _check_targets(viewer: Viewer, case_set: CaseSet, case: NewCase) -> None:
    """Raise AmbiguousTarget for one that the indexes of the set have several of.

    One that they do not have may be wanted all the same.
    """
    names = [repository.name for repository in case_set.repositories.all()]
    builds = current_builds(viewer, names, case_set.profile or None) if names else []
    for target, _ in case.targets if builds else ():
        resolve_target(target, builds)


def _create(case_set: CaseSet, case: NewCase, user: User) -> Case:
    row = make_row(case_set, case, user if user.is_authenticated else None)
    wanted = case.key or row.digest[:KEY_DIGITS]
    taken = case_set.cases.filter(key__startswith=wanted).values_list("key", flat=True)
    row.key = free_key(wanted, set(taken))
    row.save()
    return row


def _write(case: Case, told: NewCase) -> Case:
    _fill(case, told).save()
    return case


def _fill(row: Case, case: NewCase) -> Case:
    row.query = case.query
    row.targets = sorted(target for target, _ in case.targets)
    row.grades = {target: grade for target, grade in case.targets if grade != 1}
    row.digest = case_digest(case.query, row.targets)
    return row
