"""Administration: who may change what on our pages, and the line that tells of it.

The rights and the log are those of Django's admin: what it refuses someone, our pages
refuse too, and both are read in one history.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest

from codesearch.models import Case, CaseSet, SearchRecord, ShareLink
from indexer import services
from indexer.access import may_change, viewer_of
from indexer.models import Build, Repository
from indexer.places import disk_usage

FLAGS = {"add": ADDITION, "change": CHANGE, "delete": DELETION}


@dataclass(frozen=True, slots=True)
class Going:
    """What goes, or can no longer be used, when a repository is removed: counts."""

    builds: int
    disk_bytes: int
    sets: int
    cases: int
    links: int


def may(
    user: AbstractBaseUser | AnonymousUser, action: str, model: type[Model]
) -> bool:
    """Return whether a user is staff with the right to `add`, `change` or `delete`."""
    meta = model._meta
    right = f"{meta.app_label}.{action}_{meta.model_name}"
    return isinstance(user, User) and user.is_staff and user.has_perm(right)


def require(request: HttpRequest, action: str, model: type[Model]) -> None:
    """Raise PermissionDenied unless the user may; before anything is looked up."""
    if not may(request.user, action, model):
        raise PermissionDenied


def require_staff(request: HttpRequest) -> None:
    """Raise PermissionDenied unless the user may start, stop and remove builds.

    Before anything is looked up, so that it does not tell what there is.
    """
    if not may_change(viewer_of(request.user)):
        raise PermissionDenied


def note(request: HttpRequest, action: str, row: Model, message: str = "") -> None:
    """Write a line into the log of the admin. A row that is removed is noted before."""
    LogEntry.objects.log_actions(
        user_id=cast(User, request.user).pk,  # `require` let nobody else through.
        queryset=[row],
        action_flag=FLAGS[action],
        change_message=message,
        single_object=True,
    )


def index_with(request: HttpRequest, repository: Repository, profile: str) -> None:
    """Index a repository with a profile that there is, and note it."""
    index = services.add_index(repository=repository, profile=profile)
    services.request_build(index=index)
    note(request, "change", repository, f"Indexed with {profile}.")


def what_goes(repository: Repository) -> Going:
    """Return what is removed with a repository, or of no use without it."""
    sets = CaseSet.objects.filter(repositories=repository)
    records = SearchRecord.objects.filter(names__has_key=str(repository.pk))
    return Going(
        builds=Build.objects.filter(index__repository=repository).count(),
        disk_bytes=disk_usage(repository),
        sets=sets.count(),
        cases=Case.objects.filter(case_set__in=sets).count(),
        links=ShareLink.objects.filter(record__in=records, revoked_at=None).count(),
    )
