"""Headlines: the few numbers that lists of audits show, without intervals.

They equal the means of the payload: recall of the whole list of a stage, as deep as it
is measured, and the reciprocal rank of the last one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from codesearch.audits.rows import answered, stages_of
from codesearch.funnel.audit.intervals import Floats
from codesearch.funnel.audit.measures import (
    Metric,
    Wanted,
    depths_of,
    query_values,
    wanted_of,
)
from codesearch.funnel.audit.significance import Comparison, compare_values
from codesearch.funnel.audit.types import Stage, StageKind
from codesearch.models import Audit

KEPT = (
    1000  # Headlines; a list of twenty audits of 500 queries takes a second to count.
)

# What a headline is read at: of each role the first kind that there is.
ROLES: dict[str, tuple[StageKind, ...]] = {
    "union": (StageKind.UNION, StageKind.LEG),
    "pool": (StageKind.POOL, StageKind.FUSION),
    "page": (StageKind.PAGE, StageKind.CARD, StageKind.RESULT, StageKind.RERANK),
}


@dataclass(frozen=True, slots=True)
class Headline:
    """Recall at union, pool and page, and MRR; None where there is no such stage."""

    union: float | None = None
    pool: float | None = None
    page: float | None = None
    mrr: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """An audit as arrays: its wanted targets, and the stage of each role."""

    wanted: Wanted
    roles: dict[str, Stage]

    def values(self, name: str) -> Floats | None:
        """Return the values of "union", "pool", "page" or "mrr", one a query."""
        if name == "mrr":
            last = list(self.roles.values())[-1:]
            return self._of(last[0].name, Metric.RECIPROCAL, None) if last else None
        stage = self.roles.get(name)
        if stage is None:
            return None
        return self._of(stage.name, Metric.RECALL, depths_of(stage)[-1])

    def _of(self, stage: str, metric: Metric, k: int | None) -> Floats | None:
        has_any = bool(self.wanted.keys)
        return query_values(self.wanted, stage, metric, k) if has_any else None


def role_stages(stages: Iterable[Stage]) -> dict[str, Stage]:
    """Return the stage of each role, as far as there are: the last of its kind."""
    by_kind = {stage.kind: stage for stage in stages}
    found = {
        role: next((by_kind[kind] for kind in kinds if kind in by_kind), None)
        for role, kinds in ROLES.items()
    }
    return {role: stage for role, stage in found.items() if stage}


def measure(audit: Audit) -> Measured:
    """Return an audit as arrays, of all its queries that were answered."""
    stages = stages_of(audit)
    rows = audit.rows.filter(result__isnull=False).defer("lists")
    answers = [answer for row in rows if (answer := answered(row))]
    return Measured(wanted_of(answers, stages), role_stages(stages))


def headline(audit: Audit) -> Headline:
    """Return the headline of an audit, as far as it has got.

    That of one that has ended is counted once in a process: it does not change.
    """
    if audit.finished_at is None:
        return _count(audit)
    return _kept(audit.pk, audit.finished_at)


@lru_cache(maxsize=KEPT)
def _kept(pk: int, finished_at: datetime) -> Headline:
    """Return the headline of an audit that ended then."""
    return _count(Audit.objects.get(pk=pk, finished_at=finished_at))


def _count(audit: Audit) -> Headline:
    found = measure(audit)
    values = {name: found.values(name) for name in (*ROLES, "mrr")}
    return Headline(
        **{name: None if v is None else float(v.mean()) for name, v in values.items()}
    )


def compare_headlines(new: Audit, old: Audit) -> dict[str, Comparison]:
    """Return new against old by the names of a headline, over queries of both."""
    found, before = measure(new), measure(old)
    places = {key: n for n, key in enumerate(before.wanted.keys)}
    pairs = [
        (n, places[key]) for n, key in enumerate(found.wanted.keys) if key in places
    ]
    mine, theirs = [list(side) for side in zip(*pairs, strict=True)] or ([], [])
    compared = {}
    for name in (*ROLES, "mrr"):
        a, b = found.values(name), before.values(name)
        if a is not None and b is not None and pairs:
            compared[name] = compare_values(a[mine].tolist(), b[theirs].tolist())
    return compared
