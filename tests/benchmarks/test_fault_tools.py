"""What the fault benchmarks do to a build, and how they measure, is what they say."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.commits import Source
from benchmarks.damage import DAMAGES
from benchmarks.faults import table
from benchmarks.killing import Kill, stage_of
from benchmarks.memory import tree_pss
from benchmarks.truth import Truth

DATA = bytes(range(8))


@pytest.fixture
def source(tmp_path: Path) -> Source:
    (tmp_path / "files").mkdir()
    for number in range(4):
        (tmp_path / "files" / f"a{number}.py").write_text("x = 1\n")
    return Source(tmp_path / "files", tmp_path / "repository")


def test_a_flipped_bit_is_one_bit() -> None:
    spoiled = DAMAGES["one bit"](DATA, random.Random(1))  # noqa: S311

    assert spoiled is not None
    assert len(spoiled) == len(DATA)
    assert sum((a ^ b).bit_count() for a, b in zip(DATA, spoiled, strict=True)) == 1


def test_a_cut_file_is_shorter_and_a_deleted_one_is_none() -> None:
    chance = random.Random(1)  # noqa: S311

    assert DAMAGES["half"](DATA, chance) == DATA[:4]
    assert DAMAGES["one byte"](DATA, chance) == DATA[:7]
    assert DAMAGES["deleted"](DATA, chance) is None


def test_a_move_changes_every_path_and_a_change_some_files(source: Source) -> None:
    truth = Truth(source.folder)
    first = truth.head()

    source.move()
    source.change(files=2)

    assert truth.paths(first)[0] == b"v0/a0.py"
    texts = {path: truth.text(truth.head(), path) for path in truth.paths("HEAD")}
    changed = "x = 1\n\n\ndef added_1():\n    return 1\n"
    assert texts == {
        b"v1/a0.py": changed,
        b"v1/a1.py": "x = 1\n",
        b"v1/a2.py": changed,
        b"v1/a3.py": "x = 1\n",
    }


def test_a_build_is_in_a_stage_only_while_it_runs() -> None:
    running = {"status": "running", "stage": "bodies"}

    assert stage_of(running) == "bodies"
    assert stage_of({**running, "status": "queued"}) == ""
    assert stage_of({**running, "status": "ready", "stage": "done"}) == ""
    assert stage_of({}) == ""


def test_a_kill_is_counted_where_it_hit() -> None:
    def kill(hit: str, status: str, seconds: float) -> Kill:
        return Kill("reading", "pool", 0.1, hit, seconds, status, "", 1, "", ())

    kills = [
        kill("reading", "ready", 3.0),
        kill("reading", "failed", 5.0),
        kill("lexical", "ready", 1.0),
    ]

    assert table(kills) == {
        "reading": {"pool": "1 of 2, 4.0 s"},
        "lexical": {"pool": "1 of 1, 1.0 s"},
    }


@pytest.mark.skipif(sys.platform != "linux", reason="of /proc")
def test_memory_is_that_of_the_whole_tree() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE):
        both = sum(tree_pss(os.getpid()).values())

    assert both > sum(tree_pss(os.getpid()).values()) > 5
