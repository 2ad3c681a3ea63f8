"""Placing: where wanted documents stand in every list, and which stage lost them.

It makes the results of `codesearch.audits.rows`. What another system does not tell is
null: it has no page of ours, no closeness, no lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from codesearch.audits.foreign.types import UNION, BroughtStage, Question, Ranked
from codesearch.audits.rows import NOWHERE, Line, count_judged
from codesearch.funnel.audit.losses import lost_at, steps_of
from codesearch.funnel.audit.types import Places, Stage, StageKind

NOTHING = Ranked((), ())


def stages_with_union(brought: Sequence[BroughtStage]) -> list[Stage]:
    """Return the stages of an audit: as brought, after two legs or more their union."""
    stages = [Stage(one.name, one.kind, one.depth) for one in brought]
    legs = [stage for stage in stages if stage.kind is StageKind.LEG]
    if len(legs) > 1:
        stages.insert(len(legs), Stage(UNION, StageKind.UNION))
    return stages


def place_question(
    question: Question, brought: Sequence[BroughtStage]
) -> tuple[dict[str, Any], dict[str, list[Line]]]:  # Any: JSON
    """Return the result of one row and its lists, by stage."""
    stages, judged = stages_with_union(brought), question.judged
    lists = {one.name: one.lists.get(question.key, NOTHING) for one in brought}
    ordinals = {name: _ordinals(found) for name, found in lists.items()}
    result = {
        "failure": "",
        "milliseconds": None,
        "closeness": None,
        "reading": None,
        "judged_at": {
            stage.name: count_judged(
                (place for one, place in ordinals[stage.name].items() if one in judged),
                stage,
            )
            for stage in stages
            if stage.kind is not StageKind.UNION
        },
        "targets": [
            _target(document, grade, stages, lists, ordinals)
            for document, grade in sorted(judged.items())
        ],
    }
    return result, {name: _lines(found) for name, found in lists.items()}


def _ordinals(found: Ranked) -> dict[str, int]:
    return {document: n for n, document in enumerate(found.documents, start=1)}


def _target(
    document: str,
    grade: int,
    stages: Sequence[Stage],
    lists: Mapping[str, Ranked],
    ordinals: Mapping[str, Mapping[str, int]],
) -> dict[str, Any]:  # Any: JSON
    places = {name: found.get(document) for name, found in ordinals.items()}
    legs = [one for one in stages if one.kind is StageKind.LEG]
    return {
        "target": document,
        "grade": grade,
        **NOWHERE,
        "document": document,
        "stages": _with_union(places, legs),
        "legs": {
            leg.name: _standing(lists[leg.name], places[leg.name], leg.depth)
            for leg in legs
        },
        "death": _death(places, stages),
        "lookup": None,
        "iou": None,
    }


def _with_union(places: Places, legs: Sequence[Stage]) -> Places:
    """Return the places with that in the union, the best of any leg, if it is one."""
    if len(legs) < 2:
        return places
    held = [place for leg in legs if (place := places[leg.name]) is not None]
    return {**places, UNION: min(held, default=None)}


def _death(places: Places, stages: Sequence[Stage]) -> dict[str, str] | None:
    """Return where a document was lost, as it is counted; None at the last stage."""
    steps = steps_of(stages)
    number = lost_at(places, steps)
    if number == len(steps):
        return None
    step = steps[number]
    is_leg = step.kind is StageKind.LEG
    reason = "in no leg’s list" if is_leg else f"not in {step.name}"
    return {"stage": step.kind.value, "reason": reason}


def _standing(
    found: Ranked, ordinal: int | None, depth: int | None
) -> dict[str, Any] | None:  # Any: JSON
    """Return what a leg says of a document; the margin is over a full list’s last."""
    if ordinal is None:
        return None
    if found.scores is None:
        return {
            "rank": ordinal,
            "ordinal": ordinal,
            "tie_size": 1,
            "raw": None,
            "margin": None,
            "in_leg": True,
        }
    raw = found.scores[ordinal - 1]
    scores = np.asarray(found.scores, dtype=np.float32)
    is_full = depth is not None and len(scores) == depth
    return {
        "rank": 1 + int((scores > np.float32(raw)).sum()),
        "ordinal": ordinal,
        "tie_size": int((scores == np.float32(raw)).sum()),
        "raw": raw,
        "margin": raw - found.scores[-1] if is_full else None,
        "in_leg": True,
    }


def _lines(found: Ranked) -> list[Line]:
    """Return a list as it is kept; one without scores has minus its places."""
    scores = found.scores
    if scores is None:
        scores = [-float(n) for n in range(1, len(found.documents) + 1)]
    return list(map(Line, found.documents, scores))
