"""Targets: one that was wanted, and where it ended."""

from __future__ import annotations

from dataclasses import asdict

from codesearch.catalogue import chunk_place, file_place
from codesearch.corpora import Searched
from codesearch.funnel.fusion import tie_of
from codesearch.funnel.pool import entry_ranks
from codesearch.funnel.trace import Death, TargetTrace
from codesearch.funnel.types import Leg, Outcome
from codesearch.payloads import Payload
from codesearch.payloads.chunks import (
    fused_payload,
    page_of,
    rerank_payload,
    standing_payload,
)
from codesearch.targets import Resolved
from indexer.pipeline.postings import K1, B


def target_payload(
    resolved: Resolved,
    outcome: Outcome,
    searched: Searched,
    traced: TargetTrace | None,
) -> Payload:
    """Return one target of a trace as JSON."""
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
    return {
        "target": resolved.target,
        **where,
        "legs": {
            leg.name: _target_leg(leg, traced) if traced else None
            for leg in outcome.legs
        },
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
        "terms": _target_terms(outcome, searched, traced.chunk) if traced else [],
        "death": _death(death),
    }


def _target_leg(leg: Leg, traced: TargetTrace) -> Payload | None:
    shown = standing_payload(leg, traced.chunk, traced.standings[leg.name])
    return shown and {**shown, "margin": traced.margins[leg.name]}


def _target_rerank(outcome: Outcome, number: int) -> Payload | None:
    return rerank_payload(outcome, number, entry_ranks(outcome.fused, outcome.pool))


def _target_fused(outcome: Outcome, number: int) -> Payload | None:
    shown = fused_payload(outcome, number)
    return shown and {**shown, "tie_size": len(tie_of(outcome.fused, number))}


def _target_terms(outcome: Outcome, searched: Searched, number: int) -> list[Payload]:
    """Return the BM25 terms of one chunk; their points sum to its raw score."""
    corpus = searched.corpus
    idf = corpus.idf(outcome.query.terms)
    length = corpus.length(number)
    rows = []
    for term, weight in idf.items():
        tf = corpus.term_frequency(term, number)
        repeats = outcome.query.terms.count(term)
        norm = 1 - B + B * length / corpus.average_length
        points = repeats * weight * (tf * (K1 + 1) / (tf + K1 * norm))
        df = corpus.document_frequency(term)
        rows.append({"term": term, "tf": tf, "df": df, "idf": weight, "points": points})
    return rows


def _death(death: Death | None) -> Payload | None:
    return asdict(death) if death else None
