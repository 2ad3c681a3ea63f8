"""Removal: what goes, in which order, and what is kept.

Rows are unpublished first, then the files go. A removal that is killed between the
two leaves what the next one finds.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Collection
from pathlib import Path

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from indexer.leases import is_at_work
from indexer.models import (
    Build,
    Chunk,
    File,
    Index,
    Layer,
    RemovedRepository,
    Repository,
)
from indexer.pipeline.full_texts import FullTexts
from indexer.places import TEXTS_SUFFIX, folder_of, mirror_of
from indexer.progress import cancel_build
from indexer.readers import no_readers

KEPT_ROWS = 50  # Builds of an index that the jobs page can still tell of.

Holder = Callable[[], Collection[int]]
_holders: list[Holder] = []


def keep_for(holder: Holder) -> None:
    """Never remove the builds, by key, that `holder` names while it names them."""
    if holder not in _holders:
        _holders.append(holder)


def kept_builds(index: Index) -> set[int]:
    """Return the builds of an index that stay: keys.

    The current one, the newest complete ones up to the repository's number, the
    active, those that a job holds, and a damaged one until a newer one is searched.
    """
    current = index.current_build
    is_counted = current is not None and current.status == Build.Status.READY
    room = max(0, index.repository.kept_builds - is_counted)
    found = index.builds.exclude(pk=index.current_build_id or 0).order_by("-pk")
    complete = found.filter(
        Exists(Layer.objects.filter(build=OuterRef("pk"))),
        status=Build.Status.READY,
        damage="",
    )
    keys = {index.current_build_id or 0}
    keys.update(complete.values_list("pk", flat=True)[:room])
    keys.update(found.filter(status__in=Build.ACTIVE).values_list("pk", flat=True))
    unrepaired = found.exclude(damage="").filter(pk__gt=index.current_build_id or 0)
    keys.update(unrepaired.values_list("pk", flat=True))
    for holder in _holders:
        keys.update(holder())
    return keys - {0}


def drop_old_builds(*, index: Index) -> int:
    """Free the builds that nothing needs any more; return how many were.

    One that is being read, or that a worker may still be writing, waits for the next
    time. The rows of the last builds stay, with their logs.
    """
    index = _fresh(Index.objects.all(), index)
    others = index.builds.exclude(pk__in=kept_builds(index)).order_by("-pk")
    freed = sum(free_build(build=build) for build in others if _holds_anything(build))
    for build in others[KEPT_ROWS:]:
        if not _holds_anything(build):
            build.delete()
    return freed


def free_build(*, build: Build) -> bool:
    """Remove the files, layers, chunks and ledger of a build that has ended.

    Its own row and its log stay. False: it is needed, or still read or written.
    """
    if is_at_work(build):
        return False
    with no_readers(folder_of(build)) as alone:
        if not alone or not _unpublish(build):
            return False
        aside = _move_aside(folder_of(build))
    _delete_rows(build)
    shutil.rmtree(aside, ignore_errors=True)
    return True


def _unpublish(build: Build) -> bool:
    """Delete the layers' rows, unless the build has come to be needed meanwhile."""
    with transaction.atomic():
        index = _fresh(Index.objects.select_for_update(of=("self",)), build.index)
        if build.pk in kept_builds(index):
            return False
        build.layers.all().delete()
    return True


def _fresh(indexes: QuerySet[Index], index: Index) -> Index:
    chosen = indexes.select_related("current_build", "repository")
    return chosen.get(pk=index.pk)


def _holds_anything(build: Build) -> bool:
    rows = (build.layers, build.files, build.chunks)
    return folder_of(build).exists() or any(row.exists() for row in rows)


def _delete_rows(build: Build) -> None:
    """Delete chunks, then the ledger, as they are: 53,000 chunks in a quarter second.

    Nothing else refers to them, so none of them need be loaded first.
    """
    for model in (Chunk, File):
        rows = model._default_manager.filter(build=build)
        rows._raw_delete(rows.db)


def remove_index(*, index: Index) -> None:
    """Remove a repository's profile with its builds and their disk space."""
    builds = list(index.builds.all())
    for build in builds:
        cancel_build(build=build)
    for build in builds:
        remove_build(build=build)
    index.delete()


def remove_build(*, build: Build) -> None:
    """Delete a build's rows and folder. Its commit stays pinned for permalinks.

    Files that are being read go when garbage is collected the next time.
    """
    folder = folder_of(build)
    with transaction.atomic():
        build.layers.all().delete()
    _delete_rows(build)
    build.delete()
    remove_folder(folder)


def remove_folder(folder: Path) -> bool:
    """Delete the folder of a build; False, and it stays, while someone reads it."""
    with no_readers(folder) as alone:
        if not alone:
            return False
        aside = _move_aside(folder)
    shutil.rmtree(aside, ignore_errors=True)
    return True


def _move_aside(folder: Path) -> Path:
    """Give a folder a name that stands for nothing, at once; return it."""
    aside = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}")
    if folder.exists():
        folder.rename(aside)
    return aside


def remove_repository(*, repository: Repository) -> None:
    """Delete a repository with its indexes, builds, mirror and disk space.

    What stays is that it was here: for what was shared of it.
    """
    mirror = mirror_of(repository)
    for index in repository.indexes.all():
        remove_index(index=index)
    with transaction.atomic():
        RemovedRepository.objects.update_or_create(
            key=repository.pk,
            defaults={"name": repository.name, "visibility": repository.visibility},
        )
        repository.delete()
    remove_mirror(mirror)


def remove_mirror(mirror: Path) -> None:
    """Delete a repository's mirror, and the texts beside it, from the disk."""
    shutil.rmtree(mirror, ignore_errors=True)
    FullTexts(mirror.with_suffix(TEXTS_SUFFIX)).discard()
    mirror.with_suffix(".lock").unlink(missing_ok=True)


def clear_removed(*, build: Build) -> bool:
    """Return whether `build` was removed; delete what was written for it since."""
    if Build.objects.filter(pk=build.pk).exists():
        return False
    remove_folder(folder_of(build))
    repository = build.index.repository
    if not Repository.objects.filter(pk=repository.pk).exists():
        remove_mirror(mirror_of(repository))
    return True
