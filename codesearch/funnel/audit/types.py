"""The records of an audit: stages, judged targets, and one query's answer.

A place counts from 1 in the list of one stage, in chunks or, where the set says so, in
files (each at its first chunk). None is: not in that list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

Places = Mapping[str, int | None]  # By the name of a stage.


class StageKind(StrEnum):
    """What a stage is to the loss: where what is not in its list was lost."""

    LEG = "leg"
    UNION = "union"  # A target's place is its best in any leg.
    FUSION = "fusion"
    POOL = "pool"
    RERANK = "rerank"
    RESULT = "result"  # What is shown, all pages; copies and stubs are folded.
    CARD = "card"  # Of a result: the place of its file's card.
    PAGE = "page"  # The results on page one.


@dataclass(frozen=True, slots=True)
class Stage:
    """One list of the funnel; `depth` is how many it holds, None for no limit."""

    name: str
    kind: StageKind
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """One target of one query: its grade, and its place at every stage by name.

    With grade 0 it was judged and is no answer. `death` is (stage, reason), None for
    what is on page one.
    """

    target: str
    grade: int
    places: Places
    death: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """One query of an audit with all its targets.

    `judged_at` maps a stage to how many of its first k are judged, by k.
    """

    key: str
    topic: str
    query: str
    targets: tuple[Judged, ...]
    is_synthetic: bool = False
    judged_at: Mapping[str, Mapping[int, int]] | None = None

    @property
    def wanted(self) -> tuple[Judged, ...]:
        """The targets that are answers; a query without one has no recall."""
        return tuple(one for one in self.targets if one.grade > 0)
