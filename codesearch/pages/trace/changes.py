"""Changes: what would admit a target, in words, the least first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from codesearch.breaking import MOST_CASES
from codesearch.exploring import JUDGED
from codesearch.funnel.filters import drop_filters
from codesearch.funnel.query import read_query
from codesearch.knobs import POINTS
from codesearch.pages.links import Scope
from codesearch.pages.scores import joined
from codesearch.pages.trace.whatif import end_words, number
from codesearch.payloads import Payload
from indexer.stages import count_of

NO_CASES = (
    "No judged cases are saved for these repositories yet, so what a change breaks is "
    "not known."
)
KINDS = {"config": "config", "query": "query", "index": "index", "document": "source"}
INTO = {"pool": "into the pool", "page": "onto page one"}


@dataclass(frozen=True, slots=True)
class ChangeView:
    """One change: its title, its kind, where the target ends then, and its cost.

    `url` is the trace with it, "" where no setting is.
    """

    title: str
    kind: str
    end: tuple[str, str] | None
    more: str
    url: str


@dataclass(frozen=True, slots=True)
class ChangeList:
    """The changes for one target, or the sentence why there are none."""

    target: str
    changes: list[ChangeView]
    sentence: str


@dataclass(frozen=True, slots=True)
class ChangesView:
    """The lists of all targets; `breaks` says what is known of the judged cases.

    `judge_url` is the address that tries the changes on them, "" once that is done.
    """

    lists: list[ChangeList]
    breaks: str
    judge_url: str


def changes_view(payload: Payload, scope: Scope, targets: Sequence[str]) -> ChangesView:
    """Return the lists of all targets, in the order in which they were asked."""
    lists = [
        ChangeList(
            row["target"],
            [_view(one, payload, scope, targets) for one in row["changes"]],
            _sentence(row),
        )
        for row in payload["targets"]
    ]
    can_judge = any(
        one["kind"] == "config" for row in payload["targets"] for one in row["changes"]
    )
    if not can_judge:
        return ChangesView(lists, "", "")
    if not payload["cases"]:
        return ChangesView(lists, NO_CASES, "")
    if payload["judged"]:
        return ChangesView(lists, _breaks(payload["cases"]), "")
    url = scope.target_url("changes", *targets, judge="1")
    return ChangesView(lists, "", url)


def _breaks(total: int) -> str:
    """Return which cases were run."""
    which = (
        f"the {MOST_CASES} newest of {total:,}" if total > MOST_CASES else f"{total:,}"
    )
    return (
        f"Judged cases: {which} saved for these repositories, as far as they can be "
        f"asked still; the first {JUDGED} changes of settings are tried on them."
    )


def _sentence(row: Payload) -> str:
    if row["goal"] is None:
        return f"It was lost at the {row['lost']}: no change of settings can help."
    if row["lost"] is None:
        return "It is on page one already."
    kinds = {one["kind"] for one in row["changes"]}
    if "config" not in kinds and row["lost"] != "scope":
        into = INTO[row["goal"]]
        return f"No single setting brings it {into}, and no two that were tried."
    return ""


def _view(
    one: Payload, payload: Payload, scope: Scope, targets: Sequence[str]
) -> ChangeView:
    more = [f"Cost {one['cost']:.2f}."] if one["kind"] == "config" else []
    for turned in one["turned"]:
        more += _effect(turned)
    if one["kind"] == "document":
        more.append("An estimate: idf and vectors as they are now.")
    if one["kind"] == "index":
        more.append("Where it would stand is not known before they are made.")
    if cases := one.get("cases"):
        more.append(
            f"Of {count_of(cases['run'], 'judged case')} it breaks "
            f"{cases['broken']:,} and mends {cases['mended']:,}."
        )
    return ChangeView(
        _title(one),
        KINDS[one["kind"]],
        end_words(one["end"]) if one["end"] else None,
        " ".join(more),
        _url(one, scope, targets),
    )


def _title(one: Payload) -> str:
    if one["kind"] == "query":
        return f"Search without “{' '.join(one['words'])}”"
    if one["kind"] == "index":
        return f"Finish embedding: it has no {joined(one['words'])} vector yet"
    if one["kind"] == "document":
        return f"Say “{one['words'][0]}” in its documentation"
    return joined([_turn(turned) for turned in one["turned"]])


def _turn(turned: Payload) -> str:
    old, new = turned["from"], turned["to"]
    if isinstance(new, bool):
        return f"{turned['label']} {'on' if new else 'off'}"
    if isinstance(new, str):
        return f"Reranker {new.replace('_', ' ')}"
    of = "Weight of " if turned["name"].startswith(POINTS) else ""
    return f"{of}{turned['label']} {number(new)} instead of {number(old)}"


def _effect(turned: Payload) -> list[str]:
    """Return what a change costs whoever searches, where that is known."""
    name, old, new = turned["name"], turned["from"], turned["to"]
    if name == "pool" and new > old:
        more = f"{int(new - old):,} more chunks for the reranker"
        return [f"{more}, {(new - old) / old:.0%} more work for a query."]
    if name == "depth" and new > old:
        return [f"Each list becomes {new / old:.1f} times as long."]
    return []


def _url(one: Payload, scope: Scope, targets: Sequence[str]) -> str:
    if one["kind"] == "config":
        pairs = tuple((name, value) for name, value in one["settings"])
        return replace(scope, settings=pairs).trace_url(*targets)
    if one["kind"] == "query":
        dropped = [f for f in read_query(scope.query).filters if f.text in one["words"]]
        query = drop_filters(scope.query, dropped)
        return replace(scope, query=query).trace_url(*targets)
    return ""
