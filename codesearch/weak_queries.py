"""Weak queries: noted after their answer, counted for staff, forgotten in time."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from codesearch.models import WeakQuery
from codesearch.pages.links import Scope
from codesearch.payloads import Payload

logger = logging.getLogger(__name__)

READ = 5000  # Rows, the newest: what the page counts.
SHOWN = 100  # Queries.


@dataclass(frozen=True, slots=True)
class Asked:
    """One query in one scope: how often it was asked, and how it was answered last."""

    scope: Scope
    band: str
    words: str
    count: int
    last: datetime


def band_of(payload: Payload) -> str:
    """Return how an answer failed its query, "" where it did not."""
    if not payload["hits"]:
        return WeakQuery.Band.EMPTY
    band: str = payload["closeness"]["band"]
    return band if band in WeakQuery.Band.values else ""


def note_query(scope: Scope, band: str) -> None:
    """Keep a query and its scope. What fails is logged: it is no part of the answer."""
    try:
        WeakQuery.objects.create(
            query=scope.query,
            repositories=",".join(sorted(scope.repositories)),
            profile=scope.profile,
            band=band,
        )
    except DatabaseError:
        logger.warning("a weak query was not noted", exc_info=True)


def weak_queries() -> tuple[list[Asked], int]:
    """Return the queries asked last, each scope apart, the newest first.

    And how many more there are. Both are of the newest `READ` rows.
    """
    since = timezone.now() - timedelta(days=settings.QUERY_DAYS)
    found = _counted(WeakQuery.objects.filter(asked_at__gte=since)[:READ])
    return found[:SHOWN], max(0, len(found) - SHOWN)


def forget_queries(*, everything: bool = False) -> int:
    """Remove what was kept longer than the setting says; return how many."""
    rows = WeakQuery.objects.all()
    if not everything:
        until = timezone.now() - timedelta(days=settings.QUERY_DAYS)
        rows = rows.filter(asked_at__lt=until)
    return rows.delete()[0]


def _counted(rows: Iterable[WeakQuery]) -> list[Asked]:
    groups: dict[tuple[str, str, str], list[WeakQuery]] = {}
    for row in rows:
        groups.setdefault((row.query, row.repositories, row.profile), []).append(row)
    return [
        Asked(
            scope=Scope(query, tuple(filter(None, names.split(","))), profile),
            band=found[0].band,
            words=found[0].get_band_display(),
            count=len(found),
            last=found[0].asked_at,
        )
        for (query, names, profile), found in groups.items()
    ]
