"""Measures of an audit as its page prints them: the headline and recall at k."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from codesearch.audits.headlines import role_stages
from codesearch.funnel.audit.types import Stage, StageKind
from codesearch.payloads import Payload
from codesearch.plots.looks import Look, looks_of
from indexer.stages import count_of

V = TypeVar("V")

NDCG_AT = 10
JUDGED_AT = 10  # Of the last stage: what a reader looks at.


@dataclass(frozen=True, slots=True)
class Stat:
    """One number of the headline; `term` is its entry in the definitions."""

    label: str
    term: str
    value: str
    more: str


@dataclass(frozen=True, slots=True)
class RecallRow:
    """One stage with its recall at each k, and its other measures."""

    name: str
    look: Look
    depth: int | None
    recalls: list[str]
    interval: str
    mrr: str
    ndcg: str


@dataclass(frozen=True, slots=True)
class RecallTable:
    """Recall at k of every stage."""

    ks: list[int]
    rows: list[RecallRow]


def by_k(values: Mapping[str, V]) -> dict[int, V]:
    """Return what is given for each k by number: keys of JSON are texts."""
    return dict(sorted((int(k), value) for k, value in values.items()))


def decimal(value: float | None) -> str:
    """Return a measure with three decimals, a dash where it is not known."""
    return "–" if value is None else f"{value:.3f}"


def interval(mean: Payload | None) -> str:
    """Return the interval of a mean as "0.683 to 0.833", "" without one."""
    if not mean:
        return ""
    return f"{mean['low']:.3f} to {mean['high']:.3f}"


def headline_stages(payload: Payload) -> dict[str, str]:
    """Return the stages of the headline by role: union, pool and page."""
    stages = [
        Stage(one["name"], StageKind(one["kind"]), one["depth"])
        for one in payload["stages"]
    ]
    return {role: stage.name for role, stage in role_stages(stages).items()}


def stats(payload: Payload) -> list[Stat]:
    """Return the headline: recall of union, pool and page, MRR, and what was judged."""
    named = headline_stages(payload)
    kept = {step["kind"]: step["kept"] for step in payload["losses"]["steps"]}
    kinds = {stage["name"]: stage["kind"] for stage in payload["stages"]}
    total = payload["losses"]["total"]
    found = []
    for stage in named.values():
        measured = payload["measures"].get(stage)
        recall = measured and measured["recall_whole"]
        if not recall:
            continue
        kind = kinds[stage]
        left = kept.get("leg" if kind == "union" else kind)
        parts = [] if left is None else [f"{left:,} of {count_of(total, 'target')}"]
        parts += [f"95% {told}"] if (told := interval(recall)) else []
        label = f"recall, {stage_name(payload, stage)}"
        found.append(Stat(label, "recall", decimal(recall["mean"]), "; ".join(parts)))
    for last in list(named.values())[-1:]:
        mrr = payload["measures"][last]["mrr"]
        if mrr:
            label = f"MRR, {stage_name(payload, last)}"
            queries = "1 query" if mrr["n"] == 1 else f"{mrr['n']:,} queries"
            more = f"95% {interval(mrr)}; {queries}"
            found.append(Stat(label, "mrr", decimal(mrr["mean"]), more))
    return found + _judged(payload)


def recall_table(payload: Payload) -> RecallTable:
    """Return recall at each k of every stage that was measured."""
    looks = looks_of(payload["stages"])
    measures = payload["measures"]
    shown = [stage for stage in payload["stages"] if measures.get(stage["name"])]
    recalls = {one["name"]: by_k(measures[one["name"]]["recall"]) for one in shown}
    ks = sorted({k for found in recalls.values() for k in found})
    rows = []
    for stage in shown:
        name = stage["name"]
        measured, found = measures[name], recalls[name]
        rows.append(
            RecallRow(
                name=name,
                look=looks[name],
                depth=stage["depth"],
                recalls=[_mean(found.get(k)) for k in ks],
                interval=interval(measured["recall_whole"]),
                mrr=_mean(measured["mrr"]),
                ndcg=_mean(by_k(measured.get("ndcg") or {}).get(NDCG_AT)),
            )
        )
    return RecallTable(ks, rows)


def _mean(mean: Payload | None) -> str:
    return decimal(mean["mean"] if mean else None)


def stage_name(payload: Payload, stage: str) -> str:
    """Return what a stage is called in a sentence: "pool of 200"."""
    if stage == "union":
        return "union of legs"
    if stage == "page":
        return "page one"
    depth = next(one["depth"] for one in payload["stages"] if one["name"] == stage)
    return f"{stage} of {depth:,}" if depth else stage


def _judged(payload: Payload) -> list[Stat]:
    """Return how many of the first that a reader sees are judged."""
    for stage in reversed(payload["stages"]):
        measured = payload["measures"].get(stage["name"])
        judged: Mapping[str, float] = (measured or {}).get("judged") or {}
        share = by_k(judged).get(JUDGED_AT)
        if share is not None:
            label = f"judged among the first {JUDGED_AT}"
            return [
                Stat(
                    label,
                    "judged",
                    decimal(share),
                    f"at {stage_name(payload, stage['name'])}",
                )
            ]
    return []
