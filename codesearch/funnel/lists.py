"""Lists: what each stage of one search holds, best first."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.funnel.legs import LITERAL
from codesearch.funnel.pool import entry_ranks
from codesearch.funnel.types import Hit, Outcome, Run


def stage_hits(outcome: Outcome, stage: str) -> Sequence[Hit]:
    """Return the list of a leg, or of fusion, pool, rerank, result or page.

    Ordinals of the page are ranks of the result, with gaps. That of `literal` is empty
    for a query that it does not run for. Raises KeyError for another stage.
    """
    if stage == "pool":
        places = entry_ranks(outcome.fused, outcome.pool)
        fused = outcome.fused.by_chunk
        return [Hit(chunk, n, fused[chunk].score) for chunk, n in places.items()]
    if stage == "page":
        return page_hits(outcome)
    runs = {LITERAL: Run(LITERAL, ())}
    runs |= {leg.name: leg.run for leg in outcome.legs}
    runs |= {"fusion": outcome.fused, "rerank": outcome.reranked.run}
    runs["result"] = outcome.shown
    return runs[stage].hits


def page_hits(outcome: Outcome) -> list[Hit]:
    """Return the hits that page one shows, by rank."""
    config, shown = outcome.config, dict[int, int]()
    hits = []
    for hit in outcome.shown.hits:
        card = outcome.cards[hit.chunk]
        shown[card] = shown.get(card, 0) + 1
        if card <= config.cards_per_page and shown[card] <= config.chunks_per_card:
            hits.append(hit)
    return hits
