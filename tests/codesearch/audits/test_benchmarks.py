"""The ranks of an audit are those that `make bench` counts, query by query."""

from __future__ import annotations

from typing import Any

from benchmarks import cosqa, symbol_queries
from codesearch.audits.running import finish_audit, request_audit
from codesearch.models import Audit, CaseSet
from indexer import services as indexing
from indexer.access import COMMAND_LINE
from indexer.models import Build
from tests.codesearch.audits.sets import make_set, result_of
from tests.conftest import MakeRepository

SYMBOLS = (
    ("mail the report to its readers", ["billing/exports.py", "Report.send"]),
    ("total", ["billing/exports.py", "total"]),
    ("bill for a customer", ["billing/money.py", "Invoice"]),
    ("night", ["billing/money.py", "format_money"]),
)
FUNCTIONS = (
    'def mean(rows):\n    """Return the mean of rows."""\n    return sum(rows)\n',
    'def count(rows):\n    """Count rows."""\n    n = 0\n    return len(rows) + n\n',
    "class Cart:\n    def add(self, row):\n        return row\n\n"
    "    def count(self):\n        return len(self.rows)\n",
)


def ask(cases: CaseSet) -> Audit:
    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)
    return finish_audit(audit=audit)


def best_places(audit: Audit) -> list[dict[str, int | None]]:
    """Return for each query the best place of any target at each stage."""
    found = []
    for row in audit.rows.all():
        stages = [target["stages"] for target in result_of(row)["targets"]]
        best = {
            stage: min((s[stage] for s in stages if s[stage]), default=None)
            for stage in stages[0]
        }
        found.append(best)
    return found


def test_ranks_of_symbols_are_those_of_the_benchmark(shop: Build) -> None:
    asked: list[dict[str, Any]] = [
        {"query": query, "targets": [{"path": path, "symbol": symbol}]}
        for query, (path, symbol) in SYMBOLS
    ]
    asked.append({"query": "send", "targets": [one["targets"][0] for one in asked]})
    benchmark = [symbol_queries.best_ranks(query, "shop") for query in asked]

    audit = ask(
        make_set(
            shop,
            [
                (
                    query["query"],
                    [f"{t['path']}#{t['symbol']}" for t in query["targets"]],
                )
                for query in asked
            ],
        )
    )

    names = {"fused": "fusion"}
    ours = best_places(audit)
    assert [
        {stage: places[names.get(stage, stage)] for stage in ranks}
        for places, ranks in zip(ours, benchmark, strict=True)
    ] == benchmark
    assert any(rank and rank > 1 for ranks in benchmark for rank in ranks.values())


def test_ranks_of_files_are_those_of_the_benchmark(
    db: None, data_dir: object, encoder: object, make_repository: MakeRepository
) -> None:
    files: dict[str, str | bytes] = {
        cosqa.path_of(number): text for number, text in enumerate(FUNCTIONS)
    }
    index = indexing.register(name=cosqa.NAME, source=str(make_repository(files)))
    build = indexing.request_build(index=index, enqueue=False)
    indexing.finish_build(build=build)
    asked = [
        {"doc": doc, "retrieval_idx": number}
        for doc in ("count rows", "add a row to the cart", "mean")
        for number in range(len(FUNCTIONS))
    ]
    benchmark = [cosqa.ranks(query) for query in asked]

    audit = ask(
        make_set(
            build,
            [
                (str(query["doc"]), [cosqa.path_of(int(str(query["retrieval_idx"])))])
                for query in asked
            ],
            unit="file",
        )
    )

    names = {"fused": "fusion"}
    assert [
        {stage: places[names.get(stage, stage)] for stage in ranks}
        for places, ranks in zip(best_places(audit), benchmark, strict=True)
    ] == benchmark
    assert any(rank and rank > 1 for ranks in benchmark for rank in ranks.values())
