"""Whatever is killed in whatever stage: the build ends whole, and no line is wrong.

A real broker, a real worker, a real web server and the packaged model. This is the
small version of `python -m benchmarks.faults`, which kills each process in each stage.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.checker import Checker, over_http
from benchmarks.commits import Source
from benchmarks.damage import layer_of
from benchmarks.killing import NAME, STAGES, Stack, final_check, kill_in
from benchmarks.searcher import Searcher
from benchmarks.truth import Truth, make_queries
from tests.terminal import ROOT
from tests.test_lifecycle import write_module

FUNCTIONS = 300
SEED = 7


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    files = tmp_path / "files"
    files.mkdir()
    for number in range(10):
        text = write_module(FUNCTIONS // 10).replace("convert", f"convert_{number}")
        (files / f"money_{number}.py").write_text(text)
    stack = Stack(tmp_path / "data", Source(files, tmp_path / "repository"))
    yield stack
    stack.stop()


# What is killed in which stage of one build, and of the next.
PLANS = (
    {"reading": "worker", "lexical": "broker", "purposes": "pool", "bodies": "web"},
    {"fetching": "pool", "lexical": "web", "purposes": "worker", "bodies": "broker"},
)


def test_no_kill_leaves_a_broken_build_or_shows_a_wrong_line(stack: Stack) -> None:
    chance = random.Random(SEED)  # noqa: S311 - not a secret
    stack.wait_for_end(stack.index())
    truth = Truth(stack.source.folder)
    checker = Checker(over_http(stack.url), truth, NAME)
    hits = []

    searcher = Searcher(checker, make_queries(truth, 40, SEED))
    with searcher.searching():
        for plan in PLANS:
            stack.source.move()
            build = stack.index()
            for stage, process in plan.items():
                delay = chance.uniform(0, 0.05)
                hits.append(kill_in(stack, searcher, build, stage, process, delay))
                stack.revive()
            row = stack.wait_for_end(build)
            searcher.may_fail.clear()
            assert (row["status"], row["failure"]) == ("ready", ""), (
                stack.terminal.lines
            )
            assert stack.verify() == ""
            assert final_check(stack, SEED) == []

    assert searcher.wrong == []
    assert searcher.answered > 10
    # One whose stage is over too soon kills nothing of it; most do.
    assert sum(hit in STAGES for hit in hits) >= len(hits) / 2


def test_a_damaged_file_of_each_kind_is_made_anew(tmp_path: Path) -> None:
    source, record = tmp_path / "files", tmp_path / "damage.json"
    source.mkdir()
    for number in range(3):
        (source / f"money_{number}.py").write_text(write_module(5 + number))

    command = [sys.executable, "-m", "benchmarks.damage", "--source", str(source)]
    done = subprocess.run(  # noqa: S603 - a list, no shell
        [*command, "--each", "1", "--seed", str(SEED), "--json", str(record)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = json.loads(record.read_text())["outcomes"]
    assert {layer_of(one["file"]) for one in outcomes} >= {
        "lexical",
        "summary",
        "purpose",
        "body",
    }
    assert {one["damage"] for one in outcomes} == {
        "one bit",
        "half",
        "one byte",
        "deleted",
    }
    assert all(one["said"] for one in outcomes if one["file"].startswith("builds/"))
