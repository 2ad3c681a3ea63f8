"""Audits with rows made by hand: their lists, and the places that follow from them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from codesearch.audits.rows import Line, count_judged, pack_lists, stages_of
from codesearch.funnel.audit.types import Stage, StageKind
from codesearch.models import Audit, AuditRow, CaseSet

LISTED = (
    Stage("body", StageKind.LEG, 30),
    Stage("bm25", StageKind.LEG, 30),
    Stage("pool", StageKind.POOL, 20),
    Stage("result", StageKind.RESULT),
    Stage("page", StageKind.PAGE, 10),
)


@dataclass(frozen=True)
class Asked:
    """A query: the documents of each stage, and the grade of each target document.

    A target whose document is None has none.
    """

    key: str
    lists: Mapping[str, Sequence[str]]
    targets: Mapping[str, int]
    topic: str = ""
    is_synthetic: bool = False
    reading: Mapping[str, int] | None = None


BUILD = {"id": 1, "repository": "shop", "revision": "0" * 40, "profile": "symbol"}


def make_audit(
    queries: Sequence[Asked],
    *,
    stages: Sequence[Stage] = LISTED,
    unit: str = "chunk",
    chunks: int = 0,
    **more: Any,  # Any: fields of Audit
) -> Audit:
    """Return a finished audit of these queries, in this order."""
    case_set = CaseSet.objects.create(name="made", unit=unit)
    audit = Audit.objects.create(
        case_set=case_set,
        status=Audit.Status.DONE,
        started_at=timezone.now(),
        finished_at=timezone.now(),
        stages=[{"name": s.name, "kind": s.kind, "depth": s.depth} for s in stages],
        header={"builds": [{**BUILD, "chunks": chunks}]} if chunks else {},
        row_count=len(queries),
        **more,
    )
    AuditRow.objects.bulk_create(
        _row(audit, number, one) for number, one in enumerate(queries)
    )
    return audit


def _row(audit: Audit, number: int, one: Asked) -> AuditRow:
    lists = {stage: _lines(documents) for stage, documents in one.lists.items()}
    targets = [_target(one, document, grade) for document, grade in one.targets.items()]
    return AuditRow(
        audit=audit,
        number=number,
        key=one.key,
        topic=one.topic,
        query=f"words of {one.key}",
        targets=[{"target": d, "grade": g} for d, g in one.targets.items()],
        is_synthetic=one.is_synthetic,
        result={
            "failure": "",
            "milliseconds": 1.0,
            "closeness": None,
            "reading": one.reading,
            "judged_at": {
                stage.name: count_judged(_judged(one, stage.name), stage)
                for stage in stages_of(audit)
                if stage.name in one.lists
            },
            "targets": targets,
        },
        lists=pack_lists(lists),
    )


def _lines(documents: Sequence[str]) -> list[Line]:
    """Return the lines of a list whose scores fall, tie, and rise once at the end."""
    scores = [1 / (1 + place // 2) for place in range(len(documents))]
    if len(scores) > 3:
        scores[-1] = 2.0
    return [Line(*one) for one in zip(documents, scores, strict=True)]


def _judged(one: Asked, stage: str) -> list[int]:
    documents = enumerate(one.lists[stage], start=1)
    return [place for place, document in documents if document in one.targets]


def _target(one: Asked, document: str, grade: int) -> dict[str, Any]:  # Any: JSON
    places = {stage: _place(document, found) for stage, found in one.lists.items()}
    legs = {
        leg: places[leg] and {"ordinal": places[leg], "raw": 0.5}
        for leg in ("body", "bm25")
        if leg in places
    }
    is_shown = places.get("page") is not None
    return {
        "target": f"target of {document}",
        "grade": grade,
        "document": document,
        "repository": "shop",
        "revision": "0" * 40,
        "path": "a.py",
        "path_url": "a.py",
        "start_line": 1,
        "end_line": 2,
        "symbol": document,
        "kind": "function",
        "stages": places,
        "legs": legs,
        "death": None if is_shown else {"stage": "page", "reason": "beyond_page"},
        "lookup": {"found": document.endswith("1"), "name": document},
        "iou": 0.4 if is_shown else 0.0,
    }


def _place(document: str, found: Sequence[str]) -> int | None:
    return found.index(document) + 1 if document in found else None


def random_queries(count: int, seed: int = 0) -> list[Asked]:
    """Return queries with drawn lists: each stage reorders and cuts the one before."""
    rng = random.Random(seed)  # noqa: S311 - lists, no secret
    names = [f"shop@0:a.py#f{n}@{n}" for n in range(60)]
    queries = []
    for number in range(count):
        body, bm25 = rng.sample(names, 30), rng.sample(names, rng.randrange(31))
        union = list(dict.fromkeys([*body, *bm25]))
        pool = rng.sample(union, 20)
        result = rng.sample(pool, 18)
        judged = rng.sample(names, rng.randrange(4))
        queries.append(
            Asked(
                key=f"q{number}",
                lists={
                    "body": body,
                    "bm25": bm25,
                    "pool": pool,
                    "result": result,
                    "page": result[:10],
                },
                targets={name: rng.randrange(4) for name in judged},
                topic=f"t{number // 2}",
                is_synthetic=number % 3 == 0,
                reading={"lines": 10 * number, "tokens": number},
            )
        )
    return queries
