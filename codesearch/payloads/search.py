"""Search: one query and everything that was found."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.absence import absence_payload
from codesearch.catalogue import chunk_place, original_of
from codesearch.corpora import Searched
from codesearch.funnel.filters import asks_for_places
from codesearch.funnel.folding import COPY
from codesearch.funnel.legs import standings
from codesearch.funnel.pool import entry_ranks
from codesearch.funnel.search import count_without
from codesearch.funnel.types import Condition, Config, Leg, Outcome
from codesearch.knobs import config_pairs
from codesearch.payloads import SCHEMA, Payload
from codesearch.payloads.builds import builds_payload
from codesearch.payloads.chunks import (
    fused_payload,
    page_of,
    rerank_payload,
    standing_payload,
)
from codesearch.payloads.definitions import definitions_payload
from codesearch.payloads.filters import filters_payload
from codesearch.payloads.literals import literals_payload, unsearched_sentences
from codesearch.payloads.places import places_payload
from indexer.pipeline.postings import K1, B


def search_payload(outcome: Outcome, searched: Searched) -> Payload:
    """Return one search as JSON."""
    return {
        "schema": SCHEMA,
        "query": outcome.query.typed,
        "filters": filters_payload(outcome.query),
        "literals": literals_payload(outcome.query),
        "in_scope": int(outcome.scope.chunks.sum()),
        "without": _without(outcome, searched),
        "builds": builds_payload(searched),
        "left_out": list(searched.left_out),
        "unsearched": unsearched_sentences(outcome.query, searched),
        "legs": {leg.name: _leg(leg, searched) for leg in outcome.legs},
        "union": len(outcome.fused.hits),
        "pool": _pool(outcome),
        "rerank": _reranked(outcome),
        "config": config_payload(
            outcome.config, [leg.name for leg in outcome.legs], outcome.pool.guarantee
        ),
        "settings": config_pairs(outcome.config),
        "terms": _terms(outcome, searched),
        **absence_payload(outcome, searched),
        "definitions": definitions_payload(outcome, searched),
        "timings_ms": dict(outcome.timings_ms),
        "hits": _hits(outcome, searched),
        "places": places_payload(outcome.places, searched),
    }


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
    that would go, by their numbers in the query's, from 0. Nothing is missing where
    only places were asked for.
    """
    conditions = outcome.scope.conditions
    is_of_places = any(map(asks_for_places, outcome.query.filters))
    if outcome.pool.entry or not conditions or is_of_places:
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


def config_payload(config: Config, legs: Sequence[str], guarantee: int) -> Payload:
    """Return a config as JSON, with the guarantee and the legs that it comes to."""
    return {
        "depth": config.depth,
        "rrf_k": config.rrf_k,
        "pool": config.pool_size,
        "guarantee": guarantee,
        "cards_per_page": config.cards_per_page,
        "chunks_per_card": config.chunks_per_card,
        "reranker": config.reranker,
        "off": sorted(config.off),
        "points": dict(config.points),
        "k1": K1,
        "b": B,
        "weights": {leg: config.weight(leg) for leg in legs},
    }


def _terms(outcome: Outcome, searched: Searched) -> list[Payload]:
    idf = searched.corpus.idf(outcome.query.terms)
    return [
        {"term": term, "df": searched.corpus.document_frequency(term), "idf": value}
        for term, value in idf.items()
    ]


def _hits(outcome: Outcome, searched: Searched) -> list[Payload]:
    """Return the hits in their final order, each with what is folded under it."""
    rows = _rows(outcome, searched, [hit.chunk for hit in outcome.reranked.run.hits])
    for chunk, fold in outcome.folded.items():
        is_copy = fold.reason == COPY and fold.of == fold.under
        kept = rows[fold.under]["copies" if is_copy else "re_exports"]
        kept.append(rows[chunk])
    return [rows[hit.chunk] for hit in outcome.shown.hits]


def cut_leaders(outcome: Outcome, searched: Searched) -> list[Payload]:
    """Return the first of each leg that the pool did not take, if any, as a hit."""
    firsts = [leg.run.hits[0].chunk for leg in outcome.legs if leg.run.hits]
    cut = sorted(set(firsts).difference(outcome.pool.entry))
    return list(_rows(outcome, searched, cut).values())


def _rows(
    outcome: Outcome, searched: Searched, chunks: Sequence[int]
) -> dict[int, Payload]:
    """Return chunks of the union; what is folded or cut has neither rank nor card."""
    found = {leg.name: standings(leg, chunks) for leg in outcome.legs}
    entered = entry_ranks(outcome.fused, outcome.pool)
    rows: dict[int, Payload] = {}
    for i, chunk in enumerate(chunks):
        final = outcome.shown.by_chunk.get(chunk)
        via = outcome.pool.entry.get(chunk)
        rows[chunk] = {
            "rank": final.ordinal if final else None,
            "card": outcome.cards.get(chunk),
            "page": page_of(outcome, chunk),
            **chunk_place(searched, chunk),
            "duplicate_of": original_of(searched, chunk),
            "legs": {
                leg.name: standing_payload(leg, chunk, found[leg.name][i])
                for leg in outcome.legs
            },
            "fused": fused_payload(outcome, chunk),
            "pool": {"in": via is not None, "via": via},
            "rerank": rerank_payload(outcome, chunk, entered),
        }
        if final:
            rows[chunk] |= {"copies": [], "re_exports": []}
    return rows
