"""Fetching: the one way into a repository's mirror, for builds and for the schedule."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.utils import timezone

from indexer.errors import IndexingError
from indexer.models import Build, Repository
from indexer.pipeline import git, refs


def fetch_revision(build: Build, mirror: Path) -> str:
    """Bring the mirror up to date and return the commit to build, pinned.

    A full hash that the mirror holds already needs nothing of the source.
    """
    with locked(mirror):
        if build.revision:  # Resumed: the same commit, or nothing would add up.
            return build.revision
        revision = git.held_commit(mirror, build.wanted)
        if revision is None:
            revision = _fetch_wanted(build, mirror)
        git.pin_revision(mirror, revision, f"build-{build.pk}")
        _count_commits(build, mirror, revision)
    return revision


def _count_commits(build: Build, mirror: Path, revision: str) -> None:
    tracked = build.index.repository.fetched_revision
    behind = refs.commits_between(mirror, revision, tracked) if tracked else None
    Build.objects.filter(pk=build.pk).update(commits_behind=behind)


def _fetch_wanted(build: Build, mirror: Path) -> str:
    try:
        tracked = bring_up_to_date(build.index.repository, mirror)
    except git.NoRevisionError:
        if not build.wanted:
            raise
    if build.wanted:
        return git.resolve_revision(mirror, build.wanted)
    return tracked


def bring_up_to_date(repository: Repository, mirror: Path) -> str:
    """Fetch into the mirror, which is locked; return the commit that is tracked now.

    How it went is recorded with the repository, and when it began: what it found is
    no older than that. Raises IndexingError or GitError with a sentence,
    NoRevisionError when only what is tracked is not there.
    """
    began = timezone.now()
    refs.remove_stale_locks(mirror)
    try:
        revision = _fetch_tracked(repository, mirror)
    except (git.GitError, IndexingError) as error:
        _record(repository, fetch_failure=str(error).replace("\x00", ""))
        raise
    _record(repository, fetched_at=began, fetched_revision=revision, fetch_failure="")
    return revision


def _fetch_tracked(repository: Repository, mirror: Path) -> str:
    if repository.source.startswith("/"):
        revision = git.snapshot_folder(real_folder(repository.source), mirror)
    else:
        git.update_mirror(repository.source, mirror)
        revision = None
    if repository.branch:
        return git.resolve_revision(mirror, repository.branch)
    return revision or git.head_revision(mirror)


def _record(repository: Repository, **fields: object) -> None:
    """Save these fields of a repository and no others, which staff may be changing."""
    Repository.objects.filter(pk=repository.pk).update(**fields)
    for name, value in fields.items():
        setattr(repository, name, value)


def real_folder(source: str) -> Path:
    """Return a registered folder; refuse one that has become a link to elsewhere."""
    folder = Path(source)
    if folder.resolve() != folder:
        raise IndexingError(
            f"{source} was a folder when it was registered and is now reached through "
            "a link; register the folder that is meant."
        )
    return folder


@contextmanager
def locked(mirror: Path, *, wait: bool = True) -> Iterator[None]:
    """Let one process at a time fetch into a mirror.

    Raises BlockingIOError when another is at it and `wait` is False.
    """
    mirror.parent.mkdir(parents=True, exist_ok=True)
    with mirror.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield


def is_locked(mirror: Path) -> bool:
    """Return whether a process is fetching into a mirror now."""
    try:
        with locked(mirror, wait=False):
            return False
    except BlockingIOError:
        return True
