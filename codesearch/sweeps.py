"""Sweep: one target asked for in many ways, over the same layers under one config."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from codesearch import services
from codesearch.absence import closeness_payload
from codesearch.chunk_texts import doc_text
from codesearch.errors import UnreadableQuery
from codesearch.funnel.phrasings import (
    LEFT_OUT,
    LIMIT,
    TRACED,
    TYPED,
    Phrasing,
    content_words,
    distinct,
    vary,
)
from codesearch.funnel.types import Config, Outcome
from codesearch.funnel.vocabulary import weigh_words
from codesearch.inquiry import Inquiry, inquire, read_typed
from codesearch.knobs import AS_SHIPPED, config_pairs
from codesearch.payloads import SCHEMA, Payload
from codesearch.payloads.builds import builds_payload
from codesearch.payloads.filters import filters_payload
from codesearch.payloads.sweep import phrasing_payload, summary_payload
from codesearch.targets import Resolved, resolve_target
from indexer.access import Viewer
from indexer.pipeline.sentences import opening_sentence

SHOWN = 80  # Characters of a phrasing that is refused.
STRUCTURAL = (
    "Final ranks are of the structural order: a cross-encoder is not asked again for "
    "each phrasing."
)


def sweep(
    *,
    viewer: Viewer,
    query: str,
    target: str,
    phrasings: Iterable[str] = (),
    with_variants: bool = True,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    config: Config = AS_SHIPPED,
) -> Payload:
    """Follow a target through a query, other phrasings of it and its variants.

    The filters of the query hold for all. What cannot be read is refused with its
    reason. A target without a chunk in scope has no phrasings, for none can find it.
    Raises as `services.trace` does.
    """
    started = time.perf_counter()
    inquiry = inquire(viewer, query, repositories, profile, again=True)
    notes: list[str] = []
    if inquiry.scorer and config.reranker == "cross_encoder":
        config = replace(config, reranker="structural")
        notes.append(STRUCTURAL)
    resolved = resolve_target(target, inquiry.searched.builds)
    outcome = inquiry.answer(config)
    traced = services.follow(resolved, outcome, inquiry.searched)
    number = services.best_chunk(resolved, outcome, inquiry.searched)
    asked: list[Phrasing] = []
    refused: list[Payload] = []
    if number is not None and outcome.scope.chunks[number]:
        asked = [Phrasing(inquiry.query.text, TRACED, "as traced")]
        wanted = [Phrasing(text, TYPED, "typed") for text in phrasings]
        if with_variants:
            wanted += _variants(inquiry, number, traced["symbol"] or "", notes)
        asked = distinct([*asked, *_readable(wanted, notes, refused)])
    rows = _rows(asked[:LIMIT], inquiry, resolved, config, refused)
    return {
        **_header(outcome, inquiry),
        "target": traced,
        "phrasings": rows,
        "summary": summary_payload(rows),
        "limit": LIMIT,
        "unswept": max(0, len(asked) - LIMIT),
        "refused": refused,
        "notes": notes,
        "timings_ms": {"answer": 1000 * (time.perf_counter() - started)},
    }


def _header(outcome: Outcome, inquiry: Inquiry) -> Payload:
    """Return what holds for all phrasings."""
    searched = inquiry.searched
    return {
        "schema": SCHEMA,
        "query": outcome.query.typed,
        "filters": filters_payload(outcome.query),
        "in_scope": int(outcome.scope.chunks.sum()),
        "builds": builds_payload(searched),
        "left_out": list(searched.left_out),
        "legs": {
            leg.name: {"depth": leg.depth, "ran": leg.ran, "note": leg.note}
            for leg in outcome.legs
        },
        "pool": {"size": outcome.config.pool_size},
        "rerank": {"kind": outcome.reranked.kind},
        "settings": config_pairs(outcome.config),
    }


def _variants(
    inquiry: Inquiry, number: int, name: str, notes: list[str]
) -> list[Phrasing]:
    text = inquiry.query.text
    doc = doc_text(inquiry.searched, number)
    words = len(content_words(text))
    if words > LEFT_OUT:
        notes.append(f"Of its {words} words the first {LEFT_OUT} are left out in turn.")
    return vary(text, name, opening_sentence(doc))


def _readable(
    wanted: Iterable[Phrasing], notes: list[str], refused: list[Payload]
) -> list[Phrasing]:
    """Return the phrasings that can be asked, each without filters of its own."""
    kept = []
    for phrasing in wanted:
        if phrasing.kind != TYPED:  # What a rule made is words only.
            kept.append(phrasing)
            continue
        try:
            query = read_typed(phrasing.text)
            if "\x00" in query.text:
                raise UnreadableQuery("It holds a NUL.")
            if not query.text:
                raise UnreadableQuery("It has no words.")
        except UnreadableQuery as error:
            refused.append({"text": phrasing.text[:SHOWN], "reason": str(error)})
            continue
        if query.filters:
            said = " ".join(one.text for one in query.filters)
            notes.append(
                f"“{said}” of a phrasing was left out: those of the query hold for all."
            )
        kept.append(replace(phrasing, text=query.text))
    return kept


def _rows(
    asked: Sequence[Phrasing],
    inquiry: Inquiry,
    resolved: Resolved,
    config: Config,
    refused: list[Payload],
) -> list[Payload]:
    """Ask each phrasing and return where the target ended."""
    searched = inquiry.searched
    rows = []
    for phrasing in asked:
        one = inquiry
        if phrasing.kind != TRACED:
            try:
                one = inquiry.rephrase(phrasing.text)
            except UnreadableQuery as error:
                refused.append({"text": phrasing.text[:SHOWN], "reason": str(error)})
                continue
        outcome = one.answer(config)
        target = services.follow(resolved, outcome, searched)
        words = weigh_words(outcome.query, searched.corpus)
        closeness = closeness_payload(outcome, searched, words)
        rows.append(phrasing_payload(phrasing, outcome, target, closeness["band"]))
    return rows
