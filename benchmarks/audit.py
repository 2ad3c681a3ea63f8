"""Audit: how long a set of queries takes as an audit, against plain searches of them.

`python -m benchmarks.audit [--source DIR] [--json OUT]` indexes a folder (the installed
Django) as three repositories, as `benchmarks.latency` does, and asks 500 distinct
queries, the beginnings of the folder's own docstrings, each with a chunk of the first
copy as its target. First each is searched, after 20 others that warm the index; then
all are audited, in this process, from the request to the summary.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.indexed import data_folder, django_source, index_folder
from benchmarks.latency import WARMING, copies, own_queries, targets, timed
from benchmarks.records import Value, publish

if TYPE_CHECKING:  # Django is set up later.
    from codesearch.models import CaseSet

QUERIES = 500
NAME = "benchmark of audits"


def main() -> None:
    """Measure, print the table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with data_folder():
        source = options.source or django_source()
        for name in copies():
            index_folder(source, name=name)
        queries = own_queries()[: WARMING + QUERIES]
        searched = sum(timed(search_once, queries))
        audited, chunks = audit(queries[WARMING:])
    count = len(queries) - WARMING
    table: dict[str, dict[str, Value]] = {
        "search": row(searched, count, searched),
        "audit": row(audited, count, searched),
    }
    publish(options, {f"{count} queries, {chunks} chunks": table})


def search_once(query: str) -> None:
    """Search the copies."""
    from codesearch.services import search
    from indexer.access import COMMAND_LINE

    search(viewer=COMMAND_LINE, query=query, repositories=copies())


def audit(queries: Sequence[str]) -> tuple[float, int]:
    """Return the seconds of an audit of the queries, and of how many chunks it was.

    Raises SystemExit with the sentence of one that failed.
    """
    from codesearch.audits.running import finish_audit, request_audit
    from indexer.access import COMMAND_LINE

    case_set = make_set(queries)
    started = time.perf_counter()
    asked = request_audit(
        viewer=COMMAND_LINE, user=None, case_set=case_set, enqueue=False
    )
    done = finish_audit(audit=asked)
    seconds = time.perf_counter() - started
    if done.failure:
        raise SystemExit(done.failure)
    return seconds, sum(build["chunks"] for build in done.header["builds"])


def make_set(queries: Sequence[str]) -> CaseSet:
    """Return the set of the queries, made anew, each with a chunk as its target."""
    from codesearch.case_files.gathering import case_digest
    from codesearch.models import Case, CaseSet
    from indexer.models import Repository

    CaseSet.objects.filter(name=NAME).delete()
    found = CaseSet.objects.create(name=NAME, repository_count=len(copies()))
    found.repositories.set(Repository.objects.filter(name__in=copies()))
    pairs = zip(queries, targets(len(queries)), strict=True)
    Case.objects.bulk_create(
        Case(
            case_set=found,
            key=f"q{number}",
            query=query,
            targets=[target],
            is_synthetic=True,
            digest=case_digest(query, [target]),
        )
        for number, (query, target) in enumerate(pairs)
    )
    return found


def row(seconds: float, count: int, searches: float) -> dict[str, Value]:
    """Return the seconds, those of one query, and the ratio to plain searches."""
    return {
        "seconds": seconds,
        "ms a query": 1000 * seconds / count,
        "/ search": seconds / searches,
    }


if __name__ == "__main__":
    main()
