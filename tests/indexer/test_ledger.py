"""The ledger has one line for every tree entry, and its numbers add up."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from indexer import services
from indexer.access import ANYONE, COMMAND_LINE
from indexer.ledger import LedgerFilter, long_texts, read_ledger
from indexer.models import Build, Repository
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

pytestmark = pytest.mark.django_db

LONG = " ".join(f"word{number}" for number in range(200))
FILES: dict[str, str | bytes] = {
    "app.py": "def pay():\n    return 1\n",
    "logo.js": f"var logo = '{'QUJD' * 600}';\nfunction draw() {{ return logo; }}\n",
    "tests/test_app.py": f'def test_pay():\n    """{LONG}"""\n    assert 1\n',
    "README.md": "# Shop\n\nHow to pay.\n",
    "setup.cfg": "[tool]\nname = shop\n",
    "notes.log": "It was paid.\n",
    "de.po": 'msgid "pay"\n',
    "logo.png": b"\x89PNG\x00",
    ".env": "TOKEN=abc\n",
    "<b>&.py": "",
}


@pytest.fixture
def build(
    data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Build:
    index = services.register(name="shop", source=str(make_repository(FILES)))
    build = services.request_build(index=index, enqueue=False)
    return services.finish_build(build=build)


def paths(**wanted: str) -> list[str]:
    ledger = read_ledger(ANYONE, "shop", LedgerFilter(**wanted))
    assert ledger is not None
    return [file.path for file in ledger.files]


def test_the_numbers_add_up_to_the_tree(build: Build) -> None:
    ledger = read_ledger(ANYONE, "shop", LedgerFilter())

    assert ledger is not None
    assert ledger.counts == {
        "files": 10,
        "indexed": 6,
        "partial": 1,
        "skipped": 3,
        "chunks": 6,
        "over_length": 2,
    }
    assert [
        (group.outcome, group.mode, group.reason, group.files)
        for group in ledger.groups
    ] == [
        ("indexed", "symbol", None, 2),
        ("indexed", "section", None, 1),
        ("indexed", "file", None, 1),
        ("indexed", "window", None, 1),
        ("indexed", "data", None, 1),
        ("partial", "symbol", "long_line", 1),
        ("skipped", None, "binary", 1),
        ("skipped", None, "empty", 1),
        ("skipped", None, "secret", 1),
    ]


def test_files_are_listed_by_outcome_reason_mode_and_path(build: Build) -> None:
    assert len(paths()) == 10
    assert paths(outcome="skipped") == [".env", "<b>&.py", "logo.png"]
    assert paths(outcome="partial") == ["logo.js"]
    assert paths(reason="secret") == [".env"]
    assert paths(mode="section") == ["README.md"]
    assert paths(path="LOGO") == ["logo.js", "logo.png"]
    assert paths(path="%") == []


def test_a_line_says_what_was_left_out_and_how_a_file_is_marked(build: Build) -> None:
    ledger = read_ledger(ANYONE, "shop", LedgerFilter())

    assert ledger is not None
    files = {file.path: file for file in ledger.files}
    assert files["logo.js"].partial == [[1, 1]]
    assert files["tests/test_app.py"].marks == ["test"]
    assert files["<b>&.py"].path_url == "%3Cb%3E%26.py"


def test_texts_in_parts_are_listed(build: Build) -> None:
    listed = [
        (text.surface, text.path, text.symbol, text.parts) for text in long_texts(build)
    ]

    assert listed == [
        ("body", "tests/test_app.py", "test_pay", 3),
        ("purpose", "tests/test_app.py", "test_pay", 3),
    ]


def test_what_may_not_be_read_does_not_exist(build: Build) -> None:
    Repository.objects.update(visibility=Repository.Visibility.STAFF)

    assert read_ledger(ANYONE, "shop", LedgerFilter()) is None
    assert read_ledger(COMMAND_LINE, "shop", LedgerFilter()) is not None


def coverage(*arguments: str) -> str:
    output = StringIO()
    call_command("coverage", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_prints_counts_and_what_is_not_indexed_whole(build: Build) -> None:
    lines = coverage("shop").splitlines()

    assert lines[0] == (
        f"shop at {build.revision[:12]}, 10 files: 6 indexed, 1 partial, 3 skipped. "
        "6 chunks, 2 texts in parts."
    )
    assert lines[1] == "        2  indexed  by symbol   "
    assert lines[-4:] == [
        "skipped secret\t.env",
        "skipped empty\t<b>&.py",
        "partial long_line 1-1\tlogo.js",
        "skipped binary\tlogo.png",
    ]


def test_the_command_prints_json_of_the_files_asked_for(build: Build) -> None:
    found = json.loads(coverage("shop", "--json", "--reason", "long_line"))

    assert found["schema"] == 1
    assert found["counts"]["files"] == 10
    assert [file["path"] for file in found["files"]] == ["logo.js"]


def test_the_command_says_when_there_is_no_build() -> None:
    with pytest.raises(CommandError, match="no build of a repository called nowhere"):
        coverage("nowhere")
