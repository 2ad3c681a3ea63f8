"""Exports: an audit as a table, as JSON, and as runs and qrels for other tools.

A tool that evaluates the run of a stage with the qrels gets our figures for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from codesearch.audits.rows import Line, answered, stages_of, unpack_lists
from codesearch.funnel.audit.measures import SHARED
from codesearch.models import Audit, AuditRow
from codesearch.payloads import Payload
from codesearch.payloads.audit import Only, audit_payload, is_asked
from codesearch.runs import RunLine, UnknownStage, one_word, write_run
from codesearch.spreadsheets import Cell

BATCH = 50  # Rows in memory at once: lists are the largest that an audit has.
UNLISTED = "no-document:"  # Before a target that is no document of any list.


def audit_json(audit: Audit, only: Only = "all") -> Payload:
    """Return the payload of an audit with `rows`: each query and its whole result."""
    rows = [
        {
            "key": row.key,
            "topic": row.topic,
            "query": row.query,
            "is_synthetic": row.is_synthetic,
            "targets": row.targets,
            "result": row.result,
        }
        for row in audit.rows.defer("lists")
        if is_asked(row, only)
    ]
    return {**audit_payload(audit, only), "rows": rows}


def audit_table(audit: Audit, only: Only = "all") -> Iterator[list[Cell]]:
    """Yield the names of the columns, then a line for each target of each query.

    A stage has the target's place, and a leg its ordinal over the whole corpus too.
    """
    stages = [stage.name for stage in stages_of(audit)]
    rows = [row for row in audit.rows.defer("lists") if is_asked(row, only)]
    legs = _legs(rows)
    told = [f"{leg} {what}" for leg in legs for what in ("ordinal", "raw")]
    head = ["key", "topic", "query", "synthetic", "target", "grade"]
    yield [*head, *stages, *told, "died at", "reason", "failure"]
    for row in rows:
        failure: str = row.result["failure"] if row.result else ""
        for target in _targets(row):
            death = target.get("death") or {}
            yield [
                *(row.key, row.topic, row.query, "yes" if row.is_synthetic else ""),
                *(target["target"], target["grade"]),
                *(_of(target, "stages").get(stage) for stage in stages),
                *(cell for leg in legs for cell in _leg(target, leg)),
                *(death.get("stage"), death.get("reason"), failure),
            ]


def listed_stages(audit: Audit) -> list[str]:
    """Return the stages that have a run: those whose places are not shared."""
    return [stage.name for stage in stages_of(audit) if stage.kind not in SHARED]


def audit_run(audit: Audit, stage: str, only: Only = "all") -> Iterator[str]:
    """Return the TREC run of a stage, query by query. Raises UnknownStage."""
    names = listed_stages(audit)
    if stage not in names:
        raise UnknownStage(
            f"There is no run of “{stage}”; there are those of {', '.join(names)}."
        )
    tag = one_word(f"{audit.system or 'codesearch'}-{stage}")
    return (
        write_run(_lines(lists.get(stage, ())), qid=one_word(row.key), tag=tag)
        for row, lists in _listed(audit, only)
    )


def audit_qrels(audit: Audit, only: Only = "all") -> Iterator[str]:
    """Yield TREC qrels, query by query, of those that have a wanted target.

    The others are in no mean of ours, but would be in one of such a tool. A target
    without a document has a name that no run holds.
    """
    for row in audit.rows.defer("lists"):
        answer = answered(row) if is_asked(row, only) else None
        if answer and answer.wanted:
            qid = one_word(row.key)
            yield "".join(
                f"{qid} 0 {one_word(_document(target))} {target['grade']}\n"
                for target in _targets(row)
            )


def _legs(rows: Sequence[AuditRow]) -> list[str]:
    """Return the legs that any target was followed in, in order."""
    targets = (target for row in rows for target in _targets(row))
    return list(dict.fromkeys(leg for one in targets for leg in _of(one, "legs")))


def _targets(row: AuditRow) -> Sequence[Payload]:
    """Return the targets of a row as its result has them, else as they were asked."""
    told: Sequence[Payload] = row.result["targets"] if row.result else ()
    return told or row.targets


def _of(target: Payload, key: str) -> Mapping[str, Any]:  # Any: JSON
    return target.get(key) or {}


def _leg(target: Payload, leg: str) -> tuple[Cell, Cell]:
    found = _of(target, "legs").get(leg) or {}
    return found.get("ordinal"), found.get("raw")


def _listed(
    audit: Audit, only: Only
) -> Iterator[tuple[AuditRow, dict[str, list[Line]]]]:
    """Yield the rows that were answered, with their lists."""
    for row in audit.rows.iterator(BATCH):
        if row.lists and is_asked(row, only) and answered(row):
            yield row, unpack_lists(bytes(row.lists))


def _lines(found: Sequence[Line]) -> Iterator[RunLine]:
    for rank, line in enumerate(found, start=1):
        yield RunLine(one_word(line.document), rank, line.score)


def _document(target: Payload) -> str:
    document: str = target.get("document") or UNLISTED + target["target"]
    return document
