"""Faults: each process is killed in each stage of a build, and all must end well.

`python -m benchmarks.faults [--source DIR] [--seed N] [--kills N] [--stages NAME ...]
[--processes NAME ...] [--json OUT]` starts a whole `serve` on a repository made of the
files of DIR (the installed `django/utils`). For each stage and each process it commits,
indexes, and sends `kill -9` at a random moment of the stage; then the build must end
ready, `manage.py verify` find nothing, and a checker compare hits with `git show`.
A thread searches all the while: it may find the site down after the web server or
`serve` was killed, until it answers again, and never a wrong line or an error.

A stage that was over before the kill is tried again with a new commit, and told. The
seconds to recover are from the kill until the build was ready; of a worker's process
they hold its lease, which runs out after a minute.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.checker import Checker, over_http
from benchmarks.commits import Source
from benchmarks.indexed import share_models
from benchmarks.killing import (
    NAME,
    PROCESSES,
    STAGES,
    Kill,
    Stack,
    kill_once,
    undisturbed,
)
from benchmarks.records import Table, Value, publish
from benchmarks.searcher import Searcher
from benchmarks.truth import Truth, make_queries

TRIES = 6  # For one kill, where the stage is short.
QUERIES = 120  # Of the thread that searches on and on.


def main() -> None:
    """Kill, print the tables, write the record; exit with 1 if one did not recover."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=STAGES)
    parser.add_argument("--processes", nargs="+", choices=PROCESSES, default=PROCESSES)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    share_models()
    with tempfile.TemporaryDirectory() as folder:
        source = Source(options.source or utils(), Path(folder) / "repository")
        title = f"seconds of a stage, {len(source_files(source))} files"
        stack = Stack(Path(folder) / "data", source)
        try:
            kills, searcher, stages = run(stack, options)
        finally:
            stack.stop()
    publish(
        options,
        {
            title: stages,
            "kill -9: recovered, and the median seconds to it": table(kills),
            "searches meanwhile": searched(searcher),
        },
        kills=[asdict(kill) for kill in kills],
        wrong=[str(wrong) for wrong in searcher.wrong],
    )
    if searcher.wrong or not all(kill.recovered for kill in kills):
        raise SystemExit(1)


def utils() -> Path:
    """Return the folder of the installed `django.utils`: 90 files, 900 chunks."""
    import django.utils

    return Path(django.utils.__file__).parent


def source_files(source: Source) -> list[bytes]:
    """Return the paths of the repository."""
    truth = Truth(source.folder)
    return truth.paths(truth.head())


def run(
    stack: Stack, options: argparse.Namespace
) -> tuple[list[Kill], Searcher, dict[str, dict[str, Value]]]:
    """Index twice without a fault, then kill each process in each stage."""
    stack.wait_for_end(stack.index())
    stack.source.move()
    seconds = undisturbed(stack, stack.index())
    say(f"undisturbed: {seconds}")
    truth = Truth(stack.source.folder)
    queries = make_queries(truth, QUERIES, options.seed)
    searcher = Searcher(Checker(over_http(stack.url), truth, NAME), queries)
    kills: list[Kill] = []
    with searcher.searching():
        for stage in options.stages:
            if not seconds[stage]:
                say(f"{stage} is left out: no build was seen in it")
                continue
            for process in options.processes:
                for number in range(options.kills):
                    seed = f"{options.seed}:{stage}:{process}:{number}"
                    kills += kill_surely(stack, searcher, stage, process, seconds, seed)
    stages: dict[str, dict[str, Value]] = {
        stage: {"seconds": value} for stage, value in seconds.items()
    }
    return kills, searcher, stages


def kill_surely(
    stack: Stack,
    searcher: Searcher,
    stage: str,
    process: str,
    seconds: dict[str, float],
    seed: str,
) -> list[Kill]:
    """Try until the stage is hit; return all kills, those that came late as well."""
    chance = random.Random(seed)  # noqa: S311 - not a secret
    kills: list[Kill] = []
    for attempt in range(TRIES):
        # A stage of hundredths of a second is hit at its begin or not at all.
        within = seconds[stage] / (1 + attempt)
        try:
            found = kill_once(
                stack, searcher, stage, process, within=within, chance=chance
            )
        except (AssertionError, OSError, subprocess.CalledProcessError) as error:
            found = broken(stage, process, error)
            stack.stop()
            stack.revive()
        kills.append(found)
        say(describe(found, seed))
        if found.hit == stage:
            break
    return kills


def broken(stage: str, process: str, error: Exception) -> Kill:
    """Return a kill after which the site did not come back by itself."""
    return Kill(stage, process, 0.0, stage, 0.0, "broken", str(error), 0, "", ())


def describe(kill: Kill, seed: str) -> str:
    """Return one kill as a line."""
    hit = "in time" if kill.hit == kill.stage else f"late: {kill.hit or 'not at all'}"
    end = "recovered" if kill.recovered else f"NOT recovered: {kill}"
    return (
        f"seed {seed} kill {kill.process} in {kill.stage} after {kill.delay:.3f} s "
        f"({hit}): {end}, {kill.seconds:.1f} s"
    )


def table(kills: Sequence[Kill]) -> Table:
    """Return how many of each stage and process recovered, and how soon."""
    rows: dict[str, dict[str, Value]] = {}
    for stage in STAGES:
        for process in PROCESSES:
            hit = [k for k in kills if (k.hit, k.process) == (stage, process)]
            if hit:
                well = sum(kill.recovered for kill in hit)
                median = statistics.median(kill.seconds for kill in hit)
                cell = f"{well} of {len(hit)}, {median:.1f} s"
                rows.setdefault(stage, {})[process] = cell
    return rows


def searched(searcher: Searcher) -> Table:
    """Return what the thread asked and what it found."""
    tally = searcher.checker.tally
    return {
        "in all": {
            "answers": searcher.answered,
            "while the site was down": searcher.refused,
            "hits compared": tally.hits,
            "lines compared": tally.lines,
            "indexed texts compared": tally.texts,
            "wrong": len(searcher.wrong),
        }
    }


def say(line: str) -> None:
    """Print a line now."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
