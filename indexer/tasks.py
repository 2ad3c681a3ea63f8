"""Celery's way in. A task takes an id, calls one service, and may run twice."""

from __future__ import annotations

from celery import shared_task


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def advance_build(build_id: int) -> None:
    """Do one step of a build and, if there is another, queue it.

    A step is bounded (one layer), so a task never outlives the broker's
    patience; the database knows what has been done.
    """
    from indexer import services  # The services enqueue this task.

    if services.advance_build(build_id=build_id):
        advance_build.delay(build_id)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def resume_builds() -> None:
    """Queue the builds whose worker died."""
    from indexer import services

    services.resume_builds()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def collect_garbage() -> None:
    """Remove what nothing needs any more from the data folder."""
    from indexer import garbage

    garbage.collect_garbage()
