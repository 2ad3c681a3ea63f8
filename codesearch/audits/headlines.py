"""Headlines: the few numbers that lists of audits show, without intervals.

They equal the means of the payload: recall of the whole list of a stage, and the
reciprocal rank of the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from codesearch.audits.pairs import pair_audits
from codesearch.audits.rows import answered, stages_of
from codesearch.funnel.audit.intervals import Floats
from codesearch.funnel.audit.measures import (
    Metric,
    Wanted,
    query_values,
    wanted_of,
)
from codesearch.funnel.audit.significance import Comparison, compare_values
from codesearch.funnel.audit.types import Answered, Stage, StageKind
from codesearch.models import Audit

KEPT = 1000  # Headlines; twenty of 500 queries each take a second to count.

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
            return self._of(last[0], Metric.RECIPROCAL) if last else None
        return self._of(self.roles.get(name), Metric.RECALL)

    def _of(self, stage: Stage | None, metric: Metric) -> Floats | None:
        if stage is None or not self.wanted.keys:
            return None
        return query_values(self.wanted, stage.name, metric)


def role_stages(stages: Iterable[Stage]) -> dict[str, Stage]:
    """Return the stage of each role, as far as there are: the last of its kind."""
    by_kind = {stage.kind: stage for stage in stages}
    found = {
        role: next((by_kind[kind] for kind in kinds if kind in by_kind), None)
        for role, kinds in ROLES.items()
    }
    return {role: stage for role, stage in found.items() if stage}


def measure(audit: Audit, answers: Sequence[Answered]) -> Measured:
    """Return these answers of an audit as arrays."""
    stages = stages_of(audit)
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
    rows = audit.rows.filter(result__isnull=False).defer("lists")
    found = measure(audit, [answer for row in rows if (answer := answered(row))])
    values = {name: found.values(name) for name in (*ROLES, "mrr")}
    return Headline(
        **{name: None if v is None else float(v.mean()) for name, v in values.items()}
    )


def compare_headlines(new: Audit, old: Audit) -> dict[str, Comparison]:
    """Return new against old by the names of a headline, over the queries that pair."""
    pairs = pair_audits(new, old).pairs
    found = measure(new, [pair.a.answer for pair in pairs])
    before = measure(old, [pair.b.answer for pair in pairs])
    compared = {}
    for name in (*ROLES, "mrr"):
        a, b = found.values(name), before.values(name)
        if a is not None and b is not None:
            compared[name] = compare_values(a.tolist(), b.tolist())
    return compared
