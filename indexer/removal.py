"""Removal: what goes, in which order, and what is kept."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from indexer.models import Build, Chunk, File, Index, Repository
from indexer.places import folder_of, mirror_of
from indexer.progress import cancel_build

KEPT_BUILDS = 2  # The one being searched and the one before it.


def drop_old_builds(*, index: Index) -> None:
    """Remove builds that nothing reads any more, with their folders.

    The current build and the one before it stay; so does a build that ended
    less than a minute ago, because a search may be reading it.
    """
    index.refresh_from_db()
    recent = timezone.now() - timedelta(minutes=1)
    ended = index.builds.exclude(status__in=Build.ACTIVE)
    if index.current_build_id is not None:
        ended = ended.exclude(pk=index.current_build_id)
    ended = ended.filter(layers__isnull=False)
    old = list(ended.distinct().order_by("-pk")[KEPT_BUILDS - 1 :])
    for build in old:
        if build.finished_at and build.finished_at < recent:
            remove_build(build=build)


def remove_index(*, index: Index) -> None:
    """Remove a repository's profile with its builds and their disk space."""
    builds = list(index.builds.all())
    for build in builds:
        cancel_build(build=build)
    for build in builds:
        remove_build(build=build)
    index.delete()


def remove_build(*, build: Build) -> None:
    """Delete a build's rows and folder. Its commit stays pinned for permalinks."""
    with transaction.atomic():
        Chunk.objects.filter(build=build).delete()
        File.objects.filter(build=build).delete()
        folder = folder_of(build)
        build.delete()
    shutil.rmtree(folder, ignore_errors=True)


def remove_repository(*, repository: Repository) -> None:
    """Delete a repository with its indexes, builds, mirror and disk space."""
    mirror = mirror_of(repository)
    for index in repository.indexes.all():
        remove_index(index=index)
    repository.delete()
    remove_mirror(mirror)


def remove_mirror(mirror: Path) -> None:
    """Delete a repository's mirror from the disk."""
    shutil.rmtree(mirror, ignore_errors=True)
    mirror.with_suffix(".lock").unlink(missing_ok=True)


def clear_removed(*, build: Build) -> bool:
    """Return whether `build` was removed; delete what was written for it since."""
    if Build.objects.filter(pk=build.pk).exists():
        return False
    shutil.rmtree(folder_of(build), ignore_errors=True)
    repository = build.index.repository
    if not Repository.objects.filter(pk=repository.pk).exists():
        remove_mirror(mirror_of(repository))
    return True
