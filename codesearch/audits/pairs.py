"""Pairs: the same query in two audits, by its key, and the stages of both.

All that compares two audits compares these: the page, the run before and the gates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from codesearch.audits.rows import answered, stages_of
from codesearch.funnel.audit.measures import Metric, query_values, wanted_of
from codesearch.funnel.audit.significance import Comparison, compare_values
from codesearch.funnel.audit.types import Answered, Stage, StageKind
from codesearch.models import Audit, AuditRow
from codesearch.payloads import Payload


@dataclass(frozen=True, slots=True)
class Side:
    """A row of one audit: its answer, and its wanted targets by what they are named."""

    row: AuditRow
    answer: Answered
    targets: dict[str, Payload]


class Pair(NamedTuple):
    """One query that both audits answered, with the same targets in the same order."""

    a: Side
    b: Side


@dataclass(frozen=True, slots=True)
class Paired:
    """The pairs in the order of A, and what is none.

    `only_a` and `only_b` were asked in one alone, `failed` could not be answered in
    both, `unjudged` have nothing wanted, `other_targets` want something else, and are
    not compared. `other_texts` are pairs whose query is spelled otherwise.
    """

    pairs: Sequence[Pair]
    only_a: int
    only_b: int
    failed: int
    unjudged: int
    other_targets: Sequence[str]
    other_texts: Sequence[str]


def pair_audits(a: Audit, b: Audit) -> Paired:
    """Return the pairs of two audits by the keys of their queries."""
    first, second = _rows(a), _rows(b)
    pairs, failed, unjudged = [], 0, 0
    other_targets, other_texts = [], []
    for key in (key for key in first if key in second):
        rows = first[key], second[key]
        answers = answered(rows[0]), answered(rows[1])
        if answers[0] is None or answers[1] is None:
            failed += 1
            continue
        if not answers[0].wanted and not answers[1].wanted:
            unjudged += 1
            continue
        named = _same_names(*map(_wanted, rows))
        if named is None:
            other_targets.append(key)
            continue
        if rows[0].query != rows[1].query:
            other_texts.append(key)
        pairs.append(
            Pair(
                Side(rows[0], answers[0], named[0]), Side(rows[1], answers[1], named[1])
            )
        )
    return Paired(
        pairs=pairs,
        only_a=sum(key not in second for key in first),
        only_b=sum(key not in first for key in second),
        failed=failed,
        unjudged=unjudged,
        other_targets=other_targets,
        other_texts=other_texts,
    )


def paired_stages(a: Audit, b: Audit) -> dict[str, tuple[Stage, Stage]]:
    """Return the stages of A that B has too, in order: by name, else by kind.

    Of several of one kind in B it is the last. Legs are paired by name alone.
    """
    theirs = stages_of(b)
    found = {}
    for stage in stages_of(a):
        same = [one for one in theirs if one.name == stage.name]
        if not same and stage.kind is not StageKind.LEG:
            same = [one for one in theirs if one.kind is stage.kind]
        if same:
            found[stage.name] = (stage, same[-1])
    return found


def compare_pairs(
    pairs: Sequence[Pair],
    stages: tuple[Stage, Stage],
    metric: Metric,
    k: int | None = None,
) -> Comparison:
    """Compare A at its stage with B at its own, over their pairs."""
    values: list[list[float]] = []
    for side, stage in zip(zip(*pairs, strict=True), stages, strict=False):
        wanted = wanted_of([one.answer for one in side], [stage])
        values.append(query_values(wanted, stage.name, metric, k).tolist())
    return compare_values(*values or ([], []))


def _rows(audit: Audit) -> dict[str, AuditRow]:
    return {row.key: row for row in audit.rows.defer("lists")}


def _wanted(row: AuditRow) -> list[Payload]:
    result = row.result or {"targets": []}
    return [one for one in result["targets"] if one["grade"] > 0]


def _same_names(
    first: Sequence[Payload], second: Sequence[Payload]
) -> tuple[dict[str, Payload], dict[str, Payload]] | None:
    """Return the targets of both by equal names, of the first in order.

    As they were asked for; else by the names of their documents, as the runs of another
    system over exported judgements have them. None: they want something else.
    """
    for name in ("target", "document"):
        ours = {one[name] or one["target"]: one for one in first}
        theirs = {one[name] or one["target"]: one for one in second}
        is_same = ours.keys() == theirs.keys() and len(ours) == len(first)
        if is_same and len(theirs) == len(second):
            return ours, {key: theirs[key] for key in ours}
    return None
