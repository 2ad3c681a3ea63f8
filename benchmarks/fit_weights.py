"""Fit the weights of the structural rerank, leaving one repository out at a time.

`python -m benchmarks.fit_weights --queries DIR --checkouts DIR [--only NAME ...]
[--json OUT]`. The file queries are those of `benchmarks.file_queries`, in both its
conditions; the symbol queries are ours, `benchmarks/data/symbols/<name>.jsonl`.

Listwise softmax over the product's own pool: of a file query over files, each by
its best chunk; of a symbol query over chunks. Only features are fitted: the pool,
and what a feature is, are the product's. Printed are the fitted weights, the
figures with the weights of the other repositories, those of the shipped weights,
and of the fit without each feature.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from benchmarks.file_queries import CONDITIONS
from benchmarks.indexed import copy_below, data_folder, index_folder
from benchmarks.metrics import Found, file_ranks, mean, ndcg, reciprocal
from benchmarks.records import Table, Value, publish, read_lines

RIDGE = 0.003  # Keeps what the queries do not tell close to nothing.
SYMBOLS = Path(__file__).parent / "data" / "symbols"
FORMULAS = ("dense", "lexical")

Floats = npt.NDArray[np.float64]
Query = Mapping[str, Any]  # Any: JSON


@dataclass(frozen=True, slots=True)
class Example:
    """One query's pool: (chunks, features), what is wanted, and what to rank.

    `unit` numbers what is ranked: the file of each chunk, or the chunk itself.
    """

    kind: str
    query: Query
    features: Floats
    wanted: npt.NDArray[np.bool_]
    unit: npt.NDArray[np.int64]
    found: tuple[Found, ...]


def main() -> None:
    """Fit both formulas, print their tables, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures: dict[str, Table] = {}
    with data_folder():
        for formula in FORMULAS:
            examples = gather(options, formula)
            figures |= tell(formula, examples)
    publish(options, figures)


def gather(options: argparse.Namespace, formula: str) -> dict[str, list[Example]]:
    """Return the examples of each repository, its files as they lie there."""
    found: dict[str, list[Example]] = {}
    for repository in json.loads((options.queries / "repositories.json").read_text()):
        name, root = repository["name"], repository["root"]
        if options.only and name not in options.only:
            continue
        files = read_lines(options.queries / f"{name}.jsonl")
        symbols = read_lines(SYMBOLS / f"{name}.jsonl")
        whole = index_folder(options.checkouts / name, name=f"{name}-whole")
        part = whole
        if root:
            folder = copy_below(options.checkouts / name, root, name=f"{name}-root")
            part = index_folder(folder, name=f"{name}-root")
        asked = [
            (kind, index, query)
            for kind, index in zip(CONDITIONS, (part, whole), strict=True)
            for query in files
        ]
        asked += [("symbol", whole, query) for query in symbols]
        found[name] = [example(*one, formula) for one in asked]
    return found


def example(kind: str, index: str, query: Query, formula: str) -> Example:
    """Run one query down the funnel and measure every chunk of its pool."""
    from benchmarks.stages import run_funnel
    from codesearch.catalogue import chunk_place

    funnel = run_funnel(query["query"], index, lexical=formula == "lexical")
    chunks = sorted(funnel.outcome.pool.entry)
    places = [chunk_place(funnel.searched, chunk) for chunk in chunks]
    found = tuple(Found(p["path"], p["start_line"], p["end_line"]) for p in places)
    targets = [*query["targets"], *query.get("secondary", ())]
    if kind == "symbol":
        names = {(target["path"], target["symbol"]) for target in targets}
        wanted = [(place["path"], place["symbol"]) in names for place in places]
        unit = list(range(len(chunks)))
    else:
        wanted = [bool(file_ranks([hit], targets)) for hit in found]
        paths = list(dict.fromkeys(hit.path for hit in found))
        unit = [paths.index(hit.path) for hit in found]
    total = funnel.outcome.reranked.total
    if total is None:
        raise SystemExit("the search was not reranked")
    values = np.nan_to_num(total.values[[total.rows[chunk] for chunk in chunks]])
    return Example(kind, query, values, np.array(wanted), np.array(unit), found)


def fit(examples: Sequence[Example], columns: Sequence[int]) -> Floats:
    """Return the weights of some features that make what is wanted likeliest."""
    rows = [one for one in examples if one.wanted.any()]

    def loss(weights: Floats) -> tuple[float, Floats]:
        parts = [_surprise(one, weights, columns) for one in rows]
        slope = sum((part[1] for part in parts), np.zeros(len(columns)))
        value = sum(part[0] for part in parts) / len(rows)
        return (
            value + RIDGE * float(weights @ weights),
            slope / len(rows) + 2 * RIDGE * weights,
        )

    found = minimize(loss, np.zeros(len(columns)), jac=True, method="L-BFGS-B")
    weights: Floats = found.x
    return weights


def _surprise(
    one: Example, weights: Floats, columns: Sequence[int]
) -> tuple[float, Floats]:
    """Return -log of the share of what is wanted, spread evenly, and its slope."""
    features = one.features[:, columns]
    scores = features @ weights
    best = _best_rows(one.unit, scores)
    good = np.zeros(len(best))
    np.maximum.at(good, one.unit, one.wanted)
    shares = np.exp(scores[best] - scores[best].max())
    shares /= shares.sum()
    goal = good / good.sum()
    if one.kind == "symbol":  # Any of them will do.
        goal = shares * good / (shares * good).sum()
        value = -float(np.log((shares * good).sum()))
    else:
        value = -float((goal * np.log(shares)).sum())
    slope: Floats = features[best].T @ (shares - goal)
    return value, slope


def _best_rows(unit: npt.NDArray[np.int64], scores: Floats) -> npt.NDArray[np.int64]:
    """Return the row of the best chunk of each unit, the earlier one on a tie."""
    order = np.lexsort((np.arange(len(unit)), -scores, unit))
    first = np.flatnonzero(np.diff(unit[order], prepend=-1))
    return order[first]


def judge(one: Example, weights: Floats, columns: Sequence[int]) -> tuple[float, float]:
    """Return nDCG@10 over files, or a symbol's reciprocal rank; and hit@1."""
    order = np.argsort(-(one.features[:, columns] @ weights), kind="stable")
    if one.kind == "symbol":
        ranks = np.flatnonzero(one.wanted[order]) + 1
        rank = int(ranks[0]) if len(ranks) else None
        return reciprocal(rank), float(rank == 1)
    targets = [*one.query["targets"], *one.query["secondary"]]
    ranks_ = file_ranks([one.found[row] for row in order], targets)
    relevant = len({target["path"] for target in targets})
    return ndcg(ranks_, relevant), float(ranks_[:1] == [1])


def left_out(
    examples: Mapping[str, Sequence[Example]], columns: Sequence[int]
) -> dict[str, Value]:
    """Return the figures of each repository with the weights of all the others."""
    judged: list[tuple[str, tuple[float, float]]] = []
    for name, own in examples.items():
        others = [one for other in examples if other != name for one in examples[other]]
        weights = fit(others, columns)
        judged += [(one.kind, judge(one, weights, columns)) for one in own]
    return _line(judged)


def _line(judged: Sequence[tuple[str, tuple[float, float]]]) -> dict[str, Value]:
    line: dict[str, Value] = {}
    for kind in (*CONDITIONS, "symbol"):
        values = [found for of, found in judged if of == kind]
        if values:
            figure = "MRR" if kind == "symbol" else "nDCG@10"
            line[f"{kind} {figure}"] = mean([value for value, _ in values])
            line[f"{kind} hit@1"] = mean([first for _, first in values])
    return line


def tell(formula: str, examples: Mapping[str, Sequence[Example]]) -> dict[str, Table]:
    """Return the weights, and what they and each feature are worth."""
    from codesearch.funnel.weights import DENSE, LEXICAL

    shipped = DENSE if formula == "dense" else LEXICAL
    names = list(shipped)
    every = [one for own in examples.values() for one in own]
    columns = list(range(len(names)))
    fitted = fit(every, columns)
    given = np.array(list(shipped.values()))
    lines = {
        "shipped": _line([(one.kind, judge(one, given, columns)) for one in every]),
        "fitted, left out": left_out(examples, columns),
    }
    for number, name in enumerate(names):
        kept = [column for column in columns if column != number]
        lines[f"without {name}"] = left_out(examples, kept)
    return {
        f"{formula}: weights": {
            name: {"shipped": shipped[name], "fitted": round(float(weight), 2)}
            for name, weight in zip(names, fitted, strict=True)
        },
        f"{formula}: figures": lines,
    }


if __name__ == "__main__":
    main()
