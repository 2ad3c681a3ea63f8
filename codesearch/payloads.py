"""Payloads: what a search or trace found, as the JSON of the contract.

The one serialiser: pages, command line, API and shared records all show what
stands here. Schema 1; keys may be added under it, never renamed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Count, Q

from codesearch.absence import absence_payload
from codesearch.catalogue import chunk_place, file_place, original_of
from codesearch.corpora import Searched
from codesearch.funnel.folding import COPY
from codesearch.funnel.legs import normalised, standings
from codesearch.funnel.search import count_without
from codesearch.funnel.trace import Death, TargetTrace
from codesearch.funnel.types import Condition, Leg, Outcome, Place, Standing, Sum, Term
from codesearch.targets import Resolved
from indexer.engines.local import LocalBuild
from indexer.models import Build, File
from indexer.pipeline.postings import K1, B

SCHEMA = 1

Payload = dict[str, Any]  # Any: JSON; its shape is the contract's, not mypy's.


def search_payload(outcome: Outcome, searched: Searched) -> Payload:
    """Return one search as JSON."""
    return {
        "schema": SCHEMA,
        "query": outcome.query.typed,
        "filters": [asdict(one) for one in outcome.query.filters],
        "in_scope": int(outcome.scope.chunks.sum()),
        "without": _without(outcome, searched),
        "builds": [
            _build(build, local)
            for build, local in zip(
                searched.builds, searched.corpus.builds, strict=True
            )
        ],
        "left_out": list(searched.left_out),
        "legs": {leg.name: _leg(leg, searched) for leg in outcome.legs},
        "union": len(outcome.fused.hits),
        "pool": _pool(outcome),
        "rerank": _reranked(outcome),
        "config": _config(outcome),
        "terms": _terms(outcome, searched),
        **absence_payload(outcome, searched),
        "timings_ms": dict(outcome.timings_ms),
        "hits": _hits(outcome, searched),
        "places": _places(outcome.places, searched),
    }


def beneath(hit: Payload) -> list[Payload]:
    """Return what is folded under a hit; records of earlier versions have none."""
    return [*hit.get("copies", ()), *hit.get("re_exports", ())]


def _reranked(outcome: Outcome) -> Payload:
    """Say how the pool was ordered, and how deep a cross-encoder went."""
    found = outcome.reranked
    return {
        "kind": found.kind,
        "note": found.note,
        "failure": found.failure,
        "scored": len(found.logits),
        "pairs": len(found.run.hits),
        "budget_seconds": outcome.config.rerank_seconds,
        "truncated_pairs": len(found.unread),
        "truncated_tokens": sum(found.unread.values()),
    }


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
        "fused": _fused(outcome, traced.chunk) if traced else None,
        "pool": {
            "in": bool(traced and traced.via),
            "via": traced.via if traced else None,
        },
        "unfiltered_ranks": dict(traced.unfiltered_ranks) if traced else None,
        "rerank": _rerank(outcome, traced.chunk) if traced else None,
        "rank": traced.final.ordinal if traced and traced.final else None,
        "card": traced.card if traced else None,
        "terms": _target_terms(outcome, searched, traced.chunk) if traced else [],
        "death": _death(death),
    }


def surface_coverage(local: LocalBuild) -> dict[str, float]:
    """Return the share of purposes and bodies that have a vector, 0 to 1."""
    purposes = int(local.lexical.has_purpose.sum())
    return {
        "purpose": _share(local.covered["purpose"], purposes),
        "body": _share(local.covered["body"], local.chunk_count),
    }


def _build(build: Build, local: LocalBuild) -> Payload:
    files = _file_counts(build.pk, build.lexical_at)
    return {
        "id": build.pk,
        "repository": build.index.repository.name,
        "repository_id": build.index.repository_id,
        "revision": build.revision,
        "profile": build.index.profile.name,
        "committed_at": build.committed_at.isoformat() if build.committed_at else None,
        "coverage": {
            "files": _share(files["indexed"], files["all"]),
            "chunks": 1.0,
            **surface_coverage(local),
        },
        "counts": {
            "files": files["all"],
            "indexed": files["indexed"],
            "partial": files["partial"],
            "data": files["data"],
            "skipped": files["all"] - files["indexed"],
            "chunks": build.chunk_count,
            "vectors": build.vector_count,
            "vectors_done": build.vectors_done,
        },
        "status": build.status,
        "note": build.note,
        "fingerprint": build.fingerprint,
    }


@lru_cache(maxsize=1024)
def _file_counts(build: int, lexical_at: datetime | None) -> Mapping[str, int]:
    """Count the ledger of a build, which is written once, at `lexical_at`."""
    counts: dict[str, int] = File.objects.filter(build=build).aggregate(
        all=Count("pk"),
        indexed=Count("pk", filter=~Q(mode="")),
        partial=Count("pk", filter=~Q(mode="") & ~Q(reason="")),
        data=Count("pk", filter=Q(mode="data")),
    )
    return counts


def _share(done: int, total: int) -> float:
    return done / total if total else 1.0


def _leg(leg: Leg, searched: Searched) -> Payload:
    return {
        "floor": leg.floor,
        "depth": leg.depth,
        "matched": leg.matched,
        "total": searched.corpus.chunk_count,
        "listed": len(leg.run.hits),
        "ran": leg.ran,
        "note": leg.note,
    }


def _without(outcome: Outcome, searched: Searched) -> list[Payload]:
    """Count the hits without each condition of a search that has none.

    Without all of them as well, where no single one brings a hit. `filters` are those
    that would go, by their numbers in the query's, from 0.
    """
    conditions = outcome.scope.conditions
    if outcome.pool.entry or not conditions:
        return []
    filters = outcome.query.filters

    def count(dropped: Sequence[Condition]) -> Payload:
        return {
            "filters": [filters.index(one) for row in dropped for one in row.filters],
            "hits": count_without(outcome, searched.corpus, dropped),
        }

    rows = [count([one]) for one in conditions]
    if len(conditions) > 1 and not any(row["hits"] for row in rows):
        rows.append(count(conditions))
    return rows


def _pool(outcome: Outcome) -> Payload:
    by_fusion = sum(via == "fusion" for via in outcome.pool.entry.values())
    filled = len(outcome.pool.entry)
    return {
        "size": outcome.config.pool_size,
        "filled": filled,
        "guarantee": outcome.pool.guarantee,
        "by_guarantee": filled - by_fusion,
        "by_fusion": by_fusion,
        "folded": len(outcome.folded),
    }


def _config(outcome: Outcome) -> Payload:
    config = outcome.config
    return {
        "depth": config.depth,
        "rrf_k": config.rrf_k,
        "pool": config.pool_size,
        "guarantee": outcome.pool.guarantee,
        "cards_per_page": config.cards_per_page,
        "chunks_per_card": config.chunks_per_card,
        "k1": K1,
        "b": B,
        "weights": {leg.name: config.weight(leg.name) for leg in outcome.legs},
    }


def _terms(outcome: Outcome, searched: Searched) -> list[Payload]:
    idf = searched.corpus.idf(outcome.query.terms)
    return [
        {"term": term, "df": searched.corpus.document_frequency(term), "idf": value}
        for term, value in idf.items()
    ]


def _hits(outcome: Outcome, searched: Searched) -> list[Payload]:
    """Return the hits in their final order, each with what is folded under it."""
    rows = _pooled(outcome, searched)
    for chunk, fold in outcome.folded.items():
        is_copy = fold.reason == COPY and fold.of == fold.under
        kept = rows[fold.under]["copies" if is_copy else "re_exports"]
        kept.append(rows[chunk])
    return [rows[hit.chunk] for hit in outcome.shown.hits]


def _pooled(outcome: Outcome, searched: Searched) -> dict[int, Payload]:
    """Return each chunk of the pool; one that is folded has neither rank nor card."""
    chunks = [hit.chunk for hit in outcome.reranked.run.hits]
    found = {leg.name: standings(leg, chunks) for leg in outcome.legs}
    rows: dict[int, Payload] = {}
    for i, chunk in enumerate(chunks):
        final = outcome.shown.by_chunk.get(chunk)
        rows[chunk] = {
            "rank": final.ordinal if final else None,
            "card": outcome.cards.get(chunk),
            **chunk_place(searched, chunk),
            "duplicate_of": original_of(searched, chunk),
            "legs": {
                leg.name: _standing(leg, chunk, found[leg.name][i])
                for leg in outcome.legs
            },
            "fused": _fused(outcome, chunk),
            "pool": {"in": True, "via": outcome.pool.entry[chunk]},
            "rerank": _rerank(outcome, chunk),
        }
        if final:
            rows[chunk] |= {"copies": [], "re_exports": []}
    return rows


def _standing(leg: Leg, number: int, found: Standing | None) -> Payload | None:
    if found is None:
        return None
    return {
        "rank": found.rank,
        "ordinal": found.ordinal,
        "tie_size": found.tie_size,
        "raw": found.raw,
        "normalised": normalised(leg, number),
        "part": None if leg.parts is None else 1 + int(leg.parts[number]),
        "in_leg": found.ordinal <= leg.depth,
    }


def _target_leg(leg: Leg, traced: TargetTrace) -> Payload | None:
    found = traced.standings[leg.name]
    shown = _standing(leg, traced.chunk, found)
    if found is None or shown is None:
        return None
    return {
        **shown,
        "margin": traced.margins[leg.name],
        "percentile": found.percentile,
    }


def _fused(outcome: Outcome, number: int) -> Payload | None:
    hit = outcome.fused.by_chunk.get(number)
    if hit is None:
        return None
    return {
        "score": hit.score,
        "ordinal": hit.ordinal,
        "contributions": dict(outcome.contributions[number]),
    }


def _rerank(outcome: Outcome, number: int) -> Payload | None:
    hit = outcome.reranked.run.by_chunk.get(number)
    if hit is None:
        return None
    return {
        "kind": outcome.reranked.kind,
        "score": hit.score,
        "terms": _points(outcome.reranked.total, number),
        "logit": outcome.reranked.logits.get(number),
        "truncated_tokens": outcome.reranked.unread.get(number, 0),
    }


def _points(total: Sum | None, number: int) -> list[Payload]:
    """Return the parts of one chunk's structural score; their points sum to it."""
    keys = ("name", "value", "weight", "points")
    parts = total.parts(number) if total else []
    return [dict(zip(keys, part, strict=True)) for part in parts]


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


def _places(places: Sequence[Place], searched: Searched) -> list[Payload]:
    located = [searched.corpus.locate_place(place.row) for place in places]
    said = _summaries(located, searched)
    rows = []
    for rank, (place, where) in enumerate(zip(places, located, strict=True), 1):
        number, ordinal = where
        file = searched.corpus.builds[number].lexical.catalogue.files[ordinal]
        doc, defines = said[where]
        rows.append(
            {
                "rank": rank,
                **file_place(searched.builds[number], file.path, file.language),
                "score": place.score,
                "doc": doc,
                "defines": defines,
                "terms": [_term(term) for term in place.terms],
            }
        )
    return rows


def _summaries(
    located: Sequence[tuple[int, int]], searched: Searched
) -> dict[tuple[int, int], tuple[str, list[str]]]:
    """Return the doc and the defined names of files, in one query for all builds."""
    numbers = {searched.builds[number].pk: number for number, _ in located}
    rows = File.objects.filter(
        build__in=numbers, ordinal__in={ordinal for _, ordinal in located}
    ).values_list("build", "ordinal", "doc", "defines")
    return {
        (numbers[build], ordinal): (doc, defines)
        for build, ordinal, doc, defines in rows.order_by()
    }


def _term(term: Term) -> Payload:
    return asdict(term)
