"""Targets: one that was wanted, and where it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields

from codesearch.catalogue import chunk_place, file_place
from codesearch.corpora import Searched
from codesearch.funnel.fusion import tie_of
from codesearch.funnel.lookup import Lookup, look_up
from codesearch.funnel.pool import entry_ranks
from codesearch.funnel.trace import Death, TargetTrace
from codesearch.funnel.types import Leg, Outcome
from codesearch.funnel.vocabulary import WordCount, lacked_share
from codesearch.payloads import Payload
from codesearch.payloads.chunks import (
    fused_payload,
    page_of,
    rerank_payload,
    standing_payload,
)
from codesearch.payloads.literals import matched_lines
from codesearch.payloads.terms import chunk_length, chunk_terms
from codesearch.targets import Resolved


def target_payload(
    resolved: Resolved,
    outcome: Outcome,
    searched: Searched,
    traced: TargetTrace | None,
    words: Sequence[WordCount] = (),
) -> Payload:
    """Return one target of a trace as JSON; `words` are those of the query in it."""
    where: Payload = dict.fromkeys(
        ("chunk", "repository", "path", "path_url", "start_line", "end_line")
    )
    where |= {"symbol": None, "kind": None, "marks": None}
    if traced:
        where |= chunk_place(searched, traced.chunk)
    elif resolved.file:
        file = resolved.file
        where |= file_place(file.build, bytes(file.path_bytes), file.language)
    death = traced.death if traced else resolved.death
    corpus, asked = searched.corpus, outcome.query.terms
    terms = chunk_terms(asked, corpus, traced.chunk) if traced else []
    return {
        "target": resolved.target,
        **where,
        "legs": {
            leg.name: _target_leg(leg, traced) if traced else None
            for leg in outcome.legs
        },
        "unembedded": list(traced.unembedded) if traced else [],
        "fused": _target_fused(outcome, traced.chunk) if traced else None,
        "pool": {
            "in": bool(traced and traced.via),
            "via": traced.via if traced else None,
        },
        "unfiltered_ranks": dict(traced.unfiltered_ranks) if traced else None,
        "rerank": _target_rerank(outcome, traced.chunk) if traced else None,
        "rank": traced.final.ordinal if traced and traced.final else None,
        "card": traced.card if traced else None,
        "page": page_of(outcome, traced.chunk) if traced else None,
        "terms": terms,
        "length": chunk_length(terms, corpus, traced.chunk) if traced else None,
        "literals": (
            matched_lines(outcome.query, searched, traced.chunk) if traced else []
        ),
        "words": [_word(word) for word in words],
        "missing_share": lacked_share(words) if traced else None,
        "lookup": _lookup(outcome, searched, traced, where),
        "death": _death(death),
    }


def _word(word: WordCount) -> Payload:
    keys = ("part", "df", "tf")
    parts = [dict(zip(keys, part, strict=True)) for part in word.parts]
    return {**asdict(word), "parts": parts}


def _lookup(
    outcome: Outcome, searched: Searched, traced: TargetTrace | None, where: Payload
) -> Payload:
    """Say which name finds a target in a plain lookup; what is no chunk has none."""
    found = None
    if traced:
        symbol = where["symbol"] or ""
        found = look_up(outcome.query, searched.corpus, traced.chunk, symbol)
    names = [one.name for one in fields(Lookup)]
    told = asdict(found) if found else dict.fromkeys(names)
    return {"found": found is not None, **told}


def _target_leg(leg: Leg, traced: TargetTrace) -> Payload | None:
    shown = standing_payload(leg, traced.chunk, traced.standings[leg.name])
    return shown and {**shown, "margin": traced.margins[leg.name]}


def _target_rerank(outcome: Outcome, number: int) -> Payload | None:
    return rerank_payload(outcome, number, entry_ranks(outcome.fused, outcome.pool))


def _target_fused(outcome: Outcome, number: int) -> Payload | None:
    shown = fused_payload(outcome, number)
    return shown and {**shown, "tie_size": len(tie_of(outcome.fused, number))}


def _death(death: Death | None) -> Payload | None:
    return asdict(death) if death else None
