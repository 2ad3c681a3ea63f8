"""Breaking: which judged cases a change of settings would break, and which mend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codesearch.cases import cases_of
from codesearch.errors import AmbiguousTarget, SearchError
from codesearch.funnel.trace import stage_lost
from codesearch.funnel.types import Config
from codesearch.inquiry import Inquiry, inquire
from codesearch.models import Case
from codesearch.services import best_chunk
from codesearch.targets import Resolved, resolve_target
from indexer.access import Viewer

MOST_CASES = 50  # The newest; each is run once under every config.
TOO_EARLY = {  # The deaths at which a target has not come as far as expected.
    Case.Expected.IN_LEG: ("scope", "leg"),
    Case.Expected.IN_POOL: ("scope", "leg", "pool"),
    Case.Expected.ON_PAGE: ("scope", "leg", "pool", "page"),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """How many cases there are, how many could be run, and what each config changes.

    `changed` has a pair for each config: cases that are met now and would not be, and
    cases that are not and would be.
    """

    total: int
    run: int
    changed: tuple[tuple[int, int], ...]


def judge_configs(
    viewer: Viewer, repositories: Sequence[str], now: Config, configs: Sequence[Config]
) -> Judged:
    """Run the newest cases of these repositories under each config, and now's."""
    cases = cases_of(viewer, repositories)
    rows = list(_run(viewer, cases[:MOST_CASES], [now, *configs]))
    changed = tuple(
        (
            sum(met[0] and not met[n] for met in rows),
            sum(met[n] and not met[0] for met in rows),
        )
        for n in range(1, 1 + len(configs))
    )
    return Judged(len(cases), len(rows), changed)


def _run(
    viewer: Viewer, cases: Sequence[Case], configs: Sequence[Config]
) -> Iterator[list[bool]]:
    """Yield for each case that can be asked still under which configs it is met."""
    for case in cases:
        asked = case.case_set
        names = sorted(one.name for one in asked.repositories.all())
        try:
            inquiry = inquire(
                viewer, case.query, names, asked.profile or None, again=True
            )
            builds = inquiry.searched.builds
            resolved = [resolve_target(target, builds) for target in case.targets]
        except (AmbiguousTarget, SearchError):
            continue
        yield [_is_met(case, inquiry, resolved, config) for config in configs]


def _is_met(
    case: Case, inquiry: Inquiry, resolved: Sequence[Resolved], config: Config
) -> bool:
    """Return whether every target of a case comes as far as it should."""
    outcome = inquiry.answer(config)
    numbers = [best_chunk(row, outcome, inquiry.searched) for row in resolved]
    too_early = TOO_EARLY[Case.Expected(case.expected)]
    return all(
        number is not None and stage_lost(outcome, number) not in too_early
        for number in numbers
    )
