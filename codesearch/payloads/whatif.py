"""What if: what each setting can do for one chunk, and the changes that admit it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from codesearch.changes import Change
from codesearch.funnel.types import Outcome
from codesearch.knobs import KNOBS, RERANKER, config_pairs
from codesearch.payloads import Payload
from codesearch.switches import (
    own_guarantee,
    plain_fusion,
    without_conditions,
    without_legs,
)
from codesearch.whatif import Answer, Asked, answers, value_of


def knobs_payload(asked: Asked) -> Payload:
    """Return what every knob and switch can do for one chunk."""
    guarantee = own_guarantee(asked)
    return {
        "knobs": [_knob(one) for one in answers(asked)],
        "legs": [asdict(one) for one in without_legs(asked)],
        "filters": [asdict(one) for one in without_conditions(asked)],
        "plain_fusion": asdict(plain_fusion(asked)),
        "own_guarantee": asdict(guarantee) if guarantee else None,
    }


def settings_payload(outcome: Outcome) -> Payload:
    """Return the settings of an outcome, and how many chunks it came to."""
    return {
        "settings": config_pairs(outcome.config),
        "guarantee": outcome.pool.guarantee,
        "off": sorted(outcome.config.off),
        "reranker": outcome.config.reranker,
        "kind": outcome.reranked.kind,
        "scored": len(outcome.reranked.logits),
        "pairs": len(outcome.reranked.run.hits),
        "union": len(outcome.fused.hits),
        "pool": len(outcome.pool.entry),
        "pool_size": outcome.config.pool_size,
        "unseated": outcome.pool.unseated,
    }


def changes_payload(asked: Asked, found: Sequence[Change]) -> list[Payload]:
    """Return changes in their order; `settings` are all that are not as shipped."""
    return [
        {
            "kind": one.kind,
            "cost": one.cost,
            "end": asdict(one.end) if one.end else None,
            "turned": [_turned(asked, one, name) for name in one.turned],
            "settings": config_pairs(one.config) if one.config else None,
            "words": list(one.words),
            "is_estimate": one.is_estimate,
        }
        for one in found
    ]


def _turned(asked: Asked, change: Change, name: str) -> Payload:
    """Return what a change turns, from what it is to what it would be."""
    old, new = asked.config, change.config
    assert new  # noqa: S101 - what turns nothing has no names
    if knob := KNOBS.get(name):
        now, then = value_of(knob, asked.outcome), knob.read(new)
        return {"name": name, "label": knob.label, "from": now, "to": then}
    if name == RERANKER:
        kind = asked.outcome.reranked.kind
        return {"name": name, "label": "Reranker", "from": kind, "to": new.reranker}
    on = [not config.is_off(name) for config in (old, new)]
    return {"name": name, "label": f"{name} leg", "from": on[0], "to": on[1]}


def _knob(one: Answer) -> Payload:
    return {
        "name": one.knob.name,
        "label": one.knob.label,
        "stage": one.knob.stage,
        "least": one.knob.least,
        "most": one.knob.most,
        "is_whole": one.knob.is_whole,
        "goal": one.goal,
        "verdict": one.verdict,
        "value": one.value,
        "intervals": [asdict(interval) for interval in one.intervals],
        "steps": [asdict(step) for step in one.steps],
        "nearest": one.nearest,
        "distance": one.distance,
        "reason": one.reason,
    }
