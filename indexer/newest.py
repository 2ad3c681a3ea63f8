"""Newest: which commit a build is of, and what is known of a newer one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from indexer.access import Viewer, may_change, readable
from indexer.models import Build, Repository
from indexer.pipeline import refs
from indexer.pipeline.git_command import GitError
from indexer.places import mirror_of

MOST_NAMES = 200  # Offered to choose from; any other can be typed.


@dataclass(frozen=True, slots=True)
class Newest:
    """What was last fetched of what a build's repository tracks, beside the build.

    `revision` is the newest fetched commit, `fetched_at` when it was the newest for
    the last time, both None before the first fetch, and `failed` whether a fetch has
    failed since. `is_newest` says whether the build is of that commit, and `behind`
    how many commits it lacks where they are counted. `tracked` is the branch, tag or
    commit that is followed ("" for the default branch), `wanted` the one that was
    chosen for this build instead. `indexing` says whether another build is under way.
    """

    revision: str | None
    fetched_at: datetime | None
    failed: bool
    is_newest: bool | None
    behind: int | None
    tracked: str
    wanted: str
    indexing: bool


def newest_of(builds: Sequence[Build]) -> dict[int, Newest]:
    """Map builds to what is known of a newer commit, in one query for all of them.

    Their indexes and repositories are loaded with them.
    """
    active = Build.objects.filter(
        index__in={build.index_id for build in builds}, status__in=Build.ACTIVE
    )
    under_way = dict(active.order_by().values_list("index_id", "pk"))
    return {
        build.pk: _newest(
            build, indexing=under_way.get(build.index_id, build.pk) != build.pk
        )
        for build in builds
    }


def _newest(build: Build, *, indexing: bool) -> Newest:
    repository: Repository = build.index.repository
    newest = repository.fetched_revision or None
    is_newest = None if newest is None else newest == build.revision
    return Newest(
        revision=newest,
        fetched_at=repository.fetched_at,
        failed=bool(repository.fetch_failure),
        is_newest=is_newest,
        behind=build.commits_behind or None if is_newest is False else None,
        tracked=repository.branch,
        wanted=build.wanted,
        indexing=indexing,
    )


@dataclass(frozen=True, slots=True)
class Source:
    """What a repository follows, and when it is looked at.

    `names` are branches and tags to choose from, the newest first, and `failure` says
    why the last fetch failed: both for those who may change something.
    """

    tracked: str
    revision: str
    fetched_at: datetime | None
    failed: bool
    failure: str
    fetch_minutes: int | None
    due_at: datetime | None
    listens: bool
    names: Sequence[str]


def source_of(viewer: Viewer, name: str) -> Source | None:
    """Return what a repository follows, or None if it is not in reach."""
    repository = readable(viewer).filter(name=name).first()
    if repository is None:
        return None
    changeable = may_change(viewer)
    return Source(
        tracked=repository.branch,
        revision=repository.fetched_revision,
        fetched_at=repository.fetched_at,
        failed=bool(repository.fetch_failure),
        failure=repository.fetch_failure if changeable else "",
        fetch_minutes=repository.fetch_minutes,
        due_at=repository.fetch_due_at,
        listens=bool(repository.hook_secret),
        names=names_of(repository) if changeable else (),
    )


def names_of(repository: Repository) -> list[str]:
    """Return the branches and tags that the mirror knows, the newest first."""
    try:
        return refs.newest_names(mirror_of(repository), MOST_NAMES)
    except GitError:  # A damaged mirror: a name can be typed all the same.
        return []
