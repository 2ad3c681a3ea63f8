"""Topics: whether the same wish is found in whatever words it is put."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from codesearch.funnel.audit.losses import steps_of
from codesearch.funnel.audit.types import Answered, Stage, StageKind
from codesearch.funnel.phrasings import Spread, spread

FIRST = 5  # The hits that are compared: what one sees without scrolling.


@dataclass(frozen=True, slots=True)
class Topic:
    """The phrasings of one topic that have a wanted target, together.

    `found` and `in_pool` say of how many of them the last step and the pool hold a
    wanted target: all, some, none; None where there is no such stage. `ranks` are
    those of the best wanted target of each in the final order.
    """

    topic: str
    phrasings: int
    found: str | None
    in_pool: str | None
    ranks: Spread


def topics_of(answers: Sequence[Answered], stages: Sequence[Stage]) -> list[Topic]:
    """Return the topics of two or more phrasings, in order of their first."""
    steps = steps_of(stages)
    last = steps[-1].stages if steps else ()
    pools = tuple(one.name for one in stages if one.kind is StageKind.POOL)
    results = tuple(one.name for one in stages if one.kind is StageKind.RESULT)
    return [
        Topic(
            topic=topic,
            phrasings=len(asked),
            found=_how_many(asked, last),
            in_pool=_how_many(asked, pools),
            ranks=spread([_best(one, results or last) for one in asked]),
        )
        for topic, asked in by_topic(answers).items()
    ]


def by_topic(answers: Sequence[Answered]) -> dict[str, list[Answered]]:
    """Return the queries of each topic that has two or more with a wanted target."""
    found: dict[str, list[Answered]] = {}
    for one in answers:
        if one.topic and one.wanted:
            found.setdefault(one.topic, []).append(one)
    return {topic: asked for topic, asked in found.items() if len(asked) > 1}


def overlap_of_first(lists: Sequence[Sequence[str]]) -> float | None:
    """Return the mean Jaccard index of the first five documents, over all pairs.

    It is None where no pair has a document.
    """
    firsts = [set(documents[:FIRST]) for documents in lists]
    pairs = [(a, b) for a, b in combinations(firsts, 2) if a | b]
    return fmean(len(a & b) / len(a | b) for a, b in pairs) if pairs else None


def _best(one: Answered, stages: Sequence[str]) -> int | None:
    """Return the best place of a wanted target in any of the stages."""
    places: list[Mapping[str, int | None]] = [target.places for target in one.wanted]
    found = [place for told in places for name in stages if (place := told.get(name))]
    return min(found, default=None)


def _how_many(asked: Sequence[Answered], stages: Sequence[str]) -> str | None:
    if not stages:
        return None
    found = [_best(one, stages) is not None for one in asked]
    if all(found):
        return "all"
    return "some" if any(found) else "none"
