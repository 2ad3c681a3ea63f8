"""Running: experiments as jobs, one step at a time, resumable after the last row.

Equal wishes are one experiment: on the same builds the known result is returned.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Sequence

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from codesearch import tasks
from codesearch.errors import NothingIndexed, SearchError
from codesearch.experiments.bench import Bench
from codesearch.experiments.builds import Chosen, choose_builds, open_bench
from codesearch.experiments.findings import finding_of
from codesearch.experiments.results import result_json
from codesearch.experiments.types import Finding, Json
from codesearch.models import Experiment
from codesearch.reach import experiments_in_reach, may_edit
from indexer.access import Viewer
from indexer.building import EXPECTED
from indexer.errors import LeaseLost
from indexer.leases import LEASE, MAX_ATTEMPTS, Lease, release, unattended

logger = logging.getLogger(__name__)

EDITION = 1  # Raise it when what is run changes: known results are then made anew.
STEP_SECONDS = 5.0  # Between two times that rows are kept; what a dead worker loses.
Status = Experiment.Status
ENDED = (Status.FAILED, Status.CANCELLED)


def request_experiment(
    *,
    viewer: Viewer,
    user: AbstractBaseUser | None,
    kind: str,
    repository: str,
    profile: str = "",
    target: str = "",
    enqueue: bool = True,
) -> Experiment:
    """Return the experiment on the builds there are now: the known one, or a new one.

    One that failed or was cancelled is made anew. Raises SearchError with what is
    missing.
    """
    finding = finding_of(kind)
    chosen = choose_builds(viewer, finding, repository, profile)
    target = target.strip() if finding.takes_target else ""
    digest = _digest(finding, chosen, target)
    if known := _known(digest):
        return known
    try:
        with transaction.atomic():
            made = Experiment.objects.create(
                kind=kind,
                repository=chosen.build.index.repository,
                profile=chosen.build.index.profile.name,
                target=target,
                header=chosen.header,
                holds_secrets=chosen.holds_secrets,
                digest=digest,
                lease_until=timezone.now() + LEASE,
                created_by_id=user.pk if user else None,
            )
    except IntegrityError:  # Someone else asked at the same moment.
        if known := _known(digest):
            return known
        raise
    if enqueue:
        transaction.on_commit(lambda: _enqueue(made.pk))
    return made


def find_experiment(
    viewer: Viewer, finding: Finding, repository: str, profile: str = ""
) -> Experiment | None:
    """Return the newest run of a finding on the builds there are now, however it ended.

    Raises SearchError with what is missing to run it.
    """
    chosen = choose_builds(viewer, finding, repository, profile)
    digest = _digest(finding, chosen, "")
    return experiments_in_reach(viewer).filter(digest=digest).first()


def _known(digest: str) -> Experiment | None:
    """Return the experiment of a digest that is done or under way."""
    return Experiment.objects.filter(digest=digest).exclude(status__in=ENDED).first()


def _digest(finding: Finding, chosen: Chosen, target: str) -> str:
    wish = [EDITION, finding.kind, target, chosen.layers]
    return hashlib.sha256(json.dumps(wish).encode()).hexdigest()


def _enqueue(experiment_id: int) -> None:
    """Wake a worker up. Without a broker it waits, and is found later."""
    try:
        tasks.advance_experiment.apply_async((experiment_id,), retry=False)
    except OperationalError:
        logger.warning("the broker does not answer; experiment %d waits", experiment_id)


def advance_experiment(*, experiment_id: int) -> bool:
    """Do one step of an experiment under its lease; return whether there is another.

    One that someone else holds, or that has ended or was removed, is left alone.
    """
    try:
        with Lease(Experiment(pk=experiment_id)) as lease:
            experiment = Experiment.objects.select_related("repository").get(
                pk=experiment_id
            )
            try:
                return _advance(experiment, lease)
            except (SearchError, *EXPECTED) as error:
                _end(experiment, lease, Status.FAILED, failure=str(error))
    except (LeaseLost, Experiment.DoesNotExist) as lost:
        logger.info("%s", lost)
    return False


def finish_experiment(*, experiment: Experiment) -> Experiment:
    """Do every step in this process; return the experiment as it ended."""
    while advance_experiment(experiment_id=experiment.pk):
        pass
    experiment.refresh_from_db()
    return experiment


def cancel_experiment(*, viewer: Viewer, token: str) -> bool:
    """Stop an experiment, if `viewer` may. False: there is none for them."""
    experiment = experiments_in_reach(viewer).filter(token=token).first()
    if experiment is None or not may_edit(viewer, experiment):
        return False
    active = Experiment.objects.filter(pk=experiment.pk, status__in=Experiment.ACTIVE)
    active.update(status=Status.CANCELLED, finished_at=timezone.now())
    return True


def resume_experiments(*, everything: bool = False) -> int:
    """Wake workers up for experiments that no one is at; return how many."""
    keys = unattended(Experiment, everything=everything)
    for key in keys:
        _enqueue(key)
    return len(keys)


def release_experiments() -> None:
    """Take every experiment away from its worker, which notices at the next case."""
    release(Experiment)


def _advance(experiment: Experiment, lease: Lease) -> bool:
    """Choose the cases, answer some of them, or conclude."""
    if experiment.attempts >= MAX_ATTEMPTS:
        raise NothingIndexed(
            f"The worker died {experiment.attempts} times at this; look at its log."
        )
    finding = finding_of(experiment.kind)
    bench = open_bench(experiment, finding)
    if experiment.cases is None:
        experiment.cases = finding.choose(bench)
        experiment.started_at = timezone.now()
        _keep(experiment, lease, "cases", "started_at")
    if left := experiment.cases[len(experiment.rows) :]:
        _answer(experiment, left, finding, bench, lease)
    if len(experiment.rows) < len(experiment.cases):
        return True
    result = finding.conclude(bench, experiment.rows)
    experiment.result = result_json(result)
    _end(experiment, lease, Status.DONE)
    return False


def _answer(
    experiment: Experiment,
    left: Sequence[Json],
    finding: Finding,
    bench: Bench,
    lease: Lease,
) -> None:
    """Answer cases for a few seconds, one at least, and keep their rows."""
    started = time.monotonic()
    for case in left:
        lease.check()
        experiment.rows.append(finding.ask(bench, case))
        if time.monotonic() - started > STEP_SECONDS:
            break
    experiment.attempts = 0
    _keep(experiment, lease, "rows", "attempts")


def _keep(experiment: Experiment, lease: Lease, *fields: str) -> None:
    with transaction.atomic():
        lease.confirm()
        experiment.save(update_fields=fields)


def _end(
    experiment: Experiment, lease: Lease, status: str, *, failure: str = ""
) -> None:
    """Publish how it ended; the rows are then in the result."""
    experiment.status, experiment.failure = status, failure.replace("\x00", "")
    experiment.finished_at = timezone.now()
    experiment.cases, experiment.rows = None, []
    fields = ("status", "failure", "finished_at", "cases", "rows", "result")
    _keep(experiment, lease, *fields)
