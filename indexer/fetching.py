"""Fetching: the one way into a repository's mirror, for builds and for the schedule."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.db.models import Q
from django.utils import timezone

from indexer.errors import IndexingError
from indexer.models import Build, Repository
from indexer.pipeline import git, refs
from indexer.pipeline.git_command import GitError


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
        _count_commits(mirror, build.index.repository, {build.pk: revision})
    return revision


def _count_commits(
    mirror: Path, repository: Repository, revisions: Mapping[int, str]
) -> None:
    """Record how far behind the newest fetched commit builds of these revisions are."""
    for pk, revision in revisions.items():
        behind = refs.commits_between(mirror, revision, repository.fetched_revision)
        Build.objects.filter(pk=pk).update(commits_behind=behind)


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
    except (GitError, IndexingError) as error:
        _record(repository, fetch_failure=str(error).replace("\x00", ""))
        raise
    before = repository.fetched_revision
    _record(repository, fetched_at=began, fetched_revision=revision, fetch_failure="")
    if revision != before:
        _count_commits(mirror, repository, _revisions_in_use(repository))
    return revision


def _revisions_in_use(repository: Repository) -> dict[int, str]:
    """Map the builds that searches read, now or soon, to their revisions."""
    indexes = repository.indexes.all()
    used = Q(pk__in=indexes.values("current_build")) | Q(status__in=Build.ACTIVE)
    builds = Build.objects.filter(used, index__in=indexes).exclude(revision="")
    return dict(builds.order_by("pk").values_list("pk", "revision"))


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
