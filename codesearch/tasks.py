"""Celery's way in. A task takes an id, calls one service, and may run twice."""

from __future__ import annotations

from celery import shared_task


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def advance_audit(audit_id: int) -> None:
    """Ask some rows of an audit and, if there are more, queue it again."""
    from codesearch.audits import running  # It enqueues this task.

    if running.advance_audit(audit_id=audit_id):
        advance_audit.delay(audit_id)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def resume_audits() -> None:
    """Queue the audits whose worker died."""
    from codesearch.audits import running

    running.resume_audits()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def advance_experiment(experiment_id: int) -> None:
    """Do one step of an experiment and, if there is another, queue it."""
    from codesearch.experiments import running  # It enqueues this task.

    if running.advance_experiment(experiment_id=experiment_id):
        advance_experiment.delay(experiment_id)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def resume_experiments() -> None:
    """Queue the experiments whose worker died."""
    from codesearch.experiments import running

    running.resume_experiments()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]  # untyped
def forget_queries() -> None:
    """Remove the weak queries that were kept long enough."""
    from codesearch import weak_queries

    weak_queries.forget_queries()
