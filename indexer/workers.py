"""Workers: whether one is alive, by what it did last.

A worker is asked nothing: one that is busy would answer late, and one that died not
at all. It leaves two traces: the heartbeat of the lease it holds, and a file that a
task of the schedule touches while it is idle.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from indexer.leases import LEASE
from indexer.models import Leased
from indexer.stages import HEARD_SECONDS

# Two turns of the schedule (`CELERY_BEAT_SCHEDULE`), and some.
SILENT = timedelta(seconds=75)


@dataclass(frozen=True, slots=True)
class Worker:
    """The worker that was heard of last; `heard_at` is None if none ever was."""

    heard_at: datetime | None
    is_alive: bool
    is_busy: bool


def note_worker() -> None:
    """Leave a trace of this process: it is alive, and idle enough for this."""
    place = _trace()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch()


def last_worker(kinds: Iterable[type[Leased]]) -> Worker:
    """Return what is known of the worker, by its trace and the leases of `kinds`."""
    beats = [_last_beat(kind) for kind in kinds]
    heard = max(filter(None, [*beats, _touched()]), default=None)
    now = timezone.now()
    missed = now - timedelta(seconds=HEARD_SECONDS)
    return Worker(
        heard_at=heard,
        is_alive=heard is not None and heard > now - SILENT,
        is_busy=any(beat is not None and beat > missed for beat in beats),
    )


def _last_beat(kind: type[Leased]) -> datetime | None:
    """Return the newest heartbeat of the leases of a kind that are held."""
    held = kind._default_manager.filter(status=kind.RUNNING).exclude(lease_owner="")
    until: datetime | None = held.aggregate(until=Max("lease_until"))["until"]
    return until - LEASE if until else None


def _touched() -> datetime | None:
    try:
        return datetime.fromtimestamp(_trace().stat().st_mtime, tz=UTC)
    except FileNotFoundError:
        return None


def _trace() -> Path:
    return Path(settings.RUN_DIR) / "worker-heard"
