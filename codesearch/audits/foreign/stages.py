"""Stages of another system: what one may be called, and in which order they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codesearch.audits.foreign.types import (
    KINDS,
    MOST_STAGES,
    NAME,
    UNION,
    Brought,
    BroughtStage,
    Ranked,
    Report,
)
from codesearch.case_files.records import UnreadableFile

DEEPEST = 1_000_000


def read_stage(
    name: object, kind: object, depth: object, lists: Mapping[str, Ranked]
) -> BroughtStage:
    """Return one stage. Raises UnreadableFile where it cannot be one."""
    if not isinstance(name, str) or not NAME.fullmatch(name) or name == UNION:
        raise UnreadableFile(
            f"“{name}” cannot be the name of a stage: up to 40 letters, digits, dots, "
            f"colons, dashes and underscores, and not {UNION}: that is of the legs."
        )
    known = next((one for one in KINDS if one == kind), None)
    if known is None:
        kinds = ", ".join(KINDS)
        raise UnreadableFile(f"The stage {name} is of kind “{kind}”, not of {kinds}.")
    if depth is not None and (
        isinstance(depth, bool)
        or not isinstance(depth, int)
        or not 1 <= depth <= DEEPEST
    ):
        raise UnreadableFile(
            f"The depth of {name} is “{depth}”, not a number from 1 to {DEEPEST:,}."
        )
    return BroughtStage(name, known, depth, lists)


def in_order(stages: Sequence[BroughtStage]) -> list[BroughtStage]:
    """Return the stages as a query meets them: by kind, equal ones as they were given.

    Raises UnreadableFile where there is none, too many, or a name twice.
    """
    names = [stage.name for stage in stages]
    twice = sorted({name for name in names if names.count(name) > 1})
    if not stages:
        raise UnreadableFile("There is no stage: bring the list of one at least.")
    if twice:
        raise UnreadableFile(f"Two stages are called {twice[0]}.")
    if len(stages) > MOST_STAGES:
        raise UnreadableFile(f"{len(stages)} stages; {MOST_STAGES} can be compared.")
    return sorted(stages, key=lambda stage: KINDS.index(stage.kind))


def settle(brought: Brought, report: Report) -> Brought:
    """Return what was brought with its stages in order and cut at their depths.

    What that leaves out goes to the report, and what is missing.
    """
    stages = in_order(brought.stages)
    if not brought.questions:
        raise UnreadableFile("There is no query: bring judgements of one at least.")
    keys = [question.key for question in brought.questions]
    for stage in stages:
        empty = sum(key not in stage.lists for key in keys)
        if empty:
            report.remarks.append(
                f"{stage.name}: no list for {empty:,} of {len(keys):,} queries; "
                "nothing is found there."
            )
    unjudged = sum(
        not any(grade > 0 for grade in question.judged.values())
        for question in brought.questions
    )
    if unjudged:
        report.remarks.append(
            f"{unjudged:,} of {len(keys):,} queries have no wanted document; "
            "they count in no mean."
        )
    return Brought(
        brought.system, [_cut(one, report) for one in stages], brought.questions
    )


def _cut(stage: BroughtStage, report: Report) -> BroughtStage:
    depth = stage.depth
    longer = sum(
        depth is not None and len(found.documents) > depth
        for found in stage.lists.values()
    )
    if not longer:
        return stage
    report.remarks.append(
        f"{stage.name}: {longer:,} lists are longer than its depth of {depth:,}; "
        "what is beyond was left out."
    )
    lists = {
        key: Ranked(found.documents[:depth], found.scores and found.scores[:depth])
        for key, found in stage.lists.items()
    }
    return BroughtStage(stage.name, stage.kind, depth, lists)
