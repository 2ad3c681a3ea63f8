"""Split against truncated: what is lost where a model cuts what it does not read.

Here nothing is cut: a text longer than the model reads is split. So the vector of the
cut text is made again for the comparison; all other chunks stay as indexed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from codesearch.experiments.bench import Bench, leg_of, raw_of
from codesearch.experiments.figures import reciprocal, written
from codesearch.experiments.queries import (
    API_WORDS,
    DOC,
    DOC_WORDS,
    Function,
    doc_query,
    own_names,
    rarest,
    spread_over,
)
from codesearch.experiments.types import Column, Figure, Finding, Json, Result
from indexer.pipeline.encoder import Encoder
from indexer.pipeline.terms import tokenize

FUNCTIONS = 30
REST = "calls after the cut"


def choose(bench: Bench) -> list[Json]:
    """Return two queries of each of some functions that the model cannot read whole."""
    long = [one for one in bench.functions if bench.local.parts("body", one.number) > 1]
    fit = [one for one in long if len(doc_query(one).split()) >= DOC_WORDS[0]]
    cases = []
    for function in spread_over(fit, FUNCTIONS):
        cases.append(
            {"chunk": function.number, "by": DOC, "query": doc_query(function)}
        )
        if query := rest_query(bench, function):
            cases.append({"chunk": function.number, "by": REST, "query": query})
    return cases


def rest_query(bench: Bench, function: Function) -> str:
    """Return the rarest names that a body calls after the cut only, "" for too few."""
    kept = set(tokenize(cut_text(function.body, bench.model())))
    names = [name for name in own_names(function) if tokenize(name)[0] not in kept]
    if len(names) < API_WORDS:
        return ""
    return rarest(names, bench.idf_of(function))


def cut_text(text: str, encoder: Encoder) -> str:
    """Return the longest start of a text that the model reads."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        (tokens,) = encoder.count_tokens([text[:middle]])
        if tokens <= encoder.max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def ask(bench: Bench, case: Json) -> Json:
    """Return the rank of a function in the body leg, split and cut."""
    number, encoder = case["chunk"], bench.model()
    function = next(one for one in bench.functions if one.number == number)
    leg = leg_of(bench.answer(case["query"]), "body")
    cut = cut_text(function.body, encoder)
    vector = encoder.encode([cut])[0]
    raw = float(vector @ encoder.encode_query(case["query"]))
    others = np.delete(leg.scores, number)
    (tokens,) = encoder.count_tokens([function.body])
    split = raw_of(leg, [number])
    return {
        **case,
        "where": bench.place(number),
        "lines": function.lines,
        "tokens": tokens,
        "kept": encoder.max_tokens / tokens,
        "split_raw": split,
        "split_rank": None if split is None else 1 + int((others > split).sum()),
        "cut_raw": raw,
        "cut_rank": 1 + int((others > raw).sum()),
    }


def conclude(bench: Bench, rows: Sequence[Json]) -> Result:
    """Return MRR and wins of both, by kind of query."""
    long = sum(bench.local.parts("body", one.number) > 1 for one in bench.functions)
    total = len(bench.functions)
    figures = [
        Figure(
            f"functions longer than the {bench.model().max_tokens} tokens it reads",
            long / total if total else None,
            "share",
            "11 % over 256 tokens, 3.8 % over 512",
        ),
        Figure("functions compared", len({row["chunk"] for row in rows}), "count"),
    ]
    for kind in (DOC, REST):
        chosen = [row for row in rows if row["by"] == kind]
        figures += [
            Figure(f"{kind}: MRR, split", _mrr(chosen, "split_rank")),
            Figure(f"{kind}: MRR, cut", _mrr(chosen, "cut_rank")),
            Figure(f"{kind}: wins, ties, losses of split", tally(chosen), "text"),
        ]
    worst = min((row["split_rank"] - row["cut_rank"] for row in rows), default=None)
    figures.append(
        Figure(
            "most ranks lost by the cut",
            -worst if worst is not None else None,
            "count",
            "53: from rank 3 to 56",
        )
    )
    return Result(_sentence(rows), figures, COLUMNS, rows, NOTES)


def tally(rows: Sequence[Json]) -> str:
    """Return for how many rows the split text comes before, level with, after."""
    found = [np.sign(row["cut_rank"] - row["split_rank"]) for row in rows]
    return f"{found.count(1)} / {found.count(0)} / {found.count(-1)}"


def _mrr(rows: Sequence[Json], key: str) -> float | None:
    return reciprocal([row[key] for row in rows])


def _sentence(rows: Sequence[Json]) -> str:
    if not rows:
        return (
            "On this repository no documented function is longer than the model reads: "
            "nothing would be cut."
        )
    return (
        f"On this repository the split text comes before, level with and after the cut "
        f"one for {tally(rows)} of {len(rows)} queries; MRR in the body leg "
        f"{written(_mrr(rows, 'split_rank'))} split, "
        f"{written(_mrr(rows, 'cut_rank'))} cut."
    )


COLUMNS = (
    Column("where", "Function", "symbol"),
    Column("query", "Query", "query"),
    Column("by", "Made of"),
    Column("split_rank", "Rank, split", "rank"),
    Column("cut_rank", "Rank, cut", "rank"),
    Column("split_raw", "Body cosine, split", "raw"),
    Column("cut_raw", "Body cosine, cut, recomputed", "raw"),
    Column("tokens", "Tokens", "count"),
    Column("kept", "Kept by the cut", "share"),
)
NOTES = (
    "Ranks are of the body leg alone. Only the function itself is cut; all others stay "
    "split, as indexed.",
    "A docstring stands before the cut: queries of its words ask for what both have.",
)
TRUNCATION = Finding(
    kind="truncation",
    title="Split against truncated",
    claim="What is longer than the model reads is cut without a word by most systems; "
    "split into parts, nothing of it is lost.",
    reported=(
        "A 900-line function is diluted like a file, and cut at the model's limit.",
        "Measured again with all-MiniLM-L6-v2 on Django: 11 % of the functions exceed "
        "256 tokens, 3.8 % exceed 512; a function of 91 lines fell from rank 3 to 56.",
    ),
    asked=f"For up to {FUNCTIONS} documented functions in several parts: a query of "
    "the docstring's words, and one of names called only after the cut.",
    choose=choose,
    ask=ask,
    conclude=conclude,
    needs=frozenset(("vectors",)),
)
