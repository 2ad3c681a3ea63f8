"""What changes repositories, indexes and builds, for tasks, pages and commands."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection
from pathlib import Path

from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from indexer import tasks
from indexer.access import Viewer, may_change, readable
from indexer.errors import IndexingError, LeaseLost
from indexer.events import record_event
from indexer.jobs import RETRIED
from indexer.leases import LEASE, Lease, release, unattended
from indexer.limits import is_disk_full, shortage
from indexer.models import (
    DEFAULT_PROFILE,
    Build,
    BuildEvent,
    FormerName,
    Index,
    Profile,
    Repository,
)
from indexer.pipeline.sources import check_branch, plain_address
from indexer.pipeline.store import DamagedError
from indexer.progress import (
    begin_step,
    cancel_build,
    count_work,
    fail_build,
    tell_accident,
)
from indexer.removal import clear_removed, drop_old_builds
from indexer.stages import cause_sentence

logger = logging.getLogger(__name__)


def register(
    *,
    name: str,
    source: str,
    branch: str = "",
    profile: str = DEFAULT_PROFILE,
    visibility: str = Repository.Visibility.PUBLIC,
    index_secrets: bool = False,
    fetch_minutes: int | None = None,
) -> Index:
    """Return the index of a repository under a profile, made if needed.

    A folder is kept as its real path, links followed, so that a build can refuse
    one that became a link to elsewhere. Raises IndexingError when the name cannot
    be part of an address or stands for another source or branch already.
    """
    try:
        Repository._meta.get_field("name").clean(name, None)
    except ValidationError as error:
        raise IndexingError(f"{name!r}: {' '.join(error.messages)}") from error
    if source.startswith("/"):
        source = str(Path(source).resolve())
    with transaction.atomic():
        repository, _ = Repository.objects.get_or_create(
            name=name,
            defaults={
                "source": source,
                "branch": branch,
                "visibility": visibility,
                "index_secrets": index_secrets,
                "fetch_minutes": fetch_minutes,
            },
        )
        _refuse_another(repository, source, branch)
        FormerName.objects.filter(name=name).delete()
        return add_index(repository=repository, profile=profile)


def _refuse_another(repository: Repository, source: str, branch: str) -> None:
    """Raise IndexingError if a name stands for another source or branch already."""
    if repository.source != source:
        raise IndexingError(
            f"The name {repository.name} is taken by "
            f"{plain_address(repository.source)}; choose another with --name."
        )
    if branch and repository.branch != branch:
        raise IndexingError(
            f"{repository.name} is registered with "
            f"{repository.branch or 'its default branch'}; change that in its "
            "settings, or choose another name with --name."
        )


def change_repository(
    *, repository: Repository, changed: Collection[str], new_secret: bool = False
) -> None:
    """Save the `changed` fields of a repository, no others: it may be fetched just now.

    With `new_secret` its webhook gets another one. What was fetched of another source
    or branch says nothing of this one. A name that it had leads to it. Builds at work
    of what is no longer meant begin anew, and so does what is searched when secrets are
    to be in it, or no longer.
    """
    fields = {field.name for field in Repository._meta.fields}.intersection(changed)
    if new_secret:
        repository.hook_secret = secrets.token_urlsafe(32)
        fields.add("hook_secret")
    if fields & {"source", "branch"}:
        repository.fetched_at, repository.fetched_revision = None, ""
        repository.fetch_failure = ""
        fields |= {"fetched_at", "fetched_revision", "fetch_failure"}
    if fields & {"source", "branch", "fetch_minutes"}:
        repository.fetch_due_at = None
        fields.add("fetch_due_at")
    with transaction.atomic():
        if "name" in fields:
            _keep_name(repository)
        repository.save(update_fields=fields)
        if fields & {"source", "branch", "index_secrets"}:
            _begin_anew(repository, searched="index_secrets" in fields)


def _keep_name(repository: Repository) -> None:
    """Let the name that a repository has until now lead to it, until it is taken."""
    before = Repository.objects.get(pk=repository.pk).name
    FormerName.objects.filter(name=repository.name).delete()
    if before != repository.name:
        repository.former_names.create(name=before)


def _begin_anew(repository: Repository, *, searched: bool) -> None:
    """Replace the active builds of a repository, and with `searched` the others."""
    for index in repository.indexes.order_by("pk"):
        build = index.builds.filter(status__in=Build.ACTIVE).first()
        if build is not None:
            cancel_build(build=build)
        elif searched:
            build = index.current_build
        if build is not None:
            request_build(index=index, revision=build.wanted)


def add_index(*, repository: Repository, profile: str) -> Index:
    """Return the index of `repository` under `profile`; the first is the default."""
    try:
        chosen = Profile.objects.get(name=profile)
    except Profile.DoesNotExist as error:
        names = ", ".join(Profile.objects.values_list("name", flat=True))
        raise IndexingError(f"No profile {profile!r}; there are {names}.") from error
    has_default = repository.indexes.filter(is_default=True).exists()
    index, _ = Index.objects.get_or_create(
        repository=repository, profile=chosen, defaults={"is_default": not has_default}
    )
    return index


def request_build(
    *,
    index: Index,
    enqueue: bool = True,
    cause: str = Build.Cause.ASKED,
    revision: str = "",
) -> Build:
    """Return a build that will be made: a new one, or the one already active.

    `revision` is a branch, a tag or a commit; empty: what the repository tracks. An
    active build of another one, or of a profile that was changed since, is cancelled.
    Raises IndexingError for what cannot be a name.
    """
    try:
        check_branch(revision)
    except ValueError as error:
        raise IndexingError(str(error)) from error
    with transaction.atomic():
        Index.objects.select_for_update().get(pk=index.pk)
        recipe = Profile.objects.get(pk=index.profile_id).recipe
        active = index.builds.filter(status__in=Build.ACTIVE).first()
        if active and (active.recipe, active.wanted) != (recipe, revision):
            cancel_build(build=active)
            active = None
        if active:
            return active
        build = index.builds.create(
            lease_until=timezone.now() + LEASE,
            recipe=recipe,
            cause=cause,
            wanted=revision,
        )
        record_event(build, f"{cause_sentence(build)}.")
        if enqueue:
            transaction.on_commit(lambda: _enqueue(build.pk))
    return build


def rebuild_profile(*, profile: Profile) -> int:
    """Request a build of every index that `profile` was changed under; return how many.

    Until such a build is complete, searches read the one before it.
    """
    changed = [
        newest for index in profile.indexes.all() if (newest := _outdated(index))
    ]
    for build in changed:
        request_build(
            index=build.index, cause=Build.Cause.PROFILE, revision=build.wanted
        )
    return len(changed)


def _outdated(index: Index) -> Build | None:
    """Return the newest build if it is of another recipe than the profile's."""
    newest = index.builds.order_by("-pk").first()
    if newest is None or newest.recipe == index.profile.recipe:
        return None
    return newest


def _enqueue(build_id: int) -> None:
    """Wake a worker up. Without a broker the build waits; `resume_builds` finds it."""
    try:
        tasks.advance_build.apply_async((build_id,), retry=False)
    except OperationalError:
        logger.warning("the broker does not answer; build %d waits for it", build_id)
        record_event(
            Build.objects.get(pk=build_id),
            "The broker does not answer; the build waits for it.",
            level=BuildEvent.Level.WARNING,
        )


def request_build_by_name(*, viewer: Viewer, name: str, revision: str = "") -> Build:
    """Start a build of a repository's default index, for someone who may.

    `revision` as in `request_build`.
    """
    return request_build(index=_changeable_index(viewer, name), revision=revision)


def cancel_build_by_name(*, viewer: Viewer, name: str) -> None:
    """Stop the active build of a repository's default index, for someone who may."""
    index = _changeable_index(viewer, name)
    for build in index.builds.filter(status__in=Build.ACTIVE):
        cancel_build(build=build)


def retry_build(*, build: Build) -> Build:
    """Return a new build of what a failed or cancelled one was asked for.

    What that one had cached is found again. Raises IndexingError where it did not end
    so, or another is at work.
    """
    if build.status not in RETRIED:
        raise IndexingError(f"Build {build.pk} has not failed; index again instead.")
    active = build.index.builds.filter(status__in=Build.ACTIVE).first()
    if active is not None:
        raise IndexingError(f"Build {active.pk} of this index is at work already.")
    made = request_build(index=build.index, revision=build.wanted)
    record_event(made, f"A retry of build {build.pk}.")
    return made


def _changeable_index(viewer: Viewer, name: str) -> Index:
    index = Index.objects.filter(
        repository__in=readable(viewer), repository__name=name, is_default=True
    ).first()
    if index is None:
        raise IndexingError(f"There is no repository {name} with an index.")
    if not may_change(viewer):
        raise IndexingError("Only staff may start and stop builds.")
    return index


def advance_build(*, build_id: int) -> bool:
    """Do one step of a build under its lease; return whether there is another.

    A step that cannot be done ends the build with its sentence. A build that
    someone else holds, or that has ended, is left alone. Where the disk has no room
    left to say so, it waits until its lease has run out.
    """
    try:
        return _advance(build_id)
    except (DatabaseError, OSError) as error:
        if not is_disk_full(error):
            raise
        logger.error("build %d waits for room: %s", build_id, error)
        return False


def _advance(build_id: int) -> bool:
    from indexer import freshness

    build: Build | None = None
    more = False
    try:
        with Lease(Build(pk=build_id)) as lease:
            build = Build.objects.select_related(
                "index__repository", "index__profile"
            ).get(pk=build_id)
            more = _do_step(build, lease)
    except LeaseLost as lost:
        logger.info("%s", lost)
    except (DatabaseError, OSError, Build.DoesNotExist):
        if build is None or not clear_removed(build=build):
            raise
        return False
    if build is None or clear_removed(build=build):
        return False
    if not more:
        drop_old_builds(index=build.index)
        freshness.follow_up(build=build)
    return more


def _do_step(build: Build, lease: Lease) -> bool:
    """Do a step with its clock running, and log what became of it."""
    from indexer import building  # What makes builds is for those who make one.

    more = False
    begin_step(build, lease)
    try:
        more = building.advance(build, lease)
    except LeaseLost:
        raise
    except Exception as error:
        reason = shortage(build, error)
        if isinstance(error, IndexingError):
            reason = reason or str(error)
        elif not reason:
            if not isinstance(error, DatabaseError):
                tell_accident(build, error)
            raise
        with transaction.atomic():
            lease.confirm()  # Whoever has it now may fare better.
            fail_build(build=build, reason=reason)
        _repair(build, error)
    count_work(build)
    return more


def _repair(build: Build, error: Exception) -> None:
    """Ask for another build, once, when one failed because its files were damaged."""
    from indexer.damage import report_damage  # It asks for builds.

    if isinstance(error.__cause__, DamagedError):
        report_damage(build, error.__cause__.fault)


def finish_build(*, build: Build) -> Build:
    """Do every step of a build in this process; return it as it ended."""
    while advance_build(build_id=build.pk):
        pass
    build.refresh_from_db()
    return build


def resume_builds(*, everything: bool = False) -> int:
    """Wake workers up for builds that no one is at; return how many.

    `everything` as in `unattended`.
    """
    ids = unattended(Build, everything=everything)
    for build_id in ids:
        _enqueue(build_id)
    return len(ids)


def release_leases() -> None:
    """Take every build away from its worker, which notices within seconds."""
    release(Build)


def choose_default(*, index: Index) -> None:
    """Make `index` the one that is searched when no profile is chosen."""
    with transaction.atomic():
        index.repository.indexes.exclude(pk=index.pk).update(is_default=False)
        Index.objects.filter(pk=index.pk).update(is_default=True)
