"""Headlines: the few numbers that lists of audits show, without intervals.

They equal the means of the payload: recall of the whole list of a stage, and the
reciprocal rank of the last one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from codesearch.audits.pairs import compare_pairs, pair_audits
from codesearch.audits.rows import answered, stages_of
from codesearch.funnel.audit.measures import Metric, query_values, wanted_of
from codesearch.funnel.audit.significance import Comparison
from codesearch.funnel.audit.types import Stage, StageKind
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


def role_stages(stages: Iterable[Stage]) -> dict[str, Stage]:
    """Return the stage of each role, as far as there are: the last of its kind."""
    by_kind = {stage.kind: stage for stage in stages}
    found = {
        role: next((by_kind[kind] for kind in kinds if kind in by_kind), None)
        for role, kinds in ROLES.items()
    }
    return {role: stage for role, stage in found.items() if stage}


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
    answers = [answer for row in rows if (answer := answered(row))]
    stages = stages_of(audit)
    wanted = wanted_of(answers, stages)
    if not wanted.keys:
        return Headline()
    return Headline(
        **{
            name: float(query_values(wanted, stage.name, metric).mean())
            for name, (stage, metric) in _numbers(stages).items()
        }
    )


def compare_headlines(new: Audit, old: Audit) -> dict[str, Comparison]:
    """Return new against old by the names of a headline, over the queries that pair."""
    pairs = pair_audits(new, old).pairs
    ours, theirs = _numbers(stages_of(new)), _numbers(stages_of(old))
    return {
        name: compare_pairs(pairs, (stage, theirs[name][0]), metric)
        for name, (stage, metric) in ours.items()
        if pairs and name in theirs
    }


def _numbers(stages: Iterable[Stage]) -> dict[str, tuple[Stage, Metric]]:
    """Return what each number of a headline is of, as far as there are stages."""
    roles = role_stages(stages)
    found = {role: (stage, Metric.RECALL) for role, stage in roles.items()}
    for last in list(roles.values())[-1:]:
        found["mrr"] = (last, Metric.RECIPROCAL)
    return found
