"""Keeping: what another system brought, as a foreign set and a finished audit."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from codesearch.audits.foreign.placing import place_question, stages_with_union
from codesearch.audits.foreign.types import Brought, Question, Report
from codesearch.audits.rows import pack_lists
from codesearch.audits.summaries import summarise_lists
from codesearch.case_files.gathering import case_digest
from codesearch.case_files.records import UnreadableFile, fault_of_text
from codesearch.models import Audit, AuditRow, Case, CaseSet
from codesearch.payloads import Payload

BATCH = 100  # Rows written at once; each holds its lists.
REMARKS = 100  # That an audit keeps.
# Where no queries share a topic: how much another system holds is not known.
NO_SUMMARY: Payload = {"topics": {}, "retrievability": None}


@transaction.atomic
def keep_runs(
    *,
    owner: int | None,
    brought: Brought,
    report: Report,
    system: str = "",
    set_name: str = "",
    note: str = "",
    is_open: bool = False,
) -> Audit:
    """Keep the runs of another system as an audit that is done.

    `owner` is the key of a user, None on the command line. It joins the set of the
    same owner with equal judgements, if there is one, so that systems can be compared;
    else it makes one. Raises UnreadableFile without a name for the system, or with one
    that is no text.
    """
    system = system.strip() or brought.system.strip()
    if not system:
        raise UnreadableFile("The system has no name: give it one.")
    if fault := fault_of_text(system):
        raise UnreadableFile(f"The name of the system: {fault}")
    began = timezone.now()
    case_set = _equal_set(owner, brought.questions) or _new_set(
        owner, brought.questions, set_name or f"queries of {system}", is_open
    )
    audit = Audit.objects.create(
        case_set=case_set,
        system=system[:100],
        note=note[:200],
        stages=[
            {"name": one.name, "kind": one.kind.value, "depth": one.depth}
            for one in stages_with_union(brought.stages)
        ],
        header={"remarks": report.remarks[:REMARKS], "left_out": report.problem_count},
        status=Audit.Status.DONE,
        row_count=len(brought.questions),
        started_at=began,
        finished_at=began,
        created_by_id=owner,
    )
    AuditRow.objects.bulk_create(_rows(audit, brought), batch_size=BATCH)
    audit.summary = NO_SUMMARY
    if any(question.topic for question in brought.questions):
        audit.summary = summarise_lists(audit)
    audit.finished_at = timezone.now()
    audit.save(update_fields=["summary", "finished_at"])
    return audit


def questions_of(case_set: CaseSet) -> list[Question]:
    """Return the queries of a set with their judgements, in its order."""
    return [
        Question(
            key=case.key,
            text=case.query,
            topic=case.topic,
            judged=case.judged,
            is_synthetic=case.is_synthetic,
        )
        for case in case_set.cases.order_by("pk")
    ]


def _rows(audit: Audit, brought: Brought) -> list[AuditRow]:
    """Return the rows, each query with what its set knows of it."""
    told = audit.case_set.cases.values_list("key", "query", "topic")
    known = {key: (query, topic) for key, query, topic in told}
    rows = []
    for number, question in enumerate(brought.questions):
        result, lists = place_question(question, brought.stages)
        rows.append(
            AuditRow(
                audit=audit,
                number=number,
                key=question.key,
                topic=question.topic or known[question.key][1],
                query=question.text or known[question.key][0],
                targets=[
                    {"target": document, "grade": grade}
                    for document, grade in sorted(question.judged.items())
                ],
                is_synthetic=question.is_synthetic,
                result=result,
                lists=pack_lists(lists),
            )
        )
    return rows


def _equal_set(owner: int | None, questions: Sequence[Question]) -> CaseSet | None:
    """Return the newest foreign set of this owner with the same judgements."""
    wanted = {question.key: dict(question.judged) for question in questions}
    for one in CaseSet.objects.filter(is_foreign=True, created_by_id=owner):
        if one.cases.count() != len(wanted):
            continue
        if {case.key: case.judged for case in one.cases.all()} == wanted:
            return one
    return None


def _new_set(
    owner: int | None,
    questions: Sequence[Question],
    name: str,
    is_open: bool,
) -> CaseSet:
    made = CaseSet.objects.create(
        name=name.strip()[:100],
        is_foreign=True,
        is_open=is_open,
        created_by_id=owner,
    )
    Case.objects.bulk_create(
        [_case(made, question, owner) for question in questions], batch_size=1000
    )
    return made


def _case(made: CaseSet, question: Question, owner: int | None) -> Case:
    query, targets = question.text or question.key, sorted(question.judged)
    return Case(
        case_set=made,
        key=question.key,
        topic=question.topic,
        query=query,
        targets=targets,
        grades={one: grade for one, grade in question.judged.items() if grade != 1},
        is_synthetic=question.is_synthetic,
        digest=case_digest(query, targets),
        created_by_id=owner,
    )
