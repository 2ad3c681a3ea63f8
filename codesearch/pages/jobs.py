"""Jobs: what workers are busy with, what waits for them, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone

from codesearch.experiments.findings import FINDINGS
from codesearch.models import Audit, Experiment
from codesearch.pages.repositories import StageView, stage_views
from codesearch.reach import audits_in_reach, experiments_in_reach
from indexer.access import Viewer
from indexer.jobs import Job
from indexer.models import Build
from indexer.stages import HEARD_SECONDS, duration, heard_at
from indexer.workers import Worker

# Status of an audit or an experiment: (state, glyph).
STATES = {
    "queued": ("busy", "busy"),
    "running": ("busy", "busy"),
    "done": ("ok", "ok"),
    "failed": ("bad", "bad"),
    "cancelled": ("warn", "warn"),
}
# State of a build: (state, glyph).
BUILD_STATES = {
    "queued": ("none", "none"),
    "running": ("busy", "busy"),
    "ready": ("ok", "ok"),
    "failed": ("bad", "bad"),
    "cancelled": ("warn", "warn"),
    "damaged": ("bad", "bad"),
}


@dataclass(frozen=True, slots=True)
class JobView:
    """One build in a list. `why` says what it waits for, "" where it does not."""

    job: Job
    url: str
    state: str
    glyph: str
    stages: list[StageView]
    heard: str
    why: str
    took: str


@dataclass(frozen=True, slots=True)
class OtherJob:
    """An audit or an experiment that is not done. `total` is None before it begins."""

    kind: str
    name: str
    url: str
    status: str
    state: str
    glyph: str
    done: int
    total: int | None
    heard: str


def job_view(job: Job, worker: Worker, warning: str = "") -> JobView:
    """Return a build with its look, and with why it waits if it does.

    `warning` is the last one of its log.
    """
    return JobView(
        job=job,
        url=reverse("job", args=[job.build]),
        state=BUILD_STATES[job.state][0],
        glyph=BUILD_STATES[job.state][1],
        stages=stage_views(job.stages),
        heard=ago(job.heard_at),
        why=_why(job, worker, warning),
        took=duration(job.seconds) if job.seconds else "–",
    )


def _why(job: Job, worker: Worker, warning: str) -> str:
    """Return what an active build waits for, "" if a worker is at it."""
    if not job.is_active:
        return ""
    silent = timezone.now() - timedelta(seconds=HEARD_SECONDS)
    if job.heard_at and job.heard_at > silent:
        return ""
    if job.is_held:
        return "Its worker does not answer; after a minute another may take it over."
    if job.status == Build.Status.QUEUED and warning:
        return warning  # The broker did not take it.
    if not worker.is_alive:
        return "No worker is there to take it."
    if worker.is_busy:
        return "The worker is busy with another job."
    return "A worker takes it within seconds."


def worker_sentence(worker: Worker) -> str:
    """Return whether a worker is alive, and what to do if none is."""
    if worker.is_alive:
        doing = "at work" if worker.is_busy else "waiting for jobs"
        return f"A worker is {doing}, last heard {ago(worker.heard_at)}."
    known = (
        f"No worker was heard for {ago(worker.heard_at).removesuffix(' ago')}"
        if worker.heard_at
        else "No worker was heard yet"
    )
    return (
        f"{known}: it is not running, or the broker does not answer. "
        "Jobs wait for it and are not lost."
    )


def ago(when: datetime | None) -> str:
    """Return how long ago something was: "3 s ago", "" where it was never."""
    if when is None:
        return ""
    return f"{duration((timezone.now() - when).total_seconds())} ago"


def other_jobs(viewer: Viewer) -> list[OtherJob]:
    """Return the audits and experiments that run or wait, the oldest first."""
    audits = (
        audits_in_reach(viewer)
        .filter(status__in=Audit.ACTIVE)
        .select_related("case_set")
        .annotate(asked=Count("rows", filter=Q(rows__result__isnull=False)))
    )
    experiments = experiments_in_reach(viewer).filter(status__in=Experiment.ACTIVE)
    return [
        *map(_audit_job, reversed(audits)),
        *map(_experiment_job, reversed(experiments)),
    ]


def _audit_job(audit: Audit) -> OtherJob:
    return OtherJob(
        "audit",
        str(audit.case_set),
        reverse("audit", args=[audit.pk]),
        audit.status,
        *STATES[audit.status],
        done=getattr(audit, "asked", 0),
        total=audit.row_count,
        heard=ago(heard_at(audit)),
    )


def _experiment_job(experiment: Experiment) -> OtherJob:
    return OtherJob(
        "experiment",
        f"{FINDINGS[experiment.kind].title}, {experiment.repository}",
        reverse("experiment", args=[experiment.token]),
        experiment.status,
        *STATES[experiment.status],
        done=len(experiment.rows),
        total=None if experiment.cases is None else len(experiment.cases),
        heard=ago(heard_at(experiment)),
    )


def jobs_url(**chosen: str) -> str:
    """Return the address of the list with these choices, without what is ""."""
    kept = {name: value for name, value in chosen.items() if value}
    return f"{reverse('jobs')}{'?' if kept else ''}{urlencode(kept)}"
