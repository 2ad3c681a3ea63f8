"""The records of an experiment: what it claims, what was asked, what came of it.

One form for all of them, so that one template and one JSON show them. Cases and rows
are plain JSON: they are kept while an experiment runs, so that it can be resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from codesearch.experiments.bench import Bench

Json = dict[str, Any]  # Any: JSON
Form = Literal[
    "text", "query", "symbol", "count", "rank", "raw", "share", "yes", "scores"
]
Need = Literal["vectors", "windows"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a result: the key of its cells, its title, how they are shown.

    A cell that is None is absent: a rank beyond the list, a cosine without a vector.
    """

    key: str
    title: str
    form: Form = "text"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of ours, and in words what the report has for it, "" for nothing."""

    name: str
    value: float | int | str | None
    form: Form = "raw"
    report: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What an experiment found.

    `sentence` says the outcome in words, wins and losses alike. A row may hold under
    "where" the place of the chunk it is about, as the contract has it.
    """

    sentence: str
    figures: Sequence[Figure]
    columns: Sequence[Column]
    rows: Sequence[Json]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding as an experiment.

    `claim` is the finding in a sentence, `reported` its figures in the reports, each
    with the model and the corpus they are of, `asked` what is run here. `choose`
    returns the cases, the same for the same build, `ask` the row of one of them, and
    `conclude` the result of all rows.
    """

    kind: str
    title: str
    claim: str
    reported: Sequence[str]
    asked: str
    choose: Callable[[Bench], list[Json]]
    ask: Callable[[Bench, Json], Json]
    conclude: Callable[[Bench, Sequence[Json]], Result]
    needs: frozenset[Need] = frozenset()
    takes_target: bool = False
