"""A bad value stops the start with a sentence that names the variable."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_a_data_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    done = subprocess.run(  # noqa: S603 - a list, no shell
        [sys.executable, "-c", "import codesearch.settings"],
        cwd=ROOT,
        env=os.environ | {"CODESEARCH_DATA": str(tmp_path / "file")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert f"The data folder {tmp_path / 'file'} cannot be used: File exists" in last
    assert "CODESEARCH_DATA" in last
