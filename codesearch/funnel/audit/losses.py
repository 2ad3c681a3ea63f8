"""Losses: at which step each wanted target was lost, and of what it died.

A target is lost at the step after the last one whose list holds it, once. So the
losses and what is left add up to all targets, whatever stages a system has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.funnel.audit.types import Answered, Judged, Places, Stage, StageKind

BEFORE = "before"  # No leg could hold it: there is no such chunk in scope.
BEFORE_LEGS = ("corpus", "chunk", "scope")
STAGES_OF_DEATH = (*BEFORE_LEGS, "leg", "pool", "page")
NOT_LISTED = "not_listed"  # All that is known of a loss of another system.
# Reasons that end in the id of a chunk.
_WITH_ID = ("merged_into", "duplicate_of", "re_export_of")
# A stage that is no step of its own where the other one exists: the pool tells what
# fusion lost, and a card is a view of a result.
_TOLD_BY = {StageKind.FUSION: StageKind.POOL, StageKind.CARD: StageKind.RESULT}
_LEGS = (StageKind.LEG, StageKind.UNION)


@dataclass(frozen=True, slots=True)
class Step:
    """A stage at which targets are lost, or all legs together."""

    name: str
    kind: StageKind
    stages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """How many targets are left after a step, and how many were lost by it."""

    name: str
    kind: str
    kept: int
    lost: int


def steps_of(stages: Sequence[Stage]) -> list[Step]:
    """Return the steps of a system, in order; legs and union are one, the first."""
    kinds = {stage.kind for stage in stages}
    legs = tuple(stage.name for stage in stages if stage.kind in _LEGS)
    steps = [Step("legs", StageKind.LEG, legs)] if legs else []
    return steps + [
        Step(stage.name, stage.kind, (stage.name,))
        for stage in stages
        if stage.kind not in _LEGS and _TOLD_BY.get(stage.kind) not in kinds
    ]


def lost_at(places: Places, steps: Sequence[Step]) -> int:
    """Return the number of the step that lost a target; len(steps) for none."""
    held = (
        number
        for number, step in enumerate(steps, start=1)
        if any(places.get(name) is not None for name in step.stages)
    )
    return max(held, default=0)


def losses_of(answers: Sequence[Answered], stages: Sequence[Stage]) -> list[Loss]:
    """Return the losses of wanted targets, by step.

    The first is that before any leg, where there is one.
    """
    steps = steps_of(stages)
    wanted = [target for one in answers for target in one.wanted]
    lost = Counter(lost_at(target.places, steps) for target in wanted)
    before = sum(
        lost_at(target.places, steps) == 0 and _died_before(target) for target in wanted
    )
    kept = len(wanted) - before
    found = [Loss(BEFORE, BEFORE, kept, before)] if before else []
    for number, step in enumerate(steps):
        gone = lost[number] - (before if number == 0 else 0)
        kept -= gone
        found.append(Loss(step.name, step.kind, kept, gone))
    return found


def death_of(target: Judged, steps: Sequence[Step]) -> tuple[str, str] | None:
    """Return stage and reason of a target's death, None if the last step holds it.

    Where none was told the stage is the step that lost it, the reason NOT_LISTED.
    """
    number = lost_at(target.places, steps)
    if number == len(steps):
        return None
    return target.death or (steps[number].name, NOT_LISTED)


def deaths_of(
    answers: Sequence[Answered], stages: Sequence[Stage]
) -> dict[str, dict[str, int]]:
    """Count the deaths of wanted targets by stage, in order, and reason, most first."""
    steps = steps_of(stages)
    wanted = (target for one in answers for target in one.wanted)
    deaths = Counter(death for one in wanted if (death := death_of(one, steps)))
    reasons: dict[str, Counter[str]] = {}
    for (stage, reason), count in deaths.items():
        reasons.setdefault(stage, Counter())[short_reason(reason)] += count
    order = [*STAGES_OF_DEATH, *(step.name for step in steps), *sorted(reasons)]
    return {
        stage: dict(sorted(reasons[stage].items(), key=lambda one: (-one[1], one[0])))
        for stage in dict.fromkeys(order)
        if stage in reasons
    }


def short_reason(reason: str) -> str:
    """Return a reason without the id of the one chunk that it names."""
    name = reason.partition(":")[0]
    return name if name in _WITH_ID else reason


def _died_before(target: Judged) -> bool:
    return target.death is not None and target.death[0] in BEFORE_LEGS
