"""Gates: how much worse an audit may be than the one before it.

`METRIC[@K]@STAGE:CHANGE`, such as `recall@pool:-0.01` or `success@10@card:-0.05`: the
mean may fall by no more than that. Without a k the whole list counts. Compared are the
queries that the page of the two compares: answered by both, with the same targets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from codesearch.audits.pairs import Paired, compare_pairs
from codesearch.audits.rows import stages_of
from codesearch.errors import SearchError
from codesearch.funnel.audit.measures import Metric, metrics_of
from codesearch.funnel.audit.significance import Comparison
from codesearch.models import Audit

ROUNDING = 1e-9  # Of a mean: a fall that is allowed to the last bit is no more.
_GATE = re.compile(
    r"(?P<metric>[a-z][a-z0-9]*)(?:@(?P<k>[1-9]\d{0,3}))?@(?P<stage>[a-z][\w:]*)"
    r":(?P<change>[+-]?\d*\.?\d+)"
)


class UnreadableGate(SearchError):
    """A gate is none, or the audit has no such stage; the message says why."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One metric at one stage, and the least difference that passes."""

    text: str
    metric: Metric
    k: int | None
    stage: str
    change: float

    def passes(self, found: Comparison) -> bool:
        """Tell whether it holds; without a query in common there is nothing to fail."""
        return found.difference is None or found.difference >= self.change - ROUNDING


def read_gate(text: str) -> Gate:
    """Return the gate that is written. Raises UnreadableGate."""
    found = _GATE.fullmatch(text.strip())
    if found is None:
        raise UnreadableGate(
            f"“{text}” is no METRIC[@K]@STAGE:CHANGE, such as recall@pool:-0.01."
        )
    if found["metric"] not in list(Metric):
        raise UnreadableGate(
            f"There is no metric “{found['metric']}”; there are {', '.join(Metric)}."
        )
    metric, k = Metric(found["metric"]), int(found["k"]) if found["k"] else None
    if metric is Metric.PRECISION and k is None:
        raise UnreadableGate(f"“{text}” lacks a k: precision@10@result, for example.")
    return Gate(text.strip(), metric, k, found["stage"], float(found["change"]))


def check_gate(gate: Gate, audit: Audit) -> None:
    """Raise UnreadableGate where an audit has no such number."""
    stages = {stage.name: stage for stage in stages_of(audit)}
    if gate.stage not in stages:
        raise UnreadableGate(
            f"Audit {audit.pk} has no stage “{gate.stage}”; it has {', '.join(stages)}."
        )
    if gate.metric not in metrics_of(stages[gate.stage]):
        raise UnreadableGate(
            f"{gate.metric} has no meaning at {gate.stage}: places are shared there."
        )


def compare_at(gate: Gate, paired: Paired, audit: Audit, before: Audit) -> Comparison:
    """Compare an audit with one before it at a gate, over their pairs."""
    now, then = (
        next(stage for stage in stages_of(one) if stage.name == gate.stage)
        for one in (audit, before)
    )
    return compare_pairs(paired.pairs, (now, then), gate.metric, gate.k)


def newly_failed(audit: Audit, before: Audit) -> int:
    """Count the queries that could not be asked, and were answered before."""
    answered = before.rows.filter(result__failure="").values("key")
    failed = audit.rows.exclude(result__failure="")
    return failed.filter(key__in=answered).count()
