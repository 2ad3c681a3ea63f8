"""The ten-by-six sweep: ten things asked for in six ways each, made by rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from codesearch.experiments.bench import Bench, rank_of
from codesearch.experiments.figures import mean, written
from codesearch.experiments.queries import (
    Function,
    choose_functions,
    doc_query,
    spread_over,
)
from codesearch.experiments.types import Column, Figure, Finding, Json, Result
from codesearch.funnel.audit.topics import FIRST, overlap_of_first
from codesearch.funnel.phrasings import content_words, spread, vary
from indexer.pipeline.terms import tokenize

TOPICS, PHRASINGS = 10, 6
PAGE = 10  # Results among which a topic counts as found.


def choose(bench: Bench) -> list[Json]:
    """Return six phrasings of each of ten documented functions, spread."""
    asked = {
        function.number: phrase(function, bench)
        for function in choose_functions(bench.functions, 5 * TOPICS)
    }
    fit = [number for number, found in asked.items() if len(found) == PHRASINGS]
    return [
        {"chunk": number, "query": text, "by": origin}
        for number in spread_over(fit, TOPICS)
        for text, origin in asked[number]
    ]


def phrase(function: Function, bench: Bench) -> list[tuple[str, str]]:
    """Return six ways to ask for a function with how each was made, or fewer.

    Its docstring's first words as they are; then without its stop words; then without
    its rarest word, without the next one, and so on: what a person may not know.
    """
    text = doc_query(function)
    content = content_words(text)
    idf = bench.corpus.idf([tokenize(word)[0] for word in content])
    found = {one.origin: one.text for one in vary(text)}
    order = sorted(content, key=lambda word: (-idf[tokenize(word)[0]], word))
    wanted = ["stop words dropped", *(f"without “{word}”" for word in order)]
    chosen = [(found[origin], origin) for origin in wanted if origin in found]
    return [(text, "docstring words"), *chosen][:PHRASINGS]


def ask(bench: Bench, case: Json) -> Json:
    """Return the rank of a target for one phrasing, and what came first."""
    outcome = bench.answer(case["query"])
    return {
        **case,
        "where": bench.place(case["chunk"]),
        "rank": rank_of(outcome, case["chunk"]),
        "pool": case["chunk"] in outcome.pool.entry,
        "first": [str(hit.chunk) for hit in outcome.shown.hits[:FIRST]],
    }


def conclude(bench: Bench, rows: Sequence[Json]) -> Result:
    """Return per topic how many phrasings found it, and their ranks."""
    topics = [topic_row(asked) for asked in by_topic(rows).values()]
    found = [topic["found"] for topic in topics]
    in_pool = mean([float(row["pool"]) for row in rows])
    figures = [
        Figure("topics", len(topics), "count", "10"),
        Figure("phrasings", len(rows), "count", "60"),
        *(
            Figure(f"topics on page one for: {key}", found.count(key), "count")
            for key in ("all", "some", "none")
        ),
        Figure("phrasings with the target in the pool", in_pool, "share"),
        Figure(
            "overlap of the first five, mean",
            mean([t["overlap"] for t in topics if t["overlap"] is not None]),
            "share",
        ),
    ]
    return Result(_sentence(topics, found), figures, COLUMNS, topics, NOTES)


def by_topic(rows: Sequence[Json]) -> Mapping[int, list[Json]]:
    """Return the rows of each target, in order."""
    found: dict[int, list[Json]] = {}
    for row in rows:
        found.setdefault(row["chunk"], []).append(row)
    return found


def topic_row(asked: Sequence[Json]) -> Json:
    """Return one topic: by how many phrasings found on page one, and its ranks."""
    ranks = [row["rank"] for row in asked]
    on_page = [bool(rank) and rank <= PAGE for rank in ranks]
    told = spread(ranks)
    row: dict[str, Any] = {  # Any: JSON
        "where": asked[0]["where"],
        "query": asked[0]["query"],
        "found": "all" if all(on_page) else "some" if any(on_page) else "none",
        "best": told.least,
        "median": told.median,
        "worst": told.most,
        "absent": told.absent,
        "overlap": overlap_of_first([one["first"] for one in asked]),
        "asked": [{key: one[key] for key in ("query", "by", "rank")} for one in asked],
    }
    return row


def _sentence(topics: Sequence[Json], found: Sequence[str]) -> str:
    if not topics:
        return "On this repository no documented function has words for six phrasings."
    shared = mean([t["overlap"] for t in topics if t["overlap"] is not None])
    return (
        f"On this repository all phrasings bring {found.count('all')} of {len(topics)} "
        f"topics to page one, some of them {found.count('some')}, none "
        f"{found.count('none')}; of the first five results {written(shared)} are the "
        "same from one phrasing to the next."
    )


COLUMNS = (
    Column("where", "Topic", "symbol"),
    Column("query", "First phrasing", "query"),
    Column("found", "On page one for"),
    Column("best", "Best rank", "rank"),
    Column("median", "Median", "rank"),
    Column("worst", "Worst", "rank"),
    Column("absent", "Phrasings beyond the pool", "count"),
    Column("overlap", "Overlap of the first five", "share"),
)
NOTES = (
    "Phrasings are made by rule of the docstring's own words, so they are closer to "
    "the target than those of a person. Each is in the JSON with its rank.",
)
SWEEP = Finding(
    kind="phrasings",
    title="Ten topics, six phrasings",
    claim="Another phrasing of the same question shuffles which wrong answers come "
    "back; what is in no pool stays out whatever the words.",
    reported=(
        "60 queries on a Django checkout, snowflake-arctic-embed-m-v1.5 and "
        "bge-reranker-base: rephrasing shuffled which wrong answers came back, "
        "re-export stubs above the real class; QuerySet.get was in the first 200 of "
        "the dense leg for one phrasing, at rank 123.",
    ),
    asked="Ten documented functions, each in six phrasings: words of its docstring, "
    "without stop words, and without its rarest words in turn.",
    choose=choose,
    ask=ask,
    conclude=conclude,
)
