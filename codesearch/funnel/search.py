"""Search: one query down the funnel, with everything it did on the way."""

from __future__ import annotations

import time

from codesearch.funnel.folding import fold
from codesearch.funnel.fusion import fuse
from codesearch.funnel.legs import run_legs
from codesearch.funnel.places import rank_places
from codesearch.funnel.pool import fill_pool
from codesearch.funnel.rerank import rerank
from codesearch.funnel.types import Config, Corpus, Models, Outcome, Query, Run


def run_search(query: Query, corpus: Corpus, models: Models, config: Config) -> Outcome:
    """Run legs, fusion, pool, rerank, folding and places for one query."""
    started = time.perf_counter()
    legs, cosines = run_legs(query, corpus, models, config)
    legs_done = time.perf_counter()
    fused, contributions = fuse(legs, config)
    pool = fill_pool(legs, fused, config)
    pool_done = time.perf_counter()
    reranked = rerank(query, pool, corpus, legs, models, config)
    rerank_done = time.perf_counter()
    shown, folded = fold(reranked.run, corpus)
    places = rank_places(query, corpus, cosines, legs)
    done = time.perf_counter()
    return Outcome(
        query=query,
        config=config,
        legs=legs,
        fused=fused,
        contributions=contributions,
        pool=pool,
        reranked=reranked,
        shown=shown,
        folded=folded,
        cards=deal_cards(shown, corpus),
        places=places,
        timings_ms={
            "legs": 1000 * (legs_done - started),
            "fusion": 1000 * (pool_done - legs_done),
            "rerank": 1000 * (rerank_done - pool_done),
            "places": 1000 * (done - rerank_done),
            "total": 1000 * (done - started),
        },
    )


def deal_cards(run: Run, corpus: Corpus) -> dict[int, int]:
    """Map each chunk to its file's card; cards follow their best chunk, from 1."""
    card_of: dict[int, int] = {}
    cards: dict[int, int] = {}
    for hit in run.hits:
        file = corpus.file_of(hit.chunk)
        cards[hit.chunk] = card_of.setdefault(file, len(card_of) + 1)
    return cards
