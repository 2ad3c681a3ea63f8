"""Celery's way in. A task takes an id, calls one service, and may run twice."""

from __future__ import annotations

from datetime import datetime

from celery import shared_task


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def advance_build(build_id: int) -> None:
    """Do one step of a build and, if there is another, queue it.

    A step of vectors ends after `STEP_SECONDS`, so a task never outlives the
    broker's patience; the database knows what has been done.
    """
    from indexer import services  # The services enqueue this task.

    if services.advance_build(build_id=build_id):
        advance_build.delay(build_id)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def resume_builds() -> None:
    """Queue the builds whose worker died, and leave a trace of this one."""
    from indexer import services
    from indexer.workers import note_worker

    note_worker()
    services.resume_builds()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def collect_garbage() -> None:
    """Remove what nothing needs any more from the data folder."""
    from indexer import garbage

    garbage.collect_garbage()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def fetch_repository(repository_id: int, asked_at: str, cause: str) -> None:
    """Look at a repository's source, unless that was done since `asked_at` (ISO)."""
    from indexer import freshness
    from indexer.models import Repository

    repository = Repository.objects.filter(pk=repository_id).first()
    if repository is not None:
        freshness.fetch(
            repository, cause=cause, asked_at=datetime.fromisoformat(asked_at)
        )


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def request_due_fetches() -> None:
    """Queue a look at each source that is due."""
    from indexer import freshness

    freshness.request_due_fetches()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def check_builds() -> None:
    """Hash every file of all builds, and have damaged ones made anew.

    So are the texts of exact search, which the builds of an earlier version lack too.
    """
    from indexer import damage, exact

    damage.check_builds()
    for build_id in exact.builds_without_texts():
        keep_texts.delay(build_id)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def keep_texts(build_id: int) -> None:
    """Keep texts of a build that lacks them, for a step's time, until all are."""
    from indexer import exact

    if exact.keep_missing_texts(build_id=build_id):
        keep_texts.delay(build_id)
