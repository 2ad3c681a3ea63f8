"""Audits: what was measured of a set of queries, as JSON.

A k is a string, as JSON has it. What is not known is null. Every count is of the
queries that `only` admits, apart from those that say how many there are of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Literal, NamedTuple, cast
from urllib.parse import urlencode

import numpy as np

from codesearch.audits.rows import answered, stages_of
from codesearch.funnel.audit.intervals import means
from codesearch.funnel.audit.losses import (
    Step,
    death_of,
    deaths_of,
    losses_of,
    steps_of,
)
from codesearch.funnel.audit.measures import (
    SHARED,
    Metric,
    depths_of,
    judged_share,
    metrics_of,
    query_values,
    wanted_of,
)
from codesearch.funnel.audit.reading import cost_of, overlap_shares
from codesearch.funnel.audit.topics import topics_of
from codesearch.funnel.audit.types import Answered, Judged, Stage
from codesearch.models import Audit, AuditRow
from codesearch.payloads import SCHEMA, Payload

Only = Literal["all", "written", "synthetic"]
ONLY: tuple[Only, ...] = ("all", "written", "synthetic")
BY_K = (Metric.RECALL, Metric.SUCCESS, Metric.PRECISION, Metric.NDCG)
WHOLE = "all"  # In place of a k: the whole list.


class Asked(NamedTuple):
    """A row that was answered: as what is measured, and its result as it was kept."""

    answer: Answered
    result: Payload

    @property
    def wanted(self) -> list[tuple[Judged, Payload]]:
        """The wanted targets, each with what the result says of it."""
        pairs = zip(self.answer.targets, self.result["targets"], strict=True)
        return [(judged, told) for judged, told in pairs if judged.grade > 0]


def audit_payload(audit: Audit, only: Only = "all") -> Payload:
    """Return an audit as it stands, finished or not, without its lists."""
    every = list(audit.rows.defer("lists"))
    rows = [row for row in every if is_asked(row, only)]
    asked = [
        Asked(answer, cast(Payload, row.result))
        for row in rows
        if (answer := answered(row))
    ]
    answers = [one.answer for one in asked]
    stages = stages_of(audit)
    steps = steps_of(stages)
    head = _head(audit)
    misses = [_miss(*miss, head) for miss in _misses(asked, steps)]
    return {
        **head,
        "only": only,
        "queries": _queries(every, rows, answers),
        "wanted": sum(len(answer.wanted) for answer in answers),
        "measures": _measures(answers, stages),
        "losses": _losses(answers, stages),
        "deaths": _deaths(answers, stages),
        "misses": misses,
        "topics": _topics(answers, stages, audit.summary),
        "iou": _iou(asked),
        "reading": _reading(asked),
        "retrievability": (audit.summary or {}).get("retrievability"),
        "control": _control(misses),
    }


def is_asked(row: AuditRow, only: Only) -> bool:
    """Return whether `only` admits a row."""
    return only == "all" or row.is_synthetic == (only == "synthetic")


def set_payload(audit: Audit) -> Payload:
    """Return what is told of the set of an audit; its unit is that of the audit."""
    asked = audit.case_set
    return {
        "id": asked.pk,
        "name": asked.name,
        "unit": audit.unit,
        "is_foreign": asked.is_foreign,
    }


def _head(audit: Audit) -> Payload:
    ended, began = audit.finished_at, audit.started_at
    return {
        "schema": SCHEMA,
        "audit": audit.pk,
        "set": set_payload(audit),
        "system": audit.system,
        "note": audit.note,
        "status": audit.status,
        "failure": audit.failure,
        "created_at": audit.created_at.isoformat(),
        "started_at": began and began.isoformat(),
        "finished_at": ended and ended.isoformat(),
        "seconds": (ended - began).total_seconds() if ended and began else None,
        "created_by": audit.created_by and audit.created_by.get_username(),
        "repositories": sorted(one.name for one in audit.repositories.all()),
        "profile": audit.profile,
        "settings": audit.knobs,
        "builds": audit.header.get("builds"),
        "config": audit.header.get("config"),
        "stages": audit.stages,
    }


def _queries(
    every: Sequence[AuditRow], rows: Sequence[AuditRow], answers: Sequence[Answered]
) -> Payload:
    """Count the queries. A query without a wanted target is `unjudged`."""
    ended = sum(row.result is not None for row in rows)
    synthetic = sum(row.is_synthetic for row in every)
    return {
        "asked": len(rows),
        "answered": len(answers),
        "failed": ended - len(answers),
        "unjudged": sum(not answer.wanted for answer in answers),
        "synthetic": synthetic,
        "written": len(every) - synthetic,
    }


def _measures(answers: Sequence[Answered], stages: Sequence[Stage]) -> Payload:
    """Return the means by stage, metric and k, all with the same draws of queries."""
    wanted = wanted_of(answers, stages)
    names: list[tuple[str, Metric, int | None]] = []
    for stage in stages:
        for metric in metrics_of(stage):
            names += [(stage.name, metric, k) for k in depths_of(stage)]
        names.append((stage.name, Metric.RECALL, None))
        names.append((stage.name, Metric.RECIPROCAL, None))
    told: dict[tuple[str, Metric], Payload] = {}
    if names and wanted.keys:
        values = np.column_stack([query_values(wanted, *name) for name in names])
        for (name, metric, k), mean in zip(names, means(values), strict=True):
            told.setdefault((name, metric), {})[str(k or WHOLE)] = asdict(mean)
    return {stage.name: _measured(stage, told, answers) for stage in stages}


def _measured(
    stage: Stage,
    told: Mapping[tuple[str, Metric], Payload],
    answers: Sequence[Answered],
) -> Payload:
    at = {metric: dict(told.get((stage.name, metric), {})) for metric in Metric}
    return {
        "recall_whole": at[Metric.RECALL].pop(WHOLE, None),
        "mrr": at[Metric.RECIPROCAL].pop(WHOLE, None),
        "mrr_at": at[Metric.RECIPROCAL],
        **{metric: at[metric] for metric in BY_K},
        "judged": {
            str(k): judged_share(answers, stage.name, k)
            for k in depths_of(stage)
            if stage.kind not in SHARED
        },
    }


def _losses(answers: Sequence[Answered], stages: Sequence[Stage]) -> Payload:
    found = losses_of(answers, stages)
    total = sum(len(answer.wanted) for answer in answers)
    steps = [
        {**asdict(one), "share": one.lost / total if total else None} for one in found
    ]
    return {"total": total, "steps": steps}


def _deaths(answers: Sequence[Answered], stages: Sequence[Stage]) -> list[Payload]:
    return [
        {
            "stage": stage,
            "count": sum(reasons.values()),
            "reasons": [
                {"reason": reason, "count": count} for reason, count in reasons.items()
            ],
        }
        for stage, reasons in deaths_of(answers, stages).items()
    ]


def _misses(
    asked: Sequence[Asked], steps: Sequence[Step]
) -> list[tuple[Answered, Payload, tuple[str, str]]]:
    """Return the wanted targets that the last step does not hold, with their deaths."""
    return [
        (one.answer, told, death)
        for one in asked
        for judged, told in one.wanted
        if (death := death_of(judged, steps))
    ]


def _miss(
    answer: Answered, told: Payload, death: tuple[str, str], head: Payload
) -> Payload:
    stage, reason = death
    return {
        "key": answer.key,
        "topic": answer.topic,
        "query": answer.query,
        "target": told["target"],
        "grade": told["grade"],
        "stages": told["stages"],
        "legs": told.get("legs"),
        "death": {"stage": stage, "reason": reason},
        "lookup": told.get("lookup"),
        "is_synthetic": answer.is_synthetic,
        "trace": trace_query(answer.query, told["target"], head),
    }


def trace_query(query: str, target: str, head: Payload) -> str | None:
    """Return the parameters of the trace of a target as a query string."""
    if not head["repositories"]:
        return None
    pairs = [("q", query)]
    pairs += [("repository", name) for name in head["repositories"]]
    pairs += [("profile", head["profile"])] if head["profile"] else []
    return urlencode([*pairs, ("target", target), *map(tuple, head["settings"])])


def _topics(
    answers: Sequence[Answered], stages: Sequence[Stage], summary: Payload | None
) -> list[Payload]:
    """Return the topics; an overlap is known of all the phrasings that were asked."""
    overlaps: Mapping[str, Payload] = (summary or {}).get("topics", {})
    found = []
    for topic in topics_of(answers, stages):
        known = overlaps.get(topic.topic)
        is_whole = known is not None and known["phrasings"] == topic.phrasings
        found.append(
            {
                "topic": topic.topic,
                "phrasings": topic.phrasings,
                "found": topic.found,
                "in_pool": topic.in_pool,
                "best": topic.ranks.least,
                "median": topic.ranks.median,
                "worst": topic.ranks.most,
                "absent": topic.ranks.absent,
                "overlap": known["overlap"] if known and is_whole else None,
            }
        )
    return found


def _iou(asked: Sequence[Asked]) -> Payload:
    overlaps = [
        overlap
        for one in asked
        for _, told in one.wanted
        if (overlap := told.get("iou")) is not None
    ]
    shares = overlap_shares(overlaps)
    return {
        **{f"{least:g}": share for least, share in shares.items()},
        "n": len(overlaps),
    }


def _reading(asked: Sequence[Asked]) -> Payload:
    """Return what is read before an answer; `without` have none on page one.

    Tokens are not known of queries that were asked without a model.
    """
    judged = [one for one in asked if one.answer.wanted]
    costs = [cost for one in judged if (cost := one.result.get("reading"))]
    tokens = [cost["tokens"] for cost in costs if cost["tokens"] is not None]
    return {
        "lines": asdict(cost_of([cost["lines"] for cost in costs])),
        "tokens": asdict(cost_of(tokens)),
        "without": len(judged) - len(costs),
    }


def _control(misses: Sequence[Payload]) -> Payload:
    """Count the misses that looking up their name finds; null where none was tried."""
    tried = [one["lookup"]["found"] for one in misses if one["lookup"]]
    return {"misses": len(misses), "found_by_name": sum(tried) if tried else None}
