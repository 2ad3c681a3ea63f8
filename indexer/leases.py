"""Leases: one worker at a time advances a job, and a dead one is noticed.

The database holds the truth, the broker only wakes workers up. A lease that is
not renewed runs out, and whoever finds it so may take the build over.
"""

from __future__ import annotations

import hashlib
import logging
import os
import socket
import threading
import time
import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Literal

from django.db import DatabaseError, InterfaceError, connection
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from indexer.errors import LeaseLost
from indexer.models import Leased

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)  # Twelve missed heartbeats: the worker is dead.
# No lease is ever given out for longer. One that seems to be was given out before the
# clock was set back, and nobody would outlive it.
LONGEST = 2 * LEASE + timedelta(minutes=1)
HEARTBEAT_SECONDS = 5.0  # Also how soon a worker notices that it should stop.
MAX_ATTEMPTS = 5  # Deaths at the same step before a job is given up.


class Lease:
    """Holds a job for this process while the block runs, renewing as it goes.

    `check` raises LeaseLost once someone cancelled the job or took it over, or when it
    could not be renewed for as long as it lasts. An error that leaves the block counts
    as a death. Of `job` only the kind and the key are read. `after_death` says that
    another process held it and did not let go.
    """

    def __init__(self, job: Leased) -> None:
        self.job = job
        self.after_death = False
        self.owner = f"{_place()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._lost = threading.Event()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._renew_often, daemon=True)

    def __enter__(self) -> Lease:
        found = claim(self.job, self.owner)
        if not found:
            raise LeaseLost(f"{self._name} is held by another worker")
        self.after_death = found == "dead"
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()
        failed = isinstance(error, Exception) and not isinstance(error, LeaseLost)
        held = _rows(self.job).filter(lease_owner=self.owner)
        held.update(
            lease_owner="",
            lease_until=timezone.now() + LEASE,
            attempts=F("attempts") + int(failed),
        )

    def check(self) -> None:
        """Raise LeaseLost when this process may not go on."""
        if self._lost.is_set():
            raise LeaseLost(f"{self._name} was cancelled or taken over")

    def confirm(self) -> None:
        """Raise LeaseLost unless the database says now that the lease is ours.

        In a transaction it stays ours until that ends: for publishing.
        """
        if not renew(self.job, self.owner):
            self._lost.set()
        self.check()

    @property
    def _name(self) -> str:
        return f"{self.job._meta.verbose_name} {self.job.pk}"

    def _renew_often(self) -> None:
        renewed = time.monotonic()
        try:
            while not self._done.wait(HEARTBEAT_SECONDS):
                now = time.monotonic()
                try:
                    if not renew(self.job, self.owner):
                        return
                    renewed = now
                except (DatabaseError, InterfaceError) as error:  # Locked, or away.
                    logger.warning("%s was not renewed: %s", self._name, error)
                    connection.close()
                    if now - renewed + HEARTBEAT_SECONDS >= LEASE.total_seconds():
                        return
        finally:
            if not self._done.is_set():
                self._lost.set()
            connection.close()


def claim(job: Leased, owner: str) -> Literal["free", "dead", ""]:
    """Take the lease if it is free or its worker died, and say which; "" if neither.

    A worker is dead whose lease has run out, or whose process is gone from here: its
    task comes back at once. A death is counted.
    """
    now = timezone.now()
    active = _active(job)
    fields = {
        "lease_owner": owner,
        "lease_until": now + LEASE,
        "status": job.RUNNING,
    }
    if active.filter(lease_owner="").update(**fields):
        return "free"
    holder = active.values_list("lease_owner", flat=True).first() or ""
    gone = Q(lease_owner=holder) if _is_gone(holder) else Q(pk=None)
    dead = active.filter(_has_run_out(now) | gone).exclude(lease_owner="")
    return "dead" if dead.update(**fields, attempts=F("attempts") + 1) else ""


def renew(job: Leased, owner: str) -> bool:
    """Push the end of the lease out; False when it is no longer ours."""
    mine = _active(job).filter(lease_owner=owner)
    return bool(mine.update(lease_until=timezone.now() + LEASE))


def unattended(kind: type[Leased], *, everything: bool = False) -> list[int]:
    """Return the keys of the active jobs that no one is at, to be queued again.

    `everything` is for the start of a stack that owns its broker: no worker of it can
    be alive, so every lease is void.
    """
    now = timezone.now()
    active = kind._default_manager.filter(status__in=kind.ACTIVE)
    if not everything:
        active = active.filter(_has_run_out(now) | Q(lease_until=None))
    keys = list(active.order_by("pk").values_list("pk", flat=True))
    chosen = kind._default_manager.filter(pk__in=keys)
    if everything:
        chosen.exclude(lease_owner="").update(lease_until=now)
    else:
        # Not again at the next look, while this one still waits for a worker.
        chosen.filter(lease_owner="").update(lease_until=now + 2 * LEASE)
    return keys


def release(kind: type[Leased]) -> None:
    """Take every job of a kind away from its worker, which notices within seconds."""
    held = kind._default_manager.filter(status__in=kind.ACTIVE).exclude(lease_owner="")
    held.update(lease_owner="", lease_until=timezone.now())


def is_at_work(job: Leased) -> bool:
    """Tell whether a worker may still be at a job, active or not: its lease runs."""
    held = _rows(job).exclude(lease_owner="").exclude(_has_run_out(timezone.now()))
    return held.exists()


@cache
def _place() -> str:
    """Return the name of this machine and of what its process ids are unique in."""
    told = [socket.gethostname()]
    for path in ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"):
        with suppress(OSError):  # Linux only.
            link = os.readlink(path) if Path(path).is_symlink() else ""
            told.append(link or Path(path).read_text())
    digest = hashlib.sha256(":".join(told).encode()).hexdigest()
    return f"{told[0]}-{digest[:8]}"


def _is_gone(owner: str) -> bool:
    """Tell whether the process of a lease was one of this place and is no more."""
    place, _, rest = owner.partition(":")
    pid = rest.partition(":")[0]
    if place != _place() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


def _has_run_out(now: datetime) -> Q:
    return Q(lease_until__lt=now) | Q(lease_until__gt=now + LONGEST)


def _rows(job: Leased) -> QuerySet[Leased]:
    rows: QuerySet[Leased] = type(job)._default_manager.filter(pk=job.pk)
    return rows


def _active(job: Leased) -> QuerySet[Leased]:
    return _rows(job).filter(status__in=job.ACTIVE)
