"""Freshness: look at what a source holds now, and have built what is newer.

A repository is looked at every `fetch_minutes`, and when its host tells of a push.
`fetch_due_at` says when next. The database holds it and the broker only wakes a
worker up, so that no push that was acknowledged is forgotten.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError

from indexer import services, tasks
from indexer.errors import IndexingError
from indexer.fetching import bring_up_to_date, is_locked, locked
from indexer.models import Build, Index, Repository
from indexer.pipeline import refs
from indexer.pipeline.git_command import GitError
from indexer.places import mirror_of
from indexer.removal import remove_mirror

logger = logging.getLogger(__name__)

PATIENCE = timedelta(minutes=5)  # For a worker to begin; then it is asked again.
RETRY = timedelta(minutes=10)  # After a push whose commits could not be fetched.
MOST_AT_ONCE = 20  # A minute: after a night without power not all at the same time.


def fetch(
    repository: Repository,
    *,
    cause: str = Build.Cause.SCHEDULE,
    asked_at: datetime | None = None,
) -> bool:
    """Bring the mirror up to date and request the builds that follow from it.

    Returns whether the source could be read. It is not read again when that was done
    since `asked_at`, nor while another process is at it: then it is due again. A
    failure is recorded with the repository and disturbs no build.
    """
    if asked_at and _was_fetched_since(repository, asked_at):
        follow(repository, cause=cause)
        return True
    repositories = Repository.objects.filter(pk=repository.pk)
    begun = timezone.now() + PATIENCE
    try:
        with locked(mirror_of(repository), wait=False):
            repositories.update(fetch_due_at=begun)
            succeeded = _look(repository)
    except BlockingIOError:
        repositories.update(fetch_due_at=timezone.now())
        return False
    # Unless someone asked for another look meanwhile.
    due_at = _next_look(repository, succeeded=succeeded)
    repositories.filter(fetch_due_at=begun).update(fetch_due_at=due_at)
    if not repositories.exists():
        remove_mirror(mirror_of(repository))
    elif succeeded:
        follow(repository, cause=cause)
    return succeeded


def _was_fetched_since(repository: Repository, asked_at: datetime) -> bool:
    """Tell whether it was; not by a time to come, from before a clock was set back."""
    fetched_at = repository.fetched_at
    return fetched_at is not None and asked_at <= fetched_at <= timezone.now()


def _look(repository: Repository) -> bool:
    """Fetch into the mirror, which is locked; return whether that succeeded."""
    mirror = mirror_of(repository)
    try:
        bring_up_to_date(repository, mirror)
    except (GitError, IndexingError) as error:
        logger.warning("%s could not be fetched: %s", repository, error)
        return False
    try:
        refs.tidy(mirror)
    except GitError as error:  # It takes more room, and is whole.
        logger.warning("%s could not be packed: %s", repository, error)
    return True


def _next_look(repository: Repository, *, succeeded: bool) -> datetime | None:
    rows = Repository.objects.filter(pk=repository.pk)
    minutes = rows.values_list("fetch_minutes", flat=True).first()
    if minutes:
        return timezone.now() + timedelta(minutes=minutes)
    return None if succeeded else timezone.now() + RETRY


def follow(repository: Repository, *, cause: str) -> list[Build]:
    """Request a build of each index that is behind what the repository tracks.

    Behind is an index whose newest build of the tracked branch is of another commit.
    One that was never built is left alone, and so is one that is being built at a
    revision which someone chose: `follow_up` looks at it when it ends.
    """
    if not repository.fetched_revision:
        return []
    indexes = Index.objects.filter(repository=repository)
    behind = [one for one in indexes if _is_behind(one, repository.fetched_revision)]
    return [services.request_build(index=one, cause=cause) for one in behind]


def _is_behind(index: Index, tracked: str) -> bool:
    builds = index.builds.order_by("-pk")
    if builds.filter(status__in=Build.ACTIVE).exclude(wanted="").exists():
        return False
    newest = builds.filter(wanted="").first() or builds.first()
    return newest is not None and newest.revision != tracked


def follow_up(*, build: Build) -> None:
    """After a build has ended: request another if its source has moved on since.

    Of a repository that is looked at by itself; of others no one asked for it.
    """
    ended = Build.objects.filter(
        pk=build.pk, status__in=(Build.Status.READY, Build.Status.FAILED)
    ).exclude(revision="")
    repository = Repository.objects.filter(indexes=build.index_id).first()
    if repository is None or not ended.exists():
        return
    if repository.fetch_minutes:
        follow(repository, cause=Build.Cause.SCHEDULE)
    elif repository.hook_secret:
        follow(repository, cause=Build.Cause.PUSH)


def request_fetch(repository: Repository, *, cause: str) -> None:
    """Have a worker look at the source, soon and once however often it is asked."""
    asked_at = timezone.now()
    Repository.objects.filter(pk=repository.pk).update(fetch_due_at=asked_at + PATIENCE)
    transaction.on_commit(lambda: _enqueue(repository.pk, asked_at, cause))


def is_built(repository: Repository) -> bool:
    """Return whether it was ever indexed: what never was is not fetched by itself."""
    return Build.objects.filter(index__repository=repository).exists()


def request_due_fetches() -> int:
    """Have workers look at the sources that are due, longest first; return how many.

    One that is being fetched stays due, for the next call.
    """
    asked = 0
    for repository in _due():
        if asked == MOST_AT_ONCE:
            break
        if not is_locked(mirror_of(repository)):
            request_fetch(repository, cause=Build.Cause.SCHEDULE)
            asked += 1
    return asked


def _due() -> QuerySet[Repository]:
    """Return the built repositories that are to be looked at now."""
    built = Build.objects.filter(index__repository=OuterRef("pk"))
    due = Q(fetch_due_at__lte=timezone.now()) | Q(
        fetch_due_at=None, fetch_minutes__isnull=False
    )
    longest = F("fetch_due_at").asc(nulls_first=True)
    return Repository.objects.filter(due, Exists(built)).order_by(longest, "pk")


def _enqueue(repository_id: int, asked_at: datetime, cause: str) -> None:
    """Wake a worker up. Without a broker the repository is due at once."""
    try:
        tasks.fetch_repository.apply_async(
            (repository_id, asked_at.isoformat(), cause),
            retry=False,
            expires=PATIENCE.total_seconds(),
        )
    except OperationalError:
        logger.warning("the broker does not answer; a fetch waits for it")
        Repository.objects.filter(pk=repository_id).update(fetch_due_at=asked_at)
