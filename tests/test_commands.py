"""The commands of manage.py on a data folder that nothing has been done with yet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from indexer.management.base import DatabaseCommand

ROOT = Path(__file__).resolve().parent.parent
WITHOUT_TABLES = {"serve", "setup", "symbols"}  # They make them, or need none.


def test_every_command_of_ours_looks_for_its_tables() -> None:
    ours = {
        name: load_command_class(app, name)
        for name, app in get_commands().items()
        if app in ("codesearch", "indexer")
    }

    assert len(ours) > 10
    looking = {name for name, one in ours.items() if isinstance(one, DatabaseCommand)}
    assert ours.keys() - looking == WITHOUT_TABLES


def run(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own interpreter and script
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**os.environ, "CODESEARCH_DATA": str(data), "DATABASE_URL": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments", [["index", ".", "--wait"], ["search", "total"], ["verify"]]
)
def test_without_tables_it_says_what_makes_them(
    tmp_path: Path, arguments: list[str]
) -> None:
    done = run(tmp_path / "data", *arguments)

    assert done.returncode == 1
    said = "CommandError: The database is not up to date. Run `python manage.py setup`"
    assert done.stderr.startswith(said)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["setup"], ["serve"], ["search", "total"]])
def test_a_database_that_cannot_be_opened_is_told_in_a_sentence(
    tmp_path: Path, arguments: list[str]
) -> None:
    (tmp_path / "db.sqlite3").mkdir()

    done = run(tmp_path, *arguments)

    assert done.returncode == 1
    said = "CommandError: The database cannot be used: unable to open database file."
    assert done.stderr.startswith(said)
    assert len(done.stderr.splitlines()) == 1
