"""Baselines: whole files by score; one that cannot run says so and is not left out."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from benchmarks import baselines
from benchmarks.metrics import LAST, Found

TEXTS = {
    "mail.py": "def send(letter): post(letter)",
    "money.py": "def format_money(amount): return amount",
    "rows.py": "def total(rows): return sum(rows)",
}


def write(folder: Path) -> None:
    for path, text in TEXTS.items():
        (folder / path).write_text(text)


def test_each_bm25_puts_the_file_with_the_word_first(tmp_path: Path) -> None:
    found = baselines.file_baselines(tmp_path, TEXTS)

    for name in ("rank_bm25, whole files", "bm25s, whole files"):
        ask = found[name]
        assert not isinstance(ask, str)
        assert ask("post a letter") == [Found("mail.py", 1, LAST)]
        assert ask("kubernetes") == []


def test_without_ripgrep_its_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)

    found = baselines.ripgrep(tmp_path, TEXTS)

    assert found == "not run: there is no rg on the path"


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
def test_ripgrep_counts_distinct_whole_words_in_any_case(tmp_path: Path) -> None:
    write(tmp_path)

    ask = baselines.ripgrep(tmp_path, TEXTS)

    assert not isinstance(ask, str)
    assert [hit.path for hit in ask("RETURN the rows")] == ["rows.py", "money.py"]


def test_without_an_interpreter_semble_says_so(tmp_path: Path) -> None:
    assert baselines.run_semble(None, tmp_path, []).note == (
        "not run: no --semble was given"
    )


def test_an_interpreter_that_has_no_semble_says_so(tmp_path: Path) -> None:
    found = baselines.run_semble(sys.executable, tmp_path, ["send"])

    assert found.note == "not run: ModuleNotFoundError: No module named 'semble'"
    assert not found.chunks
    assert not found.files
