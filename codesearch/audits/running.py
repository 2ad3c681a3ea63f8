"""Running: an audit from its request to its end, row by row, by one worker at a time.

Every row is written once, under the lease, so a worker that dies costs the row it was
at. The builds are those of the request: a newer one does not change what is asked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import asdict

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from codesearch import tasks
from codesearch.audits.aims import named_builds
from codesearch.audits.asking import Asked, AuditError, ask_case
from codesearch.audits.headers import differing, header_of, pinned_builds, stages_for
from codesearch.audits.rows import pack_lists, stages_of
from codesearch.audits.summaries import summarise_lists
from codesearch.config_forms import read_settings
from codesearch.corpora import current_builds, open_corpus
from codesearch.errors import NothingIndexed, SearchError, UnaskableSet, Unfinished
from codesearch.funnel.types import Config
from codesearch.inquiry import holds_literals
from codesearch.knobs import AS_SHIPPED, config_pairs
from codesearch.models import Audit, AuditRow, Case, CaseSet
from codesearch.reach import audits_in_reach, may_edit
from indexer.access import COMMAND_LINE, Viewer
from indexer.errors import LeaseLost
from indexer.leases import LEASE, MAX_ATTEMPTS, Lease, release, unattended
from indexer.models import Build, Index

logger = logging.getLogger(__name__)

BATCH_SECONDS = 5.0  # Of one task: a worker is soon free for what else waits.
BATCH_ROWS = 500  # More than are asked in that time.


@transaction.atomic
def request_audit(
    *,
    viewer: Viewer,
    user: AbstractBaseUser | AnonymousUser | None,
    case_set: CaseSet,
    repositories: Sequence[str] = (),
    profile: str = "",
    config: Config = AS_SHIPPED,
    note: str = "",
    enqueue: bool = True,
) -> Audit:
    """Return an audit that will ask all cases of a set as they and the indexes are now.

    Of the repositories and the profile of the set, if no others are named. `case_set`
    is in reach of `viewer`. Raises SearchError for what cannot be asked.
    """
    if case_set.is_foreign:
        raise UnaskableSet(
            f"The targets of {case_set} are of another system: import its runs."
        )
    cases = list(case_set.cases.order_by("pk"))
    if not cases:
        raise UnaskableSet(f"{case_set} has no cases yet.")
    profile = profile or case_set.profile
    builds = _builds_to_ask(viewer, case_set, repositories, profile)
    has_literals = any(holds_literals(case.query) for case in cases)
    stages = stages_for(builds, config, has_literals=has_literals)
    audit = Audit.objects.create(
        case_set=case_set,
        note=note,
        repository_count=len(builds),
        profile=profile,
        knobs=config_pairs(config),
        stages=[asdict(stage) for stage in stages],
        header=header_of(builds, config, case_set.unit),
        row_count=len(cases),
        lease_until=timezone.now() + LEASE,
        created_by_id=user.pk if user and user.is_authenticated else None,
    )
    audit.repositories.set([build.index.repository_id for build in builds])
    AuditRow.objects.bulk_create(_rows_of(audit, cases), batch_size=500)
    if enqueue:
        transaction.on_commit(lambda: _enqueue(audit.pk))
    return audit


def _builds_to_ask(
    viewer: Viewer, case_set: CaseSet, repositories: Sequence[str], profile: str
) -> list[Build]:
    """Return one finished build of each repository. Raises SearchError."""
    own = case_set.repositories.order_by("name").values_list("name", flat=True)
    names = list(dict.fromkeys(repositories)) or list(own)
    if not names:
        raise UnaskableSet(f"{case_set} is of no repository; choose some to ask.")
    # Until this audit is written down, no newer build may oust those that it asks.
    list(Index.objects.select_for_update().filter(repository__name__in=names))
    builds = current_builds(viewer, names, profile or None)
    found = {build.index.repository.name for build in builds}
    kind = f"{profile} index" if profile else "index"
    for name in names:
        if name not in found:
            raise NothingIndexed(f"{name} has no {kind} yet.")
    for build in builds:
        if build.is_active:
            raise Unfinished(
                f"The vectors of {build.index.repository.name} are still being made; "
                "start the audit when they are.",
                build.pk,
            )
    return builds


def _rows_of(audit: Audit, cases: Sequence[Case]) -> list[AuditRow]:
    return [
        AuditRow(
            audit=audit,
            number=number,
            key=case.key,
            topic=case.topic,
            query=case.query,
            targets=[
                {"target": target, "grade": grade}
                for target, grade in case.judged.items()
            ],
            is_synthetic=case.is_synthetic,
        )
        for number, case in enumerate(cases)
    ]


def _enqueue(audit_id: int) -> None:
    """Wake a worker up. Without a broker the audit waits; `resume_audits` finds it."""
    try:
        tasks.advance_audit.apply_async((audit_id,), retry=False)
    except OperationalError:
        logger.warning("the broker does not answer; audit %d waits for it", audit_id)


def advance_audit(*, audit_id: int) -> bool:
    """Ask a few seconds' worth of rows under the lease; return whether there are more.

    What cannot go on ends with its sentence. An audit that someone else holds, or that
    has ended, is left alone.
    """
    try:
        with Lease(Audit(pk=audit_id)) as lease:
            audit = Audit.objects.select_related("case_set").get(pk=audit_id)
            try:
                return _advance(audit, lease)
            except AuditError as error:
                _fail(audit, str(error))
    except (LeaseLost, Audit.DoesNotExist) as lost:
        logger.info("%s", lost)
    return False


def finish_audit(*, audit: Audit) -> Audit:
    """Ask all rows in this process; return the audit as it ended."""
    while advance_audit(audit_id=audit.pk):
        pass
    audit.refresh_from_db()
    return audit


def cancel_audit(*, viewer: Viewer, audit: Audit) -> bool:
    """Stop an audit, if `viewer` may; False if not, or if it has ended.

    The rows that it has stay.
    """
    if not may_edit(viewer, audit):
        return False
    active = Audit.objects.filter(pk=audit.pk, status__in=Audit.ACTIVE)
    cancelled = Audit.Status.CANCELLED
    return bool(active.update(status=cancelled, finished_at=timezone.now()))


def delete_audit(*, viewer: Viewer, pk: int) -> bool:
    """Remove an audit that has ended, if `viewer` may.

    False: there is none such for them. One at work is to be cancelled first.
    """
    audit = audits_in_reach(viewer).filter(pk=pk).first()
    if audit is None or audit.is_active or not may_edit(viewer, audit):
        return False
    audit.delete()
    return True


def resume_audits(*, everything: bool = False) -> int:
    """Wake workers up for audits that no one is at; return how many.

    `everything` as in `unattended`.
    """
    keys = unattended(Audit, everything=everything)
    for key in keys:
        _enqueue(key)
    return len(keys)


def release_audits() -> None:
    """Take every audit away from its worker, which notices within seconds."""
    release(Audit)


def _advance(audit: Audit, lease: Lease) -> bool:
    """Ask until the time is up or nothing is left. Raises AuditError, LeaseLost."""
    if audit.attempts >= MAX_ATTEMPTS:
        raise AuditError(
            f"The worker died {audit.attempts} times at the same query; look at its "
            "log, then start the audit again."
        )
    until = time.monotonic() + BATCH_SECONDS
    Audit.objects.filter(pk=audit.pk, started_at=None).update(started_at=timezone.now())
    asked = _open(audit)
    waiting = audit.rows.filter(result__isnull=True)
    for row in list(waiting[:BATCH_ROWS]):
        lease.check()
        result, lists = ask_case(row, asked)
        packed = pack_lists(lists)
        with transaction.atomic():
            lease.confirm()
            waiting.filter(pk=row.pk).update(result=result, lists=packed)
            Audit.objects.filter(pk=audit.pk, attempts__gt=0).update(attempts=0)
        if time.monotonic() > until:
            break
    if waiting.exists():
        return True
    _end(audit, lease)
    return False


def _open(audit: Audit) -> Asked:
    """Open what an audit is asked of. Raises AuditError if that has changed."""
    config = read_settings([f"{name}={value}" for name, value in audit.knobs])
    builds = pinned_builds(audit.header)
    if changed := differing(audit.header, header_of(builds, config, audit.unit)):
        raise AuditError(changed)
    names = [build.index.repository.name for build in builds]
    try:
        searched = open_corpus(
            builds, viewer=COMMAND_LINE, repositories=names, is_pinned=True
        )
    except SearchError as error:
        raise AuditError(str(error)) from error
    return Asked(searched, config, audit.unit, stages_of(audit), named_builds(builds))


def _end(audit: Audit, lease: Lease) -> None:
    """Count what takes the lists of all rows, and publish it."""
    summary = summarise_lists(audit)
    with transaction.atomic():
        lease.confirm()
        Audit.objects.filter(pk=audit.pk).update(
            status=Audit.Status.DONE, summary=summary, finished_at=timezone.now()
        )
    logger.info("%s is done: %d queries", audit, audit.row_count)


def _fail(audit: Audit, reason: str) -> None:
    """Record why an audit cannot go on; its rows stay."""
    Audit.objects.filter(pk=audit.pk, status__in=Audit.ACTIVE).update(
        status=Audit.Status.FAILED, failure=reason, finished_at=timezone.now()
    )
    logger.warning("audit %d failed: %s", audit.pk, reason)
