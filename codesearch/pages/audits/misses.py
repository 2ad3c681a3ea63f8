"""Misses: the wanted targets that are not on page one, each with its trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from codesearch.pages.audits.links import audit_url, only_of
from codesearch.pages.paging import Pager, list_pager
from codesearch.payloads import Payload
from codesearch.plots.deaths import spoken_reason

SHOWN = 20  # Misses on a page.
LATE = ("page", "card", "result")  # One click away: milder.
COLUMNS = ("leg", "fusion", "result")  # Kinds that have a column.
FOREIGN_COLUMNS = ("leg", "fusion", "rerank")  # Without a result of ours.


@dataclass(frozen=True, slots=True)
class Tab:
    """One stage of death to choose; `fragment_url` returns the table alone."""

    words: str
    count: int
    url: str
    fragment_url: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class MissRow:
    """One target; `places` are its ordinals by column, None for not in that list.

    `trace_url` is "" where there is no trace of it.
    """

    key: str
    query: str
    target: str
    is_synthetic: bool
    places: list[int | None]
    state: str
    stage: str
    reason: str
    control: str
    trace_url: str


@dataclass(frozen=True, slots=True)
class MissTable:
    """One page of the misses of a stage, or of all."""

    tabs: list[Tab]
    columns: list[str]
    rows: list[MissRow]
    found: int
    total: int
    pager: Pager
    has_control: bool
    has_trace: bool


def miss_table(payload: Payload, death: str = "", page: int = 1) -> MissTable:
    """Return a page of the misses that died at `death`, of all without one."""
    misses = payload["misses"]
    counts: dict[str, int] = {}
    for miss in misses:
        counts[_died_at(miss)] = counts.get(_died_at(miss), 0) + 1
    death = death if death in counts else ""
    chosen = [miss for miss in misses if death in ("", _died_at(miss))]

    def url(death: str, page: int = 1) -> str:
        number = str(page) if page > 1 else ""
        return misses_url(payload, death=death, page=number)

    pager = list_pager(page, len(chosen), SHOWN, lambda number: url(death, number))

    def fragment(death: str) -> str:
        pk, only = payload["audit"], only_of(payload)
        return audit_url(pk, view="audit_misses", only=only, death=death)

    names = miss_columns(payload["stages"])
    return MissTable(
        tabs=[
            Tab(words, count, url(stage), fragment(stage), stage == death)
            for words, stage, count in (
                ("all", "", len(misses)),
                *((name, name, counts[name]) for name in _ordered(payload, counts)),
            )
        ],
        columns=names,
        rows=[_row(one, names) for one in chosen[pager.rows]],
        found=len(chosen),
        total=len(misses),
        pager=pager,
        has_control=any(miss["lookup"] for miss in misses),
        has_trace=any(miss["trace"] for miss in misses),
    )


def miss_columns(stages: Sequence[Payload]) -> list[str]:
    """Return the stages whose places stand in the table: legs, fusion and result.

    Another system has its rerankers in place of the result; one without any of these
    shows the lists that it has.
    """
    has_result = any(one["kind"] == "result" for one in stages)
    kinds = COLUMNS if has_result else FOREIGN_COLUMNS
    names = [one["name"] for one in stages if one["kind"] in kinds]
    return names or [one["name"] for one in stages if one["kind"] != "union"]


def misses_url(payload: Payload, **more: str) -> str:
    """Return the address of the misses of an audit."""
    only = only_of(payload)
    return audit_url(payload["audit"], part="misses", only=only, **more)


def _died_at(miss: Payload) -> str:
    return str(miss["death"]["stage"]) if miss["death"] else "unknown"


def _ordered(payload: Payload, counts: dict[str, int]) -> list[str]:
    """Return the stages that have misses in the order of the histogram."""
    order = [one["stage"] for one in payload["deaths"]]
    return [stage for stage in dict.fromkeys([*order, *counts]) if stage in counts]


def _row(miss: Payload, columns: Sequence[str]) -> MissRow:
    stage = _died_at(miss)
    return MissRow(
        key=miss["key"],
        query=miss["query"],
        target=miss["target"],
        is_synthetic=miss["is_synthetic"],
        places=[_place(miss, name) for name in columns],
        state="warn" if stage in LATE else "target",
        stage=stage,
        reason=spoken_reason(miss["death"]["reason"]) if miss["death"] else "",
        control=_control(miss["lookup"]),
        trace_url=f"{reverse('trace')}?{miss['trace']}" if miss["trace"] else "",
    )


def _place(miss: Payload, stage: str) -> int | None:
    """Return where a target was: its ordinal in a leg, also past the list's end."""
    leg = (miss["legs"] or {}).get(stage)
    place: int | None = leg["ordinal"] if leg else miss["stages"].get(stage)
    return place


def _control(lookup: Payload | None) -> str:
    """Return what looking its name up finds, "" where nobody looked."""
    if not lookup:
        return ""
    return "found by name" if lookup["found"] else "not found by name"
