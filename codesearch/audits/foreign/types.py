"""The records of another system's runs, and the report of reading them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codesearch.case_files.records import (
    Problem,
    fault_of_text,
    printable,
)
from codesearch.funnel.audit.types import StageKind

# In the order in which a query meets them.
KINDS = (
    StageKind.LEG,
    StageKind.FUSION,
    StageKind.POOL,
    StageKind.RERANK,
    StageKind.PAGE,
)
MOST_BYTES = 100_000_000  # Of all files of one import together.
MOST_LINES = 3_000_000  # Of lists, together: all are in memory at once.
MOST_STAGES = 16
MOST_KEPT = 200  # Problems that are told one by one; all are counted.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,39}")
DOCUMENT_LIMIT = 500
TEXT_LIMIT = 10_000
UNION = "union"  # The name of the stage that we add.


class Ranked(NamedTuple):
    """The list of one stage for one query, best first, each document once.

    `scores` fall as 32-bit floats; None where the system told none.
    """

    documents: Sequence[str]
    scores: Sequence[float] | None


@dataclass(frozen=True, slots=True)
class BroughtStage:
    """One stage of the other system; `lists` are by the key of the query."""

    name: str
    kind: StageKind
    depth: int | None
    lists: Mapping[str, Ranked]


@dataclass(frozen=True, slots=True)
class Question:
    """One query: its text ("" if it was not told) and the grades of its documents."""

    key: str
    text: str = ""
    topic: str = ""
    judged: Mapping[str, int] = field(default_factory=dict)
    is_synthetic: bool = False


@dataclass(frozen=True, slots=True)
class Brought:
    """What was brought: a system's stages in order, and the queries that it was asked.

    Every key of a list is that of a question.
    """

    system: str
    stages: Sequence[BroughtStage]
    questions: Sequence[Question]


@dataclass(slots=True)
class Report:
    """What reading met.

    A problem is a line or entry that cannot be taken. A remark tells of what was
    taken as it is, and how. `moved` counts, by stage, the lists that were listed in
    another order than that of their scores.
    """

    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0
    remarks: list[str] = field(default_factory=list)
    line_count: int = 0
    moved: Counter[str] = field(default_factory=Counter)

    def refuse(self, place: str, text: str, sentence: str) -> None:
        """Count a problem; the first MOST_KEPT are kept."""
        self.problem_count += 1
        if len(self.problems) < MOST_KEPT:
            told = printable(text[:200])
            self.problems.append(Problem(place, told, printable(sentence)))

    @property
    def untold(self) -> int:
        """How many problems are counted and not told."""
        return self.problem_count - len(self.problems)


def fault_of_name(text: str, what: str, limit: int) -> str:
    """Return why `text` cannot be the name of a query or document, "" if it can."""
    if not text:
        return f"It has no {what}."
    if len(text) > limit:
        return f"Its {what} has {len(text):,} characters; {limit:,} are kept."
    if len(text.split()) != 1 or text != text.strip():
        return f"Its {what} “{text}” holds a blank."
    return fault_of_text(text)
