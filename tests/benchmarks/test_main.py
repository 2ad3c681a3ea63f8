"""All benchmarks: what has its inputs runs, what lacks one is left out and named."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks.records import ROOT
from benchmarks.report import README


def test_make_hands_on_every_input() -> None:
    lines = (ROOT / "Makefile").read_text("utf-8").splitlines()

    assert f"INPUTS := {' '.join(benchmarks.INPUTS)}" in lines


def test_what_needs_no_data_lacks_nothing() -> None:
    ready = [name for name in benchmarks.RUNS if not benchmarks.missing(name, {})]

    assert ready == [
        "first_hits",
        "parsing",
        "runtimes",
        "dilution",
        "exact",
        "details",
        "champions",
        "windows",
        "indexing",
        "memory",
        "damage",
        "full",
        "latency",
        "keystrokes",
        "audit",
        "exact_search",
    ]


def test_every_missing_input_is_named() -> None:
    given = {"checkouts": "/c"}

    assert benchmarks.missing("file_queries", given) == ["file_queries"]
    assert benchmarks.missing("cosqa", given) == ["cosqa", "cosqa_codes"]


def test_a_path_with_a_space_stays_one_argument() -> None:
    given = {"checkouts": "/my files", "file_queries": "/q", "semble": "/py"}

    assert benchmarks.arguments("file_queries", given) == [
        "benchmarks.file_queries",
        "--queries",
        "/q",
        "--checkouts",
        "/my files",
        "--semble",
        "/py",
    ]


def test_a_benchmark_that_lacks_something_is_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert benchmarks.run("symbols", {}, tmp_path)
    assert capsys.readouterr().out == "== symbols is left out: it needs symbols\n"


@pytest.mark.parametrize("name", benchmarks.RUNS)
def test_a_benchmark_is_a_module_and_has_its_place_in_the_tables(name: str) -> None:
    module = benchmarks.RUNS[name].split()[0]

    assert find_spec(f"benchmarks.{module}")
    assert f"<!-- {name} -->\n" in README.read_text()
    assert f"<!-- /{name} -->" in README.read_text()
