"""Placing: where wanted documents stand in every list, and which stage lost them.

It makes the results of `codesearch.audits.rows`. What another system does not tell is
null: it has no page of ours, no closeness, no lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from codesearch.audits.foreign.types import UNION, BroughtStage, Question, Ranked
from codesearch.audits.rows import JUDGED_AT, Line
from codesearch.funnel.audit.types import Stage, StageKind

NOTHING = Ranked((), ())
Places = dict[str, int | None]


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
    lists = {one.name: one.lists.get(question.key, NOTHING) for one in brought}
    ordinals = {name: _ordinals(found) for name, found in lists.items()}
    result = {
        "failure": "",
        "milliseconds": None,
        "closeness": None,
        "reading": None,
        "judged_at": {
            one.name: _judged_at(lists[one.name], question.judged, one.depth)
            for one in brought
        },
        "targets": [
            _target(document, grade, brought, lists, ordinals)
            for document, grade in sorted(question.judged.items())
        ],
    }
    return result, {name: _lines(found) for name, found in lists.items()}


def _ordinals(found: Ranked) -> dict[str, int]:
    return {document: n for n, document in enumerate(found.documents, start=1)}


def _judged_at(
    found: Ranked, judged: Mapping[str, int], depth: int | None
) -> dict[str, int]:
    depths = sorted({*JUDGED_AT, depth or JUDGED_AT[0]})
    places = [n for n, one in enumerate(found.documents, start=1) if one in judged]
    return {str(k): sum(place <= k for place in places) for k in depths}


def _target(
    document: str,
    grade: int,
    brought: Sequence[BroughtStage],
    lists: Mapping[str, Ranked],
    ordinals: Mapping[str, Mapping[str, int]],
) -> dict[str, Any]:  # Any: JSON
    places = {name: found.get(document) for name, found in ordinals.items()}
    legs = [one for one in brought if one.kind is StageKind.LEG]
    death = death_of(places, brought)
    return {
        "target": document,
        "grade": grade,
        "document": document,
        "repository": None,
        "revision": None,
        "path": None,
        "path_url": None,
        "start_line": None,
        "end_line": None,
        "symbol": None,
        "kind": None,
        "stages": _with_union(places, legs),
        "legs": {
            leg.name: _standing(lists[leg.name], places[leg.name], leg.depth)
            for leg in legs
        },
        "death": death and {"stage": death[0], "reason": death[1]},
        "lookup": None,
        "iou": None,
    }


def _with_union(places: Places, legs: Sequence[BroughtStage]) -> Places:
    """Return the places with that in the union, the best of any leg, if it is one."""
    if len(legs) < 2:
        return places
    held = [place for leg in legs if (place := places[leg.name]) is not None]
    return {**places, UNION: min(held, default=None)}


def death_of(
    places: Mapping[str, int | None], brought: Sequence[BroughtStage]
) -> tuple[str, str] | None:
    """Return stage and reason: the first stage after which no list holds a document.

    All legs are one stage. None: the last stage of the system holds it.
    """
    legs = [one.name for one in brought if one.kind is StageKind.LEG]
    steps = [("leg", "in no leg’s list", legs)] if legs else []
    steps += [
        (one.kind.value, f"not in {one.name}", [one.name])
        for one in brought
        if one.kind is not StageKind.LEG
    ]
    holding = [
        number
        for number, (_, _, names) in enumerate(steps, start=1)
        if any(places[name] is not None for name in names)
    ]
    lost_at = max(holding, default=0)
    return steps[lost_at][:2] if lost_at < len(steps) else None


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
