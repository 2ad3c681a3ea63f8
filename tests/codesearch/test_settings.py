"""A bad value stops the start with a sentence that names the variable."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def refusal(**variables: str) -> str:
    """Start with these variables; return the last line of what stopped it."""
    done = subprocess.run(  # noqa: S603 - a list, no shell
        [sys.executable, "-c", "import codesearch.settings"],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


def test_a_data_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    last = refusal(CODESEARCH_DATA=str(tmp_path / "file"))

    assert f"The data folder {tmp_path / 'file'} cannot be used: File exists" in last
    assert "CODESEARCH_DATA" in last


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("soon", "must be a number of seconds"),
        ("0", "is 0.0; set it to more than 0"),
        ("-1", "is -1.0; set it to more than 0"),
        ("inf", "must be a number of seconds"),
    ],
)
def test_a_time_for_the_cross_encoder_that_is_none_is_named(
    value: str, reason: str
) -> None:
    last = refusal(CODESEARCH_RERANK_SECONDS=value)

    assert last.endswith(f"CODESEARCH_RERANK_SECONDS {reason}")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("javascript:open({path})", "'javascript' is not the address of an editor"),
        ("vscode://file/", "Write {path} where the path of a file belongs."),
        ("vscode://file/{path}:{column}", "In braces only these are known"),
    ],
)
def test_what_is_no_address_of_an_editor_is_named(value: str, reason: str) -> None:
    last = refusal(CODESEARCH_EDITOR_URL=value)

    assert f"CODESEARCH_EDITOR_URL: {reason}" in last
