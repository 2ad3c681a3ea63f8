"""History: the audits of one set over one search, each against the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from codesearch.audits.headlines import Headline, compare_headlines, headline
from codesearch.funnel.audit.significance import Comparison
from codesearch.models import Audit
from codesearch.pages.audits.details import settings_text
from codesearch.pages.audits.links import audit_url, compare_url
from codesearch.pages.audits.measures import decimal
from codesearch.pages.scores import p_value, signed
from codesearch.plots.history import Point, draw_history
from codesearch.plots.outcome import draw_outcome
from codesearch.plots.shapes import Drawing
from codesearch.reach import audits_in_reach
from indexer.access import Viewer

SHOWN = 20  # Audits in the history, the newest of all.
LABELS = {
    "union": "recall, union",
    "pool": "recall, pool",
    "page": "recall, page one",
    "mrr": "MRR",
}


@dataclass(frozen=True, slots=True)
class Past:
    """One audit of the history."""

    audit: int
    when: datetime | None
    config: str
    note: str
    pool: str
    page: str
    url: str
    is_this: bool


@dataclass(frozen=True, slots=True)
class History:
    """The audits of a set over the same repositories and profile, newest first."""

    drawing: Drawing | None
    rows: list[Past]


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of two audits; a p is of the paired randomisation test."""

    label: str
    before: str
    now: str
    change: str
    interval: str
    p: str
    counts: str


@dataclass(frozen=True, slots=True)
class Before:
    """An audit against the finished one before it; the bar is that of `counted`."""

    audit: int
    url: str
    compare_url: str
    config: str
    queries: int
    counted: str
    drawing: Drawing | None
    rows: list[Difference]


def past_audits(viewer: Viewer, audit: Audit) -> list[Audit]:
    """Return the finished audits of the same set, repositories, profile and system.

    They count in the same unit. The newest first, at most SHOWN of them and this one
    among them if it is finished.
    """
    same = audits_in_reach(viewer).filter(
        case_set=audit.case_set_id,
        status=Audit.Status.DONE,
        profile=audit.profile,
        system=audit.system,
        repository_count=audit.repository_count,
    )
    asked = {one.pk for one in audit.repositories.all()}
    found = [
        one
        for one in same.select_related("case_set").prefetch_related("repositories")
        if {repository.pk for repository in one.repositories.all()} == asked
        and one.unit == audit.unit
    ]
    return found[:SHOWN]


def history(past: Sequence[Audit], audit: Audit) -> History | None:
    """Return the history that an audit is in, None where it is the only one."""
    if {one.pk for one in past} <= {audit.pk}:
        return None
    measured = [(one, headline(one)) for one in past]
    points = [Point(one.pk, found.pool, found.page) for one, found in measured]
    rows = [_past(one, found, audit) for one, found in measured]
    return History(draw_history(points[::-1]), rows)


def before(past: Sequence[Audit], audit: Audit) -> Before | None:
    """Return an audit against the one finished before it, None without one."""
    old = next((one for one in past if one.pk < audit.pk), None)
    if old is None or audit.status != Audit.Status.DONE:
        return None
    compared = compare_headlines(audit, old)
    if not compared:
        return None
    counted = "page" if "page" in compared else list(compared)[-1]
    bar = compared[counted]
    return Before(
        audit=old.pk,
        url=audit_url(old.pk),
        compare_url=compare_url(old.pk, audit.pk),
        config=config_text(old),
        queries=bar.n,
        counted=LABELS[counted],
        drawing=draw_outcome(bar.wins, bar.ties, bar.losses),
        rows=[_difference(LABELS[name], one) for name, one in compared.items()],
    )


def config_text(audit: Audit) -> str:
    """Return the settings of an audit in words, "" of another system."""
    if audit.system:
        return ""
    return settings_text(audit.knobs)


def _past(one: Audit, found: Headline, audit: Audit) -> Past:
    return Past(
        audit=one.pk,
        when=one.finished_at,
        config=config_text(one),
        note=one.note,
        pool=decimal(found.pool),
        page=decimal(found.page),
        url=audit_url(one.pk),
        is_this=one.pk == audit.pk,
    )


def _difference(label: str, found: Comparison) -> Difference:
    return Difference(
        label=label,
        before=decimal(found.mean_b),
        now=decimal(found.mean_a),
        change=signed(found.difference),
        interval=f"{signed(found.low)} to {signed(found.high)}",
        p=p_value(found.p_randomisation),
        counts=f"{found.wins:,} / {found.ties:,} / {found.losses:,}",
    )
