"""Absent concepts: what a search says of things that this repository does not hold."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.absence import closeness_payload
from codesearch.experiments.bench import Bench, leg_of
from codesearch.experiments.concepts import own_concepts
from codesearch.experiments.figures import median, written
from codesearch.experiments.queries import choose_functions, doc_query
from codesearch.experiments.types import Column, Figure, Finding, Json, Result
from codesearch.funnel.legs import normalised
from codesearch.funnel.types import Leg
from codesearch.funnel.vocabulary import weigh_words
from indexer.pipeline.concepts import absent_concepts

PRESENT = 20  # Queries of the repository's own docs beside the absent concepts.
ABSENT, OWN = "absent concept", "own docstring words"
SHOWN = 3  # First hits whose scores are shown.
DENSE = ("purpose", "body")


def choose(bench: Bench) -> list[Json]:
    """Return the concepts that are not in the build, then some things that are."""
    postings = bench.local.lexical.postings
    absent = [one.text for one in absent_concepts(postings, own_concepts())]
    present = [doc_query(one) for one in choose_functions(bench.functions, PRESENT)]
    return [{"by": ABSENT, "query": text} for text in absent] + [
        {"by": OWN, "query": text} for text in present
    ]


def ask(bench: Bench, case: Json) -> Json:
    """Return the band of a search, and raw and normalised scores of its first hits."""
    outcome = bench.answer(case["query"])
    words = weigh_words(outcome.query, bench.corpus)
    judged = closeness_payload(outcome, bench.searched, words)
    closest = max(
        (leg for name in DENSE if (leg := leg_of(outcome, name)).run.hits),
        key=lambda leg: leg.run.hits[0].score,
        default=None,
    )
    bm25 = leg_of(outcome, "bm25").run.hits
    first = outcome.shown.hits[:1]
    return {
        **case,
        "band": judged["band"],
        "evidence": [one["sentence"] for one in judged["evidence"]],
        "raw": closest.run.hits[0].score if closest else None,
        "shown": _shown(closest),
        "bm25": bm25[0].score if bm25 else None,
        "where": bench.place(first[0].chunk) if first else None,
    }


def _shown(leg: Leg | None) -> list[float]:
    """Return the first scores of a leg as a system shows them that rescales them."""
    hits = leg.run.hits[:SHOWN] if leg else ()
    scores = [normalised(leg, hit.chunk) for hit in hits if leg]
    return [score for score in scores if score is not None]


def conclude(bench: Bench, rows: Sequence[Json]) -> Result:
    """Return the bands and raw cosines of what is absent and of what is there."""
    absent = [row for row in rows if row["by"] == ABSENT]
    present = [row for row in rows if row["by"] == OWN]
    asked = {row["query"] for row in absent}
    aside = [one.text for one in own_concepts() if one.text not in asked]
    figures = [
        Figure("absent concepts asked", len(absent), "count"),
        Figure("… called nothing close", _count(absent, "nothing"), "count"),
        Figure("… called weak", _count(absent, "weak"), "count"),
        Figure("… called close", _count(absent, "close"), "count"),
        Figure("best raw cosine of absent ones, median", _raw(absent), "raw", "0.370"),
        Figure("their first, normalised, median", _top(absent), "raw", "1.00"),
        Figure("own docstring words asked", len(present), "count"),
        Figure("… called nothing close", _count(present, "nothing"), "count"),
        Figure("best raw cosine of own ones, median", _raw(present), "raw", "0.656"),
        Figure("their first, normalised, median", _top(present), "raw", "1.00"),
    ]
    columns = [
        Column("query", "Query", "query"),
        Column("by", "What it is"),
        Column("band", "Band"),
        Column("raw", "Best cosine, raw", "raw"),
        Column("shown", "First three, normalised within this query", "scores"),
        Column("bm25", "Best bm25", "raw"),
        Column("where", "First result", "symbol"),
    ]
    notes = list(NOTES)
    if aside:
        notes.insert(0, f"Set aside, for their words do occur: {', '.join(aside)}.")
    return Result(_sentence(absent, present), figures, columns, rows, notes)


def _count(rows: Sequence[Json], band: str) -> int:
    return sum(row["band"] == band for row in rows)


def _raw(rows: Sequence[Json]) -> float | None:
    return median([row["raw"] for row in rows if row["raw"] is not None])


def _top(rows: Sequence[Json]) -> float | None:
    return median([row["shown"][0] for row in rows if row["shown"]])


def _sentence(absent: Sequence[Json], present: Sequence[Json]) -> str:
    if any(row["band"] == "uncalibrated" for row in (*absent, *present)):
        told = "is not calibrated, so no band is given"
    else:
        told = (
            f"says of {_count(absent, 'nothing')} of {len(absent)} absent concepts "
            f"that nothing is close, and of {_count(present, 'nothing')} of "
            f"{len(present)} queries of its own words"
        )
    return (
        f"On this repository the search {told}. Normalised, the first hit of an absent "
        f"one has {written(_top(absent))} and of a present one "
        f"{written(_top(present))}; raw, {written(_raw(absent))} and "
        f"{written(_raw(present))} (medians of the best cosine)."
    )


NOTES = (
    "Normalised: (raw - min) / (max - min) over the list of the leg with the best "
    "cosine. It is shown to be distrusted; no page shows it alone.",
    "The queries of its own words hold words of their target, so they are easy ones.",
)
ABSENCE = Finding(
    kind="absence",
    title="Absent concepts",
    claim="A score that is rescaled for every query makes the best of nothing look "
    "certain; raw scores and two signals can say that nothing is close.",
    reported=(
        "“CORS handling” in Django's core: five hits at 0.77 to 1.0, scores of a "
        "reranker (bge-reranker-base) rescaled per query.",
        "Measured again with all-MiniLM-L6-v2: “CORS handling” normalised 1.00 .91 "
        ".90, raw .370 .351 .349; “CSRF protection”, which is there, 1.00 .98 .94, "
        "raw .656 .647 .633.",
    ),
    asked="A list of concepts that most repositories do not have, without those whose "
    f"words occur here, and {PRESENT} queries of its own docstrings.",
    choose=choose,
    ask=ask,
    conclude=conclude,
)
