"""Symbol queries: where the wanted symbol comes, in each leg, the pool and the results.

`python -m benchmarks.symbol_queries --queries FILE [--source DIR] [--json OUT]`;
DIR is a copy of the installed Django if it is not given. FILE has one query a line,
`{"id", "query", "targets": [{"path", "symbol"}]}`, with paths below DIR. Any target
counts. The product's own trace gives every rank; the legs alone are the baselines of
the same run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.indexed import data_folder, django_source, index_folder
from benchmarks.metrics import Mean, mean, reciprocal
from benchmarks.records import Value, publish, read_lines

LEGS = ("purpose", "body", "bm25", "symbol")
DEPTHS = (1, 5, 10)
POOL_DEPTHS = (60, 200)
CARDS = 3  # As many as one sees without scrolling.

Ranks = dict[str, int | None]  # By stage: a target's best ordinal, None if lost.


def main() -> None:
    """Measure, print a table, and write the ranks of each query."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    queries = read_lines(options.queries)
    with data_folder():
        source = options.source or django_source()
        name = index_folder(source, name="symbol-queries")
        rows = [(query["id"], best_ranks(query, name)) for query in queries]
    table = summarise([ranks for _, ranks in rows])
    publish(options, {f"{len(rows)} queries": table}, ranks=dict(rows))


def best_ranks(query: dict[str, Any], name: str) -> Ranks:  # Any: JSON
    """Return the best ordinal of any target in each leg, the pool and the results."""
    from codesearch.services import trace
    from indexer.access import COMMAND_LINE

    targets = [spell(target, name) for target in query["targets"]]
    found = trace(
        viewer=COMMAND_LINE, query=query["query"], targets=targets, repositories=[name]
    )["targets"]
    ranks: Ranks = {
        leg: best(_listed(row["legs"][leg]) for row in found) for leg in LEGS
    }
    ranks["fused"] = best(row["fused"] and row["fused"]["ordinal"] for row in found)
    ranks["result"] = best(row["rank"] for row in found)
    ranks["card"] = best(row["card"] for row in found)
    return ranks


def _listed(place: dict[str, Any] | None) -> int | None:  # Any: JSON
    """Return the ordinal of a target in a leg's list; below its depth it is lost."""
    return place["ordinal"] if place and place["in_leg"] else None


def spell(target: dict[str, str], name: str) -> str:
    """Return the unambiguous spelling of a target; the first definition counts.

    Raises SystemExit for a target that the index does not hold.
    """
    from codesearch.corpora import current_builds
    from codesearch.targets import candidate
    from indexer.access import COMMAND_LINE
    from indexer.models import Chunk

    (build,) = current_builds(COMMAND_LINE, [name], None)
    chunk = (
        Chunk.objects.filter(
            build=build, file__path=target["path"], symbol=target["symbol"]
        )
        .select_related("file", "build__index__repository")
        .first()
    )
    if chunk is None:
        raise SystemExit(f"{target['path']} has no symbol {target['symbol']}")
    return candidate(chunk)["target"]


def best(ordinals: Iterable[int | None]) -> int | None:
    """Return the smallest, or None where there is none."""
    return min((ordinal for ordinal in ordinals if ordinal), default=None)


def summarise(rows: Sequence[Ranks]) -> dict[str, dict[str, Value]]:
    """Return hit@1, @5, @10, MRR, recall at the pool's depths, and top cards."""
    table: dict[str, dict[str, Value]] = {}
    for stage in rows[0] if rows else ():
        line: dict[str, Value] = {f"hit@{k}": share(rows, stage, k) for k in DEPTHS}
        line["MRR"] = mean([reciprocal(row[stage]) for row in rows])
        if stage == "card":
            line[f"within {CARDS} cards"] = share(rows, stage, CARDS)
        else:
            line |= {f"recall@{k}": share(rows, stage, k) for k in POOL_DEPTHS}
        table[stage] = line
    return table


def share(rows: Sequence[Ranks], stage: str, depth: int) -> Mean:
    """Return the share of queries whose target is at or above `depth`."""
    return mean([float((row[stage] or 1 << 40) <= depth) for row in rows])


if __name__ == "__main__":
    main()
