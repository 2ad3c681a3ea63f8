"""Latency: how long one search takes, with vectors and without.

`python -m benchmarks.latency [--source DIR] [--queries FILE] [--semble PYTHON]
[--json OUT]` indexes a folder (the installed Django) and asks 600 distinct queries,
each once, so that no cache of queries helps; 20 others come before, so that the index
is warm. It asks them again of three copies of the folder, registered apart. The queries
are the beginnings of the folder's own docstrings, the same at every run; FILE has
others, one `{"query"}` a line. Beside it, in the same run: rank_bm25 over the same
chunks and terms, and semble. Of the copies each query is also traced with a target, a
chunk of the first chosen by its number, and asked what other settings do with it.
Without vectors is an index of the same folder under a
profile that has none; `manage.py search` is timed on it, in processes of its own.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks.baselines import rank_bm25_scores, run_semble
from benchmarks.indexed import (
    data_folder,
    django_source,
    index_folder,
    lexical_profile,
)
from benchmarks.records import ROOT, Value, publish, read_lines
from indexer.pipeline.terms import tokenize, words

QUERIES = 600
WARMING = 20
WORDS = (3, 10)  # At least and at most, of a query.
STARTS = 5  # Of processes; the middle one counts.
REPOSITORY = "latency"
COPIES = 3  # Of the folder, searched at once: Django's are then some 43,000 chunks.


def main() -> None:
    """Measure, print the tables, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--queries", type=Path)
    parser.add_argument("--semble", metavar="PYTHON")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with data_folder():
        source = options.source or django_source()
        for name in copies():
            index_folder(source, name=name)
            index_folder(source, name=name, profile=lexical_profile())
        queries = own_queries()
        if options.queries:
            rows = read_lines(options.queries)
            asked = dict.fromkeys(row["query"] for row in rows)
            queries = [*queries[:WARMING], *(q for q in asked if q not in queries)]
        seconds = measure(queries)
        semble = run_semble(options.semble, source, queries)
        cold = [*map(cold_start, queries[:STARTS])]
        title = f"{len(queries) - WARMING} queries, {chunk_count()} chunks"
    table = compare(seconds)
    table["semble"] = (
        line(semble.seconds[WARMING:]) if semble.seconds else {"p50 ms": semble.note}
    )
    starts: dict[str, Value] = {"seconds": statistics.median(cold), "of": len(cold)}
    publish(options, {title: table, "cold start": {"manage.py search": starts}})


def copies() -> list[str]:
    """Return the names under which the folder is indexed."""
    return [REPOSITORY, *(f"{REPOSITORY}-{n}" for n in range(2, COPIES + 1))]


def own_queries(
    repository: str = REPOSITORY, wanted: int = WARMING + QUERIES
) -> list[str]:
    """Return distinct queries: first words of docstrings, spread over the folder."""
    from benchmarks.stages import indexed_purposes

    found: dict[str, None] = {}
    for purpose in indexed_purposes(repository):
        lines = purpose.splitlines()[2:]  # After the context line and the signature.
        doc = next((line for line in lines if not line.startswith("@")), "")
        query = " ".join(words(doc)[: WORDS[1]])
        if len(query.split()) >= WORDS[0]:
            found[query] = None
    step = max(1, len(found) // wanted)
    return [*found][::step][:wanted]


def measure(queries: Sequence[str]) -> dict[str, list[float]]:
    """Return the seconds of each way to search, one a query."""
    from benchmarks.stages import indexed_bodies
    from codesearch.services import search
    from indexer.access import COMMAND_LINE

    found = {}
    for kind, names in (("", [REPOSITORY]), (f", {COPIES} copies", copies())):
        ask = partial(search, viewer=COMMAND_LINE, repositories=names)
        without = partial(ask, profile=lexical_profile())
        for way, call in (("search", ask), ("search, lexical", without)):
            found[way + kind] = timed(partial(_ask, call), queries)
    found |= measure_traces(queries)
    scores = rank_bm25_scores([tokenize(body) for body in indexed_bodies(REPOSITORY)])
    found["rank_bm25"] = timed(lambda query: scores(tokenize(query)), queries)
    return found


def measure_traces(queries: Sequence[str]) -> dict[str, list[float]]:
    """Return the seconds of a trace and of a what-if step, one a query, of the copies.

    A step follows the trace of its query, as on the page: its raw scores are known. It
    is two settings turned, and every knob asked what it can do.
    """
    from codesearch.config_forms import read_settings
    from codesearch.exploring import what_if
    from codesearch.services import trace
    from indexer.access import COMMAND_LINE

    config = read_settings(["pool=214", "weight.bm25=2"])
    wishes = dict(zip(queries, targets(len(queries)), strict=True))

    ask = partial(trace, viewer=COMMAND_LINE, repositories=copies())
    turn = partial(what_if, viewer=COMMAND_LINE, repositories=copies(), config=config)

    def follow(query: str) -> None:
        ask(query=query, targets=[wishes[query]])

    def ask_what_if(query: str) -> None:
        turn(query=query, targets=[wishes[query]])

    kind = f", {COPIES} copies"
    found: dict[str, list[float]] = {"trace" + kind: [], "what-if step" + kind: []}
    for query in queries:  # In turn: the scores of a few queries only are kept.
        for name, call in zip(found, (follow, ask_what_if), strict=True):
            started = time.perf_counter()
            call(query)
            found[name].append(time.perf_counter() - started)
    return {name: seconds[WARMING:] for name, seconds in found.items()}


def targets(count: int) -> list[str]:
    """Return as many chunks of the first copy, spread over it, as targets."""
    from benchmarks.stages import current_build
    from codesearch.targets import candidate

    build = current_build(REPOSITORY)
    step = max(1, build.chunk_count // count)
    chunks = build.chunks.select_related("file", "build__index__repository")
    wanted = chunks.filter(ordinal__in=range(0, step * count, step)).order_by("ordinal")
    return [candidate(chunk)["target"] for chunk in wanted]


def _ask(call: Callable[..., object], query: str) -> None:
    call(query=query)


def timed(call: Callable[[str], object], queries: Iterable[str]) -> list[float]:
    """Return the seconds of each call but the warming ones."""
    seconds = []
    for query in queries:
        started = time.perf_counter()
        call(query)
        seconds.append(time.perf_counter() - started)
    return seconds[WARMING:]


def compare(seconds: Mapping[str, Sequence[float]]) -> dict[str, dict[str, Value]]:
    """Return the percentiles of each, and the median against rank_bm25's."""
    base = statistics.median(seconds["rank_bm25"])
    return {
        name: {**line(found), "p50 / rank_bm25": statistics.median(found) / base}
        for name, found in seconds.items()
    }


def line(seconds: Sequence[float]) -> dict[str, Value]:
    """Return the median and the 95th percentile in milliseconds."""
    return {
        "p50 ms": 1000 * statistics.median(seconds),
        "p95 ms": 1000 * statistics.quantiles(seconds, n=20)[-1],
    }


def cold_start(query: str) -> float:
    """Return the seconds that `manage.py search` takes in a fresh process, lexical."""
    command = [sys.executable, "manage.py", "search", query]
    command += ["--repository", REPOSITORY, "--profile", lexical_profile()]
    started = time.perf_counter()
    subprocess.run(  # noqa: S603 - a list, no shell
        command, cwd=ROOT, check=True, capture_output=True
    )
    return time.perf_counter() - started


def chunk_count() -> int:
    """Return the chunks that each query is asked of."""
    from benchmarks.stages import current_build

    return current_build(REPOSITORY).chunk_count


if __name__ == "__main__":
    main()
