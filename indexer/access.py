"""The one place that decides who may see what.

Every read of repositories, builds, files, chunks, traces and shares starts
from `readable` with the viewer. What a viewer may not read does not exist for
them: pages answer 404, never 403.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Q, QuerySet

from indexer.models import FormerName, RemovedRepository, Repository


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whoever asks. `sees_all` for staff and for the command line."""

    user_id: int | None
    sees_all: bool


COMMAND_LINE = Viewer(user_id=None, sees_all=True)
ANYONE = Viewer(user_id=None, sees_all=False)


def viewer_of(user: AbstractBaseUser | AnonymousUser) -> Viewer:
    """Return the viewer that a request's user stands for."""
    if not user.is_authenticated or not getattr(user, "is_active", False):
        return ANYONE
    return Viewer(
        user_id=user.pk,
        sees_all=bool(getattr(user, "is_staff", False)),
    )


def readable(viewer: Viewer) -> QuerySet[Repository]:
    """Return the repositories that `viewer` may read."""
    if viewer.sees_all:
        return Repository.objects.all()
    return Repository.objects.filter(visibility=Repository.Visibility.PUBLIC)


def renamed(viewer: Viewer, names: Collection[str]) -> dict[str, str]:
    """Return what repositories in reach are called now, by the names that they had."""
    found = FormerName.objects.filter(name__in=names, repository__in=readable(viewer))
    return dict(found.values_list("name", "repository__name"))


def removed(viewer: Viewer) -> QuerySet[RemovedRepository]:
    """Return the removed repositories that `viewer` could read if they were here.

    Nothing of their texts is to be shown to anyone: only that they were here.
    """
    if viewer.sees_all:
        return RemovedRepository.objects.all()
    public = Repository.Visibility.PUBLIC
    return RemovedRepository.objects.filter(visibility=public)


def listening(name: str) -> Repository | None:
    """Return the repository whose host may tell of pushes, if it has a secret.

    Whoever tells is no viewer: what they may do is what the secret proves.
    """
    called = Q(name=name) | Q(former_names__name=name)
    return Repository.objects.filter(called).exclude(hook_secret="").first()


def may_change(viewer: Viewer) -> bool:
    """Return whether `viewer` may start, stop and remove builds."""
    return viewer.sees_all
