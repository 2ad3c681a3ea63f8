"""Exploring: the same query and targets under other settings, and what would help."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict

from codesearch.breaking import Judged, judge_configs
from codesearch.cases import cases_of
from codesearch.changes import goal_of, minimal_changes
from codesearch.funnel.types import Config, Models, Outcome
from codesearch.inquiry import Inquiry, inquire
from codesearch.knobs import AS_SHIPPED, config_pairs
from codesearch.payloads import SCHEMA, Payload
from codesearch.payloads.builds import builds_payload
from codesearch.payloads.whatif import (
    changes_payload,
    knobs_payload,
    settings_payload,
)
from codesearch.services import best_chunk
from codesearch.targets import Resolved, resolve_target
from codesearch.whatif import Asked, answers, ask, cards_changed, end_of
from indexer.access import Viewer

JUDGED = 5  # Changes of settings that are tried on the judged cases.


def what_if(
    *,
    viewer: Viewer,
    query: str,
    targets: Sequence[str],
    repositories: Sequence[str] = (),
    profile: str | None = None,
    config: Config = AS_SHIPPED,
) -> Payload:
    """Say where targets end under `config` beside the shipped one, and what knobs do.

    The knobs are asked for the first target that is a chunk. Raises as `trace` does.
    """
    started = time.perf_counter()
    inquiry = inquire(viewer, query, repositories, profile, again=True)
    shipped, now = inquiry.answer(AS_SHIPPED), inquiry.answer(config)
    resolved = [resolve_target(target, inquiry.searched.builds) for target in targets]
    ends = [_ends(row, inquiry, shipped, now) for row in resolved]
    asked = _first_asked(resolved, inquiry, now)
    corpus = inquiry.searched.corpus
    return {
        "schema": SCHEMA,
        "query": query,
        "builds": builds_payload(inquiry.searched),
        "settings": config_pairs(config),
        "filters": [one.text for one in now.query.filters],
        "targets": ends,
        "shipped": settings_payload(shipped),
        "now": settings_payload(now),
        "cards_changed": cards_changed(shipped, now, corpus),
        "cards_per_page": config.cards_per_page,
        "asked": asked[0].target if asked else None,
        **(knobs_payload(asked[1]) if asked else {"knobs": []}),
        "timings_ms": {"answer": 1000 * (time.perf_counter() - started)},
    }


def changes(
    *,
    viewer: Viewer,
    query: str,
    targets: Sequence[str],
    repositories: Sequence[str] = (),
    profile: str | None = None,
    config: Config = AS_SHIPPED,
    judge: bool = False,
) -> Payload:
    """Return the least changes that bring each target where it was wanted.

    With `judge` the first changes of settings are tried on the judged cases of the
    searched repositories. Raises as `trace` does.
    """
    inquiry = inquire(viewer, query, repositories, profile, again=True)
    now = inquiry.answer(config)
    names = [build.index.repository.name for build in inquiry.searched.builds]
    rows = []
    for target in targets:
        row, configs = _changes_of(target, inquiry, now)
        if judge:
            judged = judge_configs(viewer, names, config, configs[:JUDGED])
            _add_cases(row["changes"], judged)
        rows.append(row)
    return {
        "schema": SCHEMA,
        "query": query,
        "builds": builds_payload(inquiry.searched),
        "settings": config_pairs(config),
        "config": settings_payload(now),
        "cases": len(cases_of(viewer, names)),
        "judged": judge,
        "targets": rows,
    }


def _changes_of(
    target: str, inquiry: Inquiry, now: Outcome
) -> tuple[Payload, list[Config]]:
    """Return the changes for one target, and the configs of those that have one."""
    resolved = resolve_target(target, inquiry.searched.builds)
    number = best_chunk(resolved, now, inquiry.searched)
    row: Payload = {"target": target, "lost": None, "goal": None, "changes": []}
    if number is None:
        row["lost"] = resolved.death.stage if resolved.death else None
        return row, []
    asked = ask(inquiry.findings, inquiry.searched.corpus, now, number)
    models = Models(inquiry.searched.encoders, inquiry.scorer)
    found = minimal_changes(asked, models, answers(asked))
    row |= {
        "lost": asked.lost,
        "goal": goal_of(asked),
        "changes": changes_payload(asked, found),
    }
    return row, [one.config for one in found if one.config]


def _add_cases(changes: list[Payload], judged: Judged) -> None:
    """Say of the changes that were judged what they break and mend, of how many."""
    configs = (one for one in changes if one["kind"] == "config")
    for one, (broken, mended) in zip(configs, judged.changed, strict=False):
        one["cases"] = {"run": judged.run, "broken": broken, "mended": mended}


def _ends(
    resolved: Resolved, inquiry: Inquiry, shipped: Outcome, now: Outcome
) -> Payload:
    """Return where a target ends in both; of a path the chunk that comes furthest."""
    row: Payload = {"target": resolved.target, "shipped": None, "now": None}
    row["lost"] = resolved.death.stage if resolved.death else None
    for name, outcome in (("shipped", shipped), ("now", now)):
        number = best_chunk(resolved, outcome, inquiry.searched)
        if number is not None:
            row[name] = asdict(end_of(outcome, number))
    return row


def _first_asked(
    resolved: Sequence[Resolved], inquiry: Inquiry, now: Outcome
) -> tuple[Resolved, Asked] | None:
    for row in resolved:
        number = best_chunk(row, now, inquiry.searched)
        if number is not None:
            corpus = inquiry.searched.corpus
            return row, ask(inquiry.findings, corpus, now, number)
    return None
