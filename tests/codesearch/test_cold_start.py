"""A search from cold imports what it needs, and what takes seconds only then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT, MakeRepository

HEAVY = "torch transformers sentence_transformers faiss tree_sitter"
SEARCH = f"""
import sys
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", *sys.argv[1:]])
print("loaded:", *(name for name in {HEAVY.split()} if name in sys.modules))
"""


def run(data: Path, *arguments: str, model: str) -> str:
    environment = {
        **os.environ,
        "CODESEARCH_DATA": str(data),
        "CODESEARCH_MODEL": model,
    }
    return subprocess.run(  # noqa: S603 - our own interpreter and command
        [sys.executable, "-c", SEARCH, *arguments],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_an_index_without_vectors_is_searched_without_a_model(
    tmp_path: Path, make_repository: MakeRepository
) -> None:
    source = make_repository({"a.py": "def total(rows):\n    return len(rows)\n"})
    run(tmp_path, "migrate", "--verbosity=0", model="none")
    indexed = run(tmp_path, "index", str(source), "--wait", model="none")

    found = run(tmp_path, "search", "total", "--json", model="packaged")

    assert indexed.endswith("loaded: tree_sitter\n")
    assert '"text": "def total(rows):' in found
    assert '"note": "no embedding model is configured"' in found
    assert found.endswith("\nloaded:\n")
