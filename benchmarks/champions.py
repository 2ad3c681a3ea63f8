"""Is the first of a leg ever lost? Generated repositories through the real search.

`python -m benchmarks.champions [--runs N] [--seed N] [--json OUT]`: each run asks one
query, every other one with filters, with a random configuration and, every other time,
a random final order. The first of each leg must be in the pool; and on page one, listed
beneath a hit that is, or in the page's champions line, as cards and as a list. Nothing
out of scope may be in the pool. Exits with 1 if one was lost, or came in.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from benchmarks.generated import make_config, make_corpus, make_models, make_query
from benchmarks.records import publish
from codesearch.funnel.query import read_query
from codesearch.funnel.search import run_search
from codesearch.funnel.types import Outcome

if TYPE_CHECKING:  # They read the settings.
    from codesearch.pages.paging import ResultPage
    from codesearch.payloads import Payload

RUNS = 10_000
RUNS_PER_CORPUS = 200
LOST = ("not in the pool", "not on page one", "out of scope")
STATES = (
    "runs",
    "with filters",
    "nothing in scope",
    "folded",
    "firsts",
    "in the champions line",
    *LOST,
)


def main() -> None:
    """Run, print the table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "codesearch.settings")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("CODESEARCH_DATA", folder)
        import django

        django.setup()
        found = count_firsts(options.runs, options.seed)
    publish(options, {"the first of each leg": {"generated searches": found}})
    sys.exit(1 if any(found[state] for state in LOST) else 0)


def count_firsts(runs: int, seed: int) -> dict[str, int]:
    """Return what became of the first of each leg in `runs` searches.

    "in the champions line" and "not on page one" count cards and list apart.
    """
    chance = Random(seed)  # noqa: S311 - no secret
    counts: Counter[str] = Counter()
    for done in range(0, runs, RUNS_PER_CORPUS):
        with tempfile.TemporaryDirectory() as folder:
            corpus = make_corpus(Path(folder), chance)
            for _ in range(min(RUNS_PER_CORPUS, runs - done)):
                outcome = run_search(
                    read_query(make_query(chance)),
                    corpus,
                    make_models(chance),
                    make_config(chance),
                )
                counts["runs"] += 1
                counts["with filters"] += bool(outcome.scope.conditions)
                counts["nothing in scope"] += not outcome.scope.chunks.any()
                counts["out of scope"] += count_outside(outcome)
                counts["folded"] += len(outcome.folded)
                counts.update(follow_firsts(outcome))
    return {state: counts[state] for state in STATES}


def count_outside(outcome: Outcome) -> int:
    """Count the chunks that came into the pool though a filter leaves them out."""
    return sum(not outcome.scope.chunks[chunk] for chunk in outcome.pool.entry)


def follow_firsts(outcome: Outcome) -> Iterator[str]:
    """Yield what became of the first of each leg, as cards and as a list."""
    from codesearch.pages.links import Scope
    from codesearch.pages.paging import LIST, ResultPage, leg_champions

    payload = page_payload(outcome)
    for leg in outcome.legs:
        for first in leg.run.hits[:1]:
            yield "firsts"
            if first.chunk not in outcome.pool.entry:
                yield "not in the pool"
            for view in ("", LIST):
                page = ResultPage(Scope("").search_url, view=view)
                if first.chunk in shown_chunks(payload, page):
                    continue
                named = {(c.leg, c.name) for c in leg_champions(payload, page)}
                is_named = (leg.name, str(first.chunk)) in named
                yield "in the champions line" if is_named else "not on page one"


def shown_chunks(payload: Payload, page: ResultPage) -> set[int]:
    """Return the chunks that a page shows, and those beneath them."""
    from codesearch.pages.paging import page_cards, page_rows, shown_in_card
    from codesearch.payloads import beneath

    hits = page_rows(payload, page)
    if not page.is_list:
        hits = []
        for card in page_cards(payload, page):
            hits += card[: shown_in_card(payload, page, card[0]["card"])]
    return {row["ordinal"] for hit in hits for row in (hit, *beneath(hit))}


def page_payload(outcome: Outcome) -> Payload:
    """Return what paging reads of a payload; a chunk is called by its number."""
    config = outcome.config
    return {
        "config": {
            "cards_per_page": config.cards_per_page,
            "chunks_per_card": config.chunks_per_card,
        },
        "legs": {leg.name: {} for leg in outcome.legs},
        "hits": [
            {
                **_row(outcome, hit.chunk),
                "rank": hit.ordinal,
                "card": outcome.cards[hit.chunk],
                "copies": [
                    _row(outcome, chunk)
                    for chunk, fold in outcome.folded.items()
                    if fold.under == hit.chunk
                ],
            }
            for hit in outcome.shown.hits
        ],
    }


def _row(outcome: Outcome, chunk: int) -> Payload:
    seats = {leg.name: leg.run.by_chunk.get(chunk) for leg in outcome.legs}
    return {
        "ordinal": chunk,
        "symbol": f"{chunk}",
        "repository": "generated",
        "revision": "0",
        "path_url": "a.py",
        "legs": {
            name: {"in_leg": True, "ordinal": hit.ordinal, "raw": hit.score}
            for name, hit in seats.items()
            if hit
        },
    }


if __name__ == "__main__":
    main()
