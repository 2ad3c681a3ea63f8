"""`manage.py symbols` prints what is extracted, for files outside any repository."""

from __future__ import annotations

import json
import os
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

CASES = Path(__file__).resolve().parent.parent / "cases" / "symbols"
EXPECTED = json.loads((CASES / "expected.json").read_text())["files"]


def read(path: Path) -> Any:  # Any: JSON
    output = StringIO()
    call_command("symbols", str(path), "--json", stdout=output)
    return json.loads(output.getvalue())


def test_a_folder_is_a_list_of_its_files_with_every_required_symbol() -> None:
    rows = {row["path"]: row for row in read(CASES / "files")}

    assert rows.keys() == EXPECTED.keys()
    missing = [
        (path, wanted["name"])
        for path, case in EXPECTED.items()
        for wanted in case.get("symbols", [])
        if wanted["level"] == "required"
        and wanted["name"] not in [symbol["name"] for symbol in rows[path]["symbols"]]
        and not set(wanted.get("aliases", []))
        & {symbol["name"] for symbol in rows[path]["symbols"]}
    ]
    assert missing == []
    skips = {path: row["skip"] for path, row in rows.items() if row["skip"]}
    assert skips == {
        path: case["skip"] for path, case in EXPECTED.items() if case.get("skip")
    }


def test_a_file_is_one_object() -> None:
    found = read(CASES / "files" / "py_decorators_stacked.py")

    assert (found["path"], found["language"]) == ("py_decorators_stacked.py", "python")
    assert found["symbols"][5] == {
        "name": "Money.zero",
        "kind": "method",
        "start_line": 31,
        "end_line": 33,
        "doc": None,
        "parent": "Money",
    }


def test_links_are_named_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "passwords.py").symlink_to("/etc/passwd")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "pay.py").write_text("def pay():\n    pass\n")

    rows = {row["path"]: row["skip"] for row in read(tmp_path)}

    assert rows == {"loop": "symlink", "passwords.py": "symlink", "pay.py": None}


def test_it_can_be_read_without_json_and_says_when_there_is_nothing() -> None:
    output = StringIO()
    call_command("symbols", str(CASES / "files" / "sh_functions.sh"), stdout=output)

    assert output.getvalue().startswith("sh_functions.sh (bash)\n")
    with pytest.raises(CommandError, match="There is nothing at"):
        call_command("symbols", "no/such/file")


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "pay.py").write_text("def pay():\n    pass\n")

    assert [row["path"] for row in read(tmp_path)] == ["pay.py"]


def test_a_terminal_is_not_sent_what_a_file_holds_unseen(tmp_path: Path) -> None:
    (tmp_path / "pay\x1b[2J.py").write_text('def pay():\n    """Pay\x1b]0;now."""\n')
    output = StringIO()

    call_command("symbols", str(tmp_path), stdout=output)

    assert "\x1b" not in output.getvalue()
    assert "pay\\x1b[2J.py" in output.getvalue()
