"""Whole files: how close one query is to a function, and to the file around it.

The vector of a whole file is made here: the file is encoded in parts as long as the
model reads, and the parts are averaged by their tokens. It is in no index.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from codesearch.errors import UnreadableTarget
from codesearch.experiments.bench import (
    STRUCTURAL,
    Bench,
    Floats,
    leg_of,
    place_in,
    raw_of,
)
from codesearch.experiments.figures import median, written
from codesearch.experiments.queries import (
    Function,
    doc_query,
    is_askable,
    queries_of,
    spread_over,
)
from codesearch.experiments.types import Column, Figure, Finding, Json, Result
from codesearch.funnel.legs import standing
from indexer.access import COMMAND_LINE
from indexer.files import read_texts
from indexer.pipeline.encoder import Encoder
from indexer.pipeline.parts import split_text
from indexer.pipeline.paths import path_url

FILES = 40  # Encoded whole, a second each; half of them those that might win.
LARGEST = 60_000  # Characters of a file that is encoded: about 60 parts.
SHARES = (0.02, 0.12)  # Of its file's lines, as the reports' functions were.


def choose(bench: Bench) -> list[Json]:
    """Return a case for each file: first that of the function, then the others."""
    function = choose_function(bench)
    queries = queries_of(function, bench.idf_of(function))
    own = int(bench.local.lexical.file_of[function.number])
    files = dict.fromkeys([own, *_rivals(bench, queries.values()), *_spread(bench)])
    return [
        {"chunk": function.number, "file": file, "queries": queries}
        for file in list(files)[:FILES]
    ]


def choose_function(bench: Bench) -> Function:
    """Return the function that was asked for, or one of a few per cent of its file.

    Raises UnreadableTarget.
    """
    if bench.target:
        for one in bench.functions:
            if bench.target in (one.symbol, one.name) and doc_query(one):
                return one
        raise UnreadableTarget(
            f"No documented function of {bench.name} is called {bench.target}."
        )
    fit = [one for one in bench.functions if is_askable(one)]
    if not fit:
        raise UnreadableTarget(
            f"{bench.name} has no documented function to make queries of."
        )
    ends: dict[str, int] = {}
    for one in bench.functions:
        ends[one.path] = max(ends.get(one.path, 0), one.end_line)
    small = [one for one in fit if SHARES[0] < one.lines / ends[one.path] < SHARES[1]]
    return min(small or fit, key=_digest)


def _digest(function: Function) -> bytes:
    return hashlib.sha256(f"{function.path} {function.symbol}".encode()).digest()


def _rivals(bench: Bench, queries: Iterable[str]) -> list[int]:
    """Return the files of what comes first for each query, one of each in turn."""
    lists = [
        [hit.chunk for hit in bench.answer(query).shown.hits[:FILES]]
        for query in queries
    ]
    turns = [hits[i] for i in range(FILES) for hits in lists if i < len(hits)]
    file_of = bench.local.lexical.file_of
    found = dict.fromkeys(int(file_of[chunk]) for chunk in turns)
    return list(found)[: FILES // 2]


def _spread(bench: Bench) -> list[int]:
    """Return files with a summary and with chunks, at even distances."""
    lexical = bench.local.lexical
    held = set(map(int, lexical.file_of))
    return spread_over([n for n in map(int, lexical.places) if n in held], FILES)


def ask(bench: Bench, case: Json) -> Json:
    """Return the cosine of each query with the vector of one whole file."""
    entry = bench.local.lexical.catalogue.files[case["file"]]
    key = (bench.name, bench.build.revision, path_url(entry.path))
    text = read_texts(COMMAND_LINE, [key]).get(key, "")
    row = {**case, "path": entry.path.decode("utf-8", "replace"), "raw": None}
    if not text.strip() or len(text) > LARGEST:
        return row
    pooled, tokens = pool_text(text, bench.model())
    raw = {
        by: float(pooled @ bench.model().encode_query(query))
        for by, query in case["queries"].items()
    }
    return {**row, "raw": raw, "tokens": tokens}


def pool_text(text: str, encoder: Encoder) -> tuple[Floats, int]:
    """Return the mean of a text's parts by their tokens, of length 1, and the tokens.

    Shape (dimension,). What a model that reads no more than a part would make of it.
    """
    parts = [
        part
        for part in split_text(
            text, breaks=(), limit=encoder.max_tokens, count=encoder.count_tokens
        )
        if part.strip()
    ]
    counts = np.array(encoder.count_tokens(parts), np.float32)
    total = (encoder.encode(parts) * counts[:, None]).sum(axis=0)
    unit: Floats = (total / np.linalg.norm(total)).astype(np.float32)
    return unit, int(counts.sum())


def conclude(bench: Bench, rows: Sequence[Json]) -> Result:
    """Return each query's cosine and rank at the function, its summary, its file."""
    own = rows[0]
    read = [row for row in rows if row["raw"]]
    told = [_told(bench, own, by, query, read) for by, query in own["queries"].items()]
    tokens = bench.model().count_tokens(
        [one.body for one in bench.functions if one.number == own["chunk"]]
    )
    size = own.get("tokens")
    figures = [
        Figure(
            "the function's share of its file, by tokens",
            sum(tokens) / size if size else None,
            "share",
            "4.7 %",
        ),
        Figure("body cosine, median", _median(told, "body_raw"), "raw", "0.664"),
        Figure("purpose cosine, median", _median(told, "purpose_raw")),
        Figure("cosine of its file's summary, median", _median(told, "summary_raw")),
        Figure("cosine of its whole file, median", _median(told, "file_raw"), "raw"),
        Figure("worst rank of its whole file", _worst(told), "rank", "2"),
        Figure("files encoded whole", len(read), "count"),
    ]
    return Result(_sentence(bench, own, told), figures, COLUMNS, told, NOTES)


def _told(bench: Bench, own: Json, by: str, query: str, read: Sequence[Json]) -> Json:
    number, inquiry = own["chunk"], bench.inquire(query)
    outcome = inquiry.answer(STRUCTURAL)
    row: Json = {"where": bench.place(number), "by": by, "query": query}
    for surface in ("body", "purpose"):
        leg = leg_of(outcome, surface)
        stands = standing(leg, number)
        row[f"{surface}_raw"] = raw_of(leg, [number])
        row[f"{surface}_rank"] = stands.rank if stands else None
    summaries = inquiry.findings.places
    place = int(bench.local.lexical.chunk_places[number])
    if summaries is not None and place >= 0:
        row["summary_raw"] = float(summaries[place])
        row["summary_rank"] = place_in(summaries, place)
    if own["raw"]:
        others = [one["raw"][by] for one in read]
        row["file_raw"] = own["raw"][by]
        row["file_rank"] = 1 + sum(raw > own["raw"][by] for raw in others)
        row["first_file"] = max(read, key=lambda one: one["raw"][by])["path"]
    return {column.key: None for column in COLUMNS} | row


def _median(rows: Sequence[Json], key: str) -> float | None:
    return median([row[key] for row in rows if row[key] is not None])


def _worst(rows: Sequence[Json]) -> int | None:
    ranks = [row["file_rank"] for row in rows if row["file_rank"]]
    return max(ranks, default=None)


def _sentence(bench: Bench, own: Json, told: Sequence[Json]) -> str:
    name = bench.place(own["chunk"])["symbol"]
    if not own["raw"]:
        return (
            f"On this repository the file of {name} is too large to be encoded here; "
            "choose another function."
        )
    closer = sum((row["body_raw"] or 0) > (row["file_raw"] or 0) for row in told)
    return (
        f"On this repository {name} itself is closer than its whole file for {closer} "
        f"of {len(told)} queries: median body cosine "
        f"{written(_median(told, 'body_raw'))}, "
        f"whole file {written(_median(told, 'file_raw'))}."
    )


COLUMNS = (
    Column("where", "Function", "symbol"),
    Column("query", "Query", "query"),
    Column("by", "Made of"),
    Column("body_raw", "Body cosine", "raw"),
    Column("body_rank", "rank of chunks", "rank"),
    Column("purpose_raw", "Purpose cosine", "raw"),
    Column("purpose_rank", "rank of chunks", "rank"),
    Column("summary_raw", "Summary cosine", "raw"),
    Column("summary_rank", "rank of files", "rank"),
    Column("file_raw", "Whole file cosine, recomputed", "raw"),
    Column("file_rank", "rank of the sample", "rank"),
    Column("first_file", "First whole file"),
)
NOTES = (
    f"Whole files are ranked in a sample of up to {FILES}: those of the first results, "
    "and others at even distances. Among all files the rank can only be the same or "
    "worse.",
    "Recomputed: no index holds a vector of a whole file.",
)
WHOLE_FILES = Finding(
    kind="whole-files",
    title="Whole file, summary and function",
    claim="A vector of a whole file is an average: one function in it is a few per "
    "cent, and the file ranks for what most of it is about.",
    reported=(
        "A 20-line function in a file of 400 lines is 5 % of its vector.",
        "Measured again with all-MiniLM-L6-v2: format_currency, 4.7 % of its file, is "
        "first among functions (.664); its whole file is second behind a distractor "
        "(.358 against .524).",
    ),
    asked="Three generated queries of one documented function, compared with its body, "
    "its purpose, its file's summary and its whole file.",
    choose=choose,
    ask=ask,
    conclude=conclude,
    needs=frozenset(("vectors",)),
    takes_target=True,
)
