"""The page of one audit: what its templates print, from the payload alone."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from codesearch.funnel.audit.measures import SHARED
from codesearch.pages.audits import details
from codesearch.pages.audits.links import audit_url, only_of
from codesearch.pages.audits.measures import RecallTable, Stat, recall_table, stats
from codesearch.pages.audits.misses import MissTable, miss_table
from codesearch.pages.jobs import STATES
from codesearch.payloads import Payload
from codesearch.plots.deaths import draw_deaths
from codesearch.plots.losses import draw_losses, kept_words
from codesearch.plots.recall import draw_recall
from codesearch.plots.shapes import Drawing

EXPORTS = (("TREC qrels", "audit_qrels"), ("CSV", "audit_csv"), ("JSON", "audit_json"))


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence above the measures, with links to what it speaks of."""

    kind: str
    text: str
    links: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class AuditView:
    """An audit that has ended. What is not known is None, or empty."""

    payload: Payload
    state: str
    glyph: str
    took: str
    unit: str
    config: str
    builds: list[tuple[str, str, str]]
    notices: list[Notice]
    stats: list[Stat]
    losses: Drawing | None
    loss_rows: list[details.LossRow]
    arrived: str
    recall: Drawing | None
    table: RecallTable
    deaths: Drawing | None
    death_rows: list[details.DeathRow]
    misses: MissTable
    topics: details.TopicTable | None
    overlaps: list[tuple[str, str]]
    reading: list[tuple[str, Payload]]
    retrievability: str
    hubs: list[details.Hub]
    control: str
    again: list[tuple[str, str]]
    runs: list[str]
    run_url: str
    change_url: str
    exports: list[tuple[str, str]]


def audit_view(payload: Payload, death: str = "", page: int = 1) -> AuditView:
    """Return the page of an audit, with one page of the misses that are asked for."""
    steps = payload["losses"]["steps"]
    state, glyph = STATES[payload["status"]]
    return AuditView(
        payload=payload,
        state=state,
        glyph=glyph,
        took=duration(payload["seconds"]),
        unit=details.unit_of(payload),
        config=details.settings_text(payload["settings"]),
        builds=details.builds_text(payload),
        notices=notices(payload),
        stats=stats(payload),
        losses=draw_losses(payload["losses"]),
        loss_rows=details.loss_rows(payload),
        arrived=kept_words(steps[-1]) if steps else "",
        recall=draw_recall(payload),
        table=recall_table(payload),
        deaths=draw_deaths(payload["deaths"]),
        death_rows=details.death_rows(payload),
        misses=miss_table(payload, death, page),
        topics=details.topic_table(payload),
        overlaps=details.overlap_rows(payload),
        reading=details.reading_rows(payload),
        retrievability=details.retrievability_sentence(payload),
        hubs=details.hubs(payload),
        control=details.control_sentence(payload),
        again=again(payload),
        runs=[one["name"] for one in payload["stages"] if one["kind"] not in SHARED],
        run_url=audit_url(payload["audit"], view="audit_run"),
        exports=[
            (words, audit_url(payload["audit"], view=view, only=only_of(payload)))
            for words, view in EXPORTS
        ],
        change_url=f"{reverse('audits')}?{urlencode(again(payload))}#start",
    )


def duration(seconds: float | None) -> str:
    """Return how long something took as "2 min 51 s", "" where it is not known."""
    if seconds is None:
        return ""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def again(payload: Payload) -> list[tuple[str, str]]:
    """Return the fields that ask for the same audit once more."""
    pairs = [("set", str(payload["set"]["id"]))]
    pairs += [("repository", name) for name in payload["repositories"]]
    pairs += [("profile", payload["profile"])] if payload["profile"] else []
    pairs += [(name, value) for name, value in payload["settings"]]
    return pairs


def notices(payload: Payload) -> list[Notice]:
    """Return what is to be known before the measures are read."""
    return [
        notice
        for notice in (_ended(payload), _failed(payload), _unjudged(payload))
        if notice
    ] + _synthetic(payload)


def _ended(payload: Payload) -> Notice | None:
    """Return what a failed or cancelled audit has, and what it has not."""
    if payload["status"] not in ("failed", "cancelled"):
        return None
    counts = payload["queries"]
    asked, ended = counts["asked"], counts["answered"] + counts["failed"]
    what = payload["failure"] or "This audit was cancelled."
    there = f"{what} {ended:,} of {asked:,} queries were asked"
    if ended:
        tail = "; what is measured here is of those, and not of the rest."
        lists = " Retrievability and overlaps of topics are counted at the end only."
        tail += "" if payload["retrievability"] else lists
    else:
        tail = ", so there is nothing to measure."
    kind = "bad" if payload["status"] == "failed" else "warn"
    return Notice(kind, there + tail, [])


def _failed(payload: Payload) -> Notice | None:
    failed = payload["queries"]["failed"]
    if not failed:
        return None
    text = f"{failed:,} queries could not be asked, and are not measured."
    if failed == 1:
        text = "1 query could not be asked, and is not measured."
    return Notice("warn", text, [("Which", "#unasked")])


def _unjudged(payload: Payload) -> Notice | None:
    count = payload["queries"]["unjudged"]
    if not count:
        return None
    words = "1 query has" if count == 1 else f"{count:,} queries have"
    text = f"{words} no wanted target: there is nothing to find, and no recall."
    return Notice("none", text, [])


def _synthetic(payload: Payload) -> list[Notice]:
    """Return what to think of queries that were made from their targets."""
    counts, only = payload["queries"], payload["only"]
    made, written = counts["synthetic"], counts["written"]
    if not made:
        return []

    def link(words: str, name: str) -> tuple[str, str]:
        return words, audit_url(payload["audit"], only=name)

    everything = link(f"All {made + written:,}", "")
    if only == "written":
        text = f"Only the {written:,} queries written by people are measured here."
        return [Notice("none", text, [everything])]
    bound = "share words with their targets. Read their recall as an upper bound."
    if only == "synthetic":
        text = (
            f"Only the {made:,} queries made from their targets are measured here: they"
        )
        return [Notice("none", f"{text} {bound}", [everything])]
    if not written:
        return [
            Notice("none", f"All queries were made from their targets, and {bound}", [])
        ]
    text = (
        f"{made:,} of the {made + written:,} queries were made from their targets and"
    )
    links = [
        link(f"Only the {written:,} written by people", "written"),
        link(f"Only the {made:,} made ones", "synthetic"),
    ]
    return [Notice("none", f"{text} {bound}", links)]
