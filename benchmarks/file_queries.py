"""File queries: whether the wanted file is on the first page, and how far up.

`python -m benchmarks.file_queries --queries DIR --checkouts DIR [--only NAME ...]
[--conditions NAME ...] [--semble PYTHON] [--json OUT]`. DIR of the queries holds
`repositories.json` and a `<name>.jsonl` each, with lines `{"id", "query", "category",
"targets", "secondary"}`; a target is a path, some with `start_line` and `end_line`.
DIR of the checkouts holds a folder for each name. Two conditions: `root`, only what is
below the repository's root, as the set was made for, and `whole`.

The figure is binary nDCG@10 over targets and secondary together, one place per file
in order of the cards; where lines are given, a hit of the file must touch them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.baselines import Semble, file_baselines, run_semble
from benchmarks.indexed import copy_below, data_folder, index_folder
from benchmarks.metrics import Found, file_ranks, list_ranks, mean, ndcg
from benchmarks.records import Figures, Table, Value, publish, read_lines

CONDITIONS = ("root", "whole")
WINDOW_STAGES = ("bm25", "body", "result")
RESULT, RIVAL, RIVAL_LIST = "result", "semble, files", "semble, chunk list"

Lists = dict[str, list[Found]]


@dataclass(frozen=True, slots=True)
class Row:
    """One query in one condition: what each list is worth, by its name."""

    repository: str
    condition: str
    query: str
    category: str
    ndcg: Mapping[str, float]
    first: Mapping[str, bool]


def main() -> None:
    """Measure, print the tables, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument(
        "--conditions", nargs="+", choices=CONDITIONS, default=list(CONDITIONS)
    )
    parser.add_argument("--semble", metavar="PYTHON")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    repositories = json.loads((options.queries / "repositories.json").read_text())
    rows: list[Row] = []
    notes: dict[str, str] = {}
    with data_folder():
        for repository in repositories:
            if options.only and repository["name"] not in options.only:
                continue
            for condition in options.conditions:
                sys.stderr.write(f"{repository['name']}, {condition}\n")
                rows += measure(repository, condition, options, notes)
    rows_json = [
        {
            "repository": row.repository,
            "condition": row.condition,
            "query": row.query,
            "ndcg": dict(row.ndcg),
        }
        for row in rows
    ]
    publish(options, summarise(rows, notes), notes=notes, rows=rows_json)


def measure(
    repository: Mapping[str, Any],  # Any: JSON
    condition: str,
    options: argparse.Namespace,
    notes: dict[str, str],
) -> list[Row]:
    """Index one repository in one condition and ask all its queries."""
    name, root = repository["name"], repository["root"]
    queries = read_lines(options.queries / f"{name}.jsonl")
    folder = options.checkouts / name
    indexed = f"{name}-whole"
    if condition == "root" and root:
        indexed = f"{name}-root"
        folder = copy_below(folder, root, name=indexed)
    index_folder(folder, name=indexed)
    index_folder(folder, name=indexed, profile="window")
    semble = run_semble(options.semble, folder, [query["query"] for query in queries])
    asked = ask_baselines(indexed, folder, queries, notes)
    notes[RIVAL] = notes[RIVAL_LIST] = semble.note
    rows = []
    for query in queries:
        lists = answer(query, indexed, semble) | asked[query["id"]]
        rows.append(judge(name, condition, query, lists))
    return rows


def ask_baselines(
    name: str,
    folder: Path,
    queries: Sequence[Mapping[str, Any]],  # Any: JSON
    notes: dict[str, str],
) -> dict[str, Lists]:
    """Return the lists of the baselines that run, by query; note those that do not."""
    from benchmarks.stages import indexed_texts

    found: dict[str, Lists] = {query["id"]: {} for query in queries}
    for baseline, ask in file_baselines(folder, indexed_texts(name)).items():
        if isinstance(ask, str):
            notes[baseline] = ask
            continue
        for query in queries:
            found[query["id"]][baseline] = ask(query["query"])
    return found


def answer(query: Mapping[str, Any], name: str, semble: Semble) -> Lists:
    """Return our lists for a query, and semble's two."""
    from benchmarks.stages import all_lists, place_list

    text = query["query"]
    lists, payload = all_lists(text, name, "symbol")
    lists["places"] = place_list(payload)
    windows, _ = all_lists(text, name, "window")
    lists |= {f"windows, {stage}": windows[stage] for stage in WINDOW_STAGES}
    if text in semble.files:
        lists[RIVAL], lists[RIVAL_LIST] = semble.files[text], semble.chunks[text]
    return lists


def judge(
    repository: str, condition: str, query: Mapping[str, Any], lists: Lists
) -> Row:
    """Return what each list of a query is worth."""
    wanted = [*query["targets"], *query["secondary"]]
    relevant = len({target["path"] for target in wanted})
    ranks = {
        name: (list_ranks if name == RIVAL_LIST else file_ranks)(found, wanted)
        for name, found in lists.items()
    }
    return Row(
        repository,
        condition,
        query["id"],
        query["category"],
        {name: ndcg(found, relevant) for name, found in ranks.items()},
        {name: found[:1] == [1] for name, found in ranks.items()},
    )


def summarise(rows: Sequence[Row], notes: Mapping[str, str]) -> Figures:
    """Return a table for each condition, the places, and the repositories."""
    figures: dict[str, Table] = {}
    for condition in CONDITIONS:
        chosen = [row for row in rows if row.condition == condition]
        if not chosen:
            continue
        figures[f"{condition}, nDCG@10"] = _systems(chosen, notes)
    figures["by repository, nDCG@10"] = _by_repository(rows)
    return figures


def _systems(rows: Sequence[Row], notes: Mapping[str, str]) -> Table:
    """Return a line for each list: all queries, each category, symbol hit@1."""
    names = dict.fromkeys(name for row in rows for name in row.ndcg)
    table: dict[str, dict[str, Value]] = {}
    for name in [RESULT, *(n for n in names if n != RESULT)]:
        table[name] = _line(rows, name)
    if RIVAL in names:
        gained = [row.ndcg[RESULT] - row.ndcg[RIVAL] for row in rows]
        table[f"{RESULT} minus {RIVAL}"] = {"all": mean(gained)}
    missing = {name: {"all": note} for name, note in notes.items() if name not in table}
    return {**table, **missing}


def _line(rows: Sequence[Row], name: str) -> dict[str, Value]:
    categories: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        categories["all"].append(row.ndcg[name])
        categories[row.category].append(row.ndcg[name])
    line: dict[str, Value] = {key: mean(categories[key]) for key in sorted(categories)}
    first = [float(row.first[name]) for row in rows if row.category == "symbol"]
    if first:
        line["symbol hit@1"] = mean(first)
    return line


def _by_repository(rows: Sequence[Row]) -> Table:
    """Return our figure and the rival's for each repository, and their means."""
    names = [name for name in (RESULT, RIVAL) if all(name in row.ndcg for row in rows)]
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for name in names:
            values[row.repository][f"{row.condition}: {name}"].append(row.ndcg[name])
    table: dict[str, dict[str, Value]] = {
        repository: {column: mean(figures) for column, figures in columns.items()}
        for repository, columns in values.items()
    }
    if table:
        columns = next(iter(values.values()))
        table["mean of the repositories"] = {
            column: mean([sum(v[column]) / len(v[column]) for v in values.values()])
            for column in columns
        }
    return table


if __name__ == "__main__":
    main()
