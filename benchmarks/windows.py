"""Windows: one chunk a function against windows of 50 lines, losses included.

`python -m benchmarks.windows [--source DIR] [--functions N] [--json OUT]` indexes a
folder (the installed Django) by symbol and by window, and asks the queries of the
experiment `windows`. They are made from the index itself, the same at every run, so
they are synthetic: each holds words of its target, from its name, from what its body
calls, or from the first sentence of its docstring. A window counts as the target when
it overlaps it, which any of several does; so it is also counted how far up the one
with the function's first line comes.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.indexed import data_folder, django_source, index_folder
from benchmarks.metrics import mean, reciprocal
from benchmarks.records import Figures, Table, Value, publish

if TYPE_CHECKING:
    from codesearch.experiments.bench import Bench

FUNCTIONS = 60
KINDS = ("name", "api words", "docstring words")
COUNTED = {
    "symbol": "symbol_rank",
    "window": "window_rank",
    "window with its first line": "head_rank",
}


def main() -> None:
    """Measure, print the tables, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--functions", type=int, default=FUNCTIONS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with data_folder():
        from codesearch.experiments.windows import ask

        source = options.source or django_source()
        name = index_folder(source, name="windows")
        index_folder(source, name=name, profile="window")
        bench = open_both(name)
        rows = [ask(bench, case) for case in bench.generate(options.functions)]
        whole = share_whole(bench)
    publish(options, {**summarise(rows), "functions": whole}, rows=rows)


def open_both(name: str) -> Bench:
    """Return both builds of a repository, opened."""
    from benchmarks.stages import current_build
    from codesearch.corpora import open_corpus
    from codesearch.experiments.bench import Bench
    from indexer.access import COMMAND_LINE

    symbol, window = (
        open_corpus([current_build(name, profile)], viewer=COMMAND_LINE)
        for profile in ("symbol", "window")
    )
    return Bench(symbol, window)


def summarise(rows: Sequence[Mapping[str, Any]]) -> Figures:  # Any: JSON
    """Return MRR by profile, and how many queries each wins, by kind of query."""
    from codesearch.experiments.windows import compare

    table: dict[str, dict[str, Value]] = {}
    for kind in KINDS:
        chosen = [row for row in rows if row["by"] == kind]
        line: dict[str, Value] = {}
        for column, key in COUNTED.items():
            line[f"{column} MRR"] = mean([reciprocal(row[key]) for row in chosen])
        for column in ("symbol", "window"):
            first = [float(row[COUNTED[column]] == 1) for row in chosen]
            line[f"{column} hit@1"] = mean(first)
        found = [compare(dict(row)) for row in chosen]
        line["better by symbol"] = found.count(1)
        line["worse by symbol"] = found.count(-1)
        line["queries"] = len(found)
        table[kind] = line
    return {"query by": table}


def share_whole(bench: Bench) -> Table:
    """Return how many functions no window holds whole."""
    from codesearch.experiments.windows import windows_over

    if bench.windows is None:
        raise TypeError("there are no windows to hold a function")
    split = []
    for function in bench.functions:
        over = windows_over(bench.windows, bench.place(function.number))
        split.append(float(not any(start and end for start, end in over.values())))
    return {"whole in no window": {"share": mean(split), "functions": len(split)}}


if __name__ == "__main__":
    main()
