"""Search: one query down the funnel, with everything it did on the way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from codesearch.funnel.corpus import Corpus
from codesearch.funnel.expression import Node
from codesearch.funnel.folding import fold
from codesearch.funnel.fusion import fuse
from codesearch.funnel.legs import rank_leg, rank_legs, score_legs
from codesearch.funnel.places import rank_places
from codesearch.funnel.pool import fill_pool
from codesearch.funnel.rerank import rerank
from codesearch.funnel.scope import make_scope, scope_without
from codesearch.funnel.types import (
    Condition,
    Config,
    Findings,
    Hit,
    Models,
    Outcome,
    Query,
    Run,
)


def run_search(query: Query, corpus: Corpus, models: Models, config: Config) -> Outcome:
    """Answer one query: find its raw scores, and decide on it."""
    return decide(score_legs(query, corpus, models), corpus, models, config)


def decide(
    findings: Findings,
    corpus: Corpus,
    models: Models,
    config: Config,
    filters: Sequence[Node] | None = None,
) -> Outcome:
    """Run scope, ranks, fusion, pool, rerank, folding and places on what was found.

    `filters` are to hold in place of the query's own. Nothing is encoded: the same
    findings answer under any config, as a search with that config would.
    """
    query = findings.query
    if filters is not None:
        query = replace(query, filters=tuple(filters))
    times = [time.perf_counter()]
    scope = make_scope(query.filters, corpus)
    legs = rank_legs(findings, config, scope.chunks)
    times.append(time.perf_counter())
    fused, contributions = fuse(legs, config)
    pool = fill_pool(legs, fused, config)
    times.append(time.perf_counter())
    reranked = rerank(query, fused, pool, corpus, legs, models, config)
    times.append(time.perf_counter())
    shown, folded = fold(reranked.run, corpus)
    places = rank_places(query, corpus, findings.places, legs, scope.places)
    times.append(time.perf_counter())
    return Outcome(
        query=query,
        config=config,
        scope=scope,
        legs=legs,
        fused=fused,
        contributions=contributions,
        pool=pool,
        reranked=reranked,
        shown=shown,
        folded=folded,
        cards=deal_cards(shown, corpus),
        places=places,
        timings_ms=_milliseconds(findings, times),
    )


def _milliseconds(findings: Findings, times: Sequence[float]) -> dict[str, float]:
    """Return what each stage took; to find the raw scores is part of the legs."""
    spent = [1000 * (end - begin) for begin, end in pairwise(times)]
    spent[0] += findings.milliseconds
    stages = zip(("legs", "fusion", "rerank", "places"), spent, strict=True)
    return {**dict(stages), "total": sum(spent)}


def count_without(
    outcome: Outcome, corpus: Corpus, dropped: Sequence[Condition]
) -> int:
    """Return how many hits the search would have without some of its conditions."""
    scope = scope_without(outcome.scope, dropped)
    legs = [
        rank_leg(leg.name, leg.scores, leg.parts, depth=leg.depth, scope=scope)
        for leg in outcome.legs
        if leg.ran
    ]
    fused, _ = fuse(legs, outcome.config)
    entry = fill_pool(legs, fused, outcome.config).entry
    seated = tuple(Hit(chunk, n, 0.0) for n, chunk in enumerate(sorted(entry), 1))
    shown, _ = fold(Run("pool", seated), corpus)
    return len(shown.hits)


def deal_cards(run: Run, corpus: Corpus) -> dict[int, int]:
    """Map each chunk to its file's card; cards follow their best chunk, from 1."""
    card_of: dict[int, int] = {}
    cards: dict[int, int] = {}
    for hit in run.hits:
        file = corpus.file_of(hit.chunk)
        cards[hit.chunk] = card_of.setdefault(file, len(card_of) + 1)
    return cards
