"""CoSQA: questions that people typed, and the one function that answers each.

`python -m benchmarks.cosqa --queries FILE --codes FILE [--json OUT]`. The queries are
a list of `{"idx", "doc", "retrieval_idx"}`, the codes map each function's text to its
number. Every function is a file of its own with a number for a name, so that its path
tells nothing; a file counts by its best chunk. The figure is MRR@10.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.baselines import bm25s, rank_bm25
from benchmarks.indexed import data_folder, index_folder
from benchmarks.metrics import DEPTH, Found, file_ranks, mean, reciprocal
from benchmarks.records import Value, publish
from indexer.pipeline.terms import tokenize

NAME = "cosqa"


def main() -> None:
    """Measure, print the table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--codes", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    queries = json.loads(options.queries.read_text())
    codes: dict[str, int] = json.loads(options.codes.read_text())
    with data_folder():
        index_folder(write_codes(codes), name=NAME)
        rows = [{"query": query["idx"], **ranks(query)} for query in queries]
    table = summarise(rows) | baselines(codes, queries)
    title = f"{len(queries)} queries, {len(codes)} functions"
    publish(options, {title: table}, rows=rows)


def path_of(number: int) -> str:
    """Return the path of a function, which says nothing about it."""
    return f"{number:05d}.py"


def write_codes(codes: Mapping[str, int]) -> Path:
    """Write each function into a file of its own; return their folder."""
    from django.conf import settings

    folder = Path(settings.DATA_DIR) / "benchmarks" / NAME
    folder.mkdir(parents=True, exist_ok=True)
    for text, number in codes.items():
        (folder / path_of(number)).write_text(text + "\n", encoding="utf-8")
    return folder


def ranks(query: Mapping[str, Any]) -> dict[str, int | None]:  # Any: JSON
    """Return the place of the wanted function's file in each list."""
    from benchmarks.stages import all_lists

    lists, _ = all_lists(query["doc"], NAME)
    return {stage: _rank(found, query) for stage, found in lists.items()}


def baselines(
    codes: Mapping[str, int], queries: Sequence[Mapping[str, Any]]
) -> dict[str, dict[str, Value]]:
    """Return the figures of the BM25 packages over the same functions and terms."""
    terms = {path_of(number): tokenize(text) for text, number in codes.items()}
    table: dict[str, dict[str, Value]] = {}
    for name, ask in {"rank_bm25": rank_bm25(terms), "bm25s": bm25s(terms)}.items():
        if isinstance(ask, str):
            table[name] = {"MRR@10": ask}
            continue
        rows = [{name: _rank(ask(query["doc"]), query)} for query in queries]
        table |= summarise(rows)
    return table


def _rank(found: Sequence[Found], query: Mapping[str, Any]) -> int | None:
    wanted = [{"path": path_of(query["retrieval_idx"])}]
    return next(iter(file_ranks(found, wanted)), None)


def summarise(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Value]]:
    """Return MRR@10 and the shares within the first and the first ten, by list."""
    stages = [key for key in rows[0] if key != "query"]
    return {
        stage: {
            "MRR@10": mean([reciprocal(row[stage], DEPTH) for row in rows]),
            "hit@1": mean([float(row[stage] == 1) for row in rows]),
            "hit@10": mean([reciprocal(row[stage], DEPTH) > 0 for row in rows]),
        }
        for stage in stages
    }


if __name__ == "__main__":
    main()
