"""What is kept of a file depends on its content and the rule of its path alone."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.pipeline import reading_version
from indexer.pipeline.packing import from_bytes, pack, to_bytes
from indexer.pipeline.path_rule import PathRule, rule_of
from indexer.pipeline.reading_version import file_key
from indexer.pipeline.types import SkipReason
from tests.files import entry_of, read_file

ROOT = Path(__file__).resolve().parents[3]
CODE = '''"""Money."""
from shop.till import Till


class Cart:
    """Hold what is bought by a customer."""

    def pay(self, größe):
        return "\udce9"


def pay(x):
    """Pay the bill of one customer. Or not."""
    return x
'''
TEXTS = {
    "a.py": CODE.replace("\udce9", "é"),
    "a.md": "Before.\n\n# Shop\n\nHow to pay.\n",
    "a.log": "one\ntwo\nthree\n",
    "a.json": '{"name": "shop"}\n',
    "de.po": 'msgid "invoice"\n',
    "a.yaml": f"image: {'QUJD' * 600}\nb: 1\n",
}


def rule(path: str) -> PathRule:
    return rule_of(entry_of(path, 100))


@pytest.mark.parametrize("path", TEXTS)
def test_a_packed_file_is_read_back_as_it_was_written(path: str) -> None:
    written = pack(read_file(path, TEXTS[path]))

    assert from_bytes(to_bytes(written)) == written


def test_a_file_that_failed_is_read_back_with_its_reason() -> None:
    result = read_file("a.py", CODE[:20], failure=SkipReason.PARSE_CRASH)

    assert from_bytes(to_bytes(pack(result))).line == result.line


@pytest.mark.parametrize(
    ("path", "moved"),
    [
        ("a.py", "shop/tests/test_money.py"),
        ("a.py", "vendor/x/setup_pb2.py"),
        ("a.log", "deep/er/a.log"),
        ("a.json", "conf/package.json"),
        ("de.po", "locale/fr/LC_MESSAGES/django.po"),
        ("a.md", "docs/guide/a.md"),
    ],
)
def test_a_file_that_moves_is_found_again_and_is_the_same(
    path: str, moved: str
) -> None:
    assert rule(path) == rule(moved)
    text = TEXTS[path]
    assert to_bytes(pack(read_file(path, text))) == to_bytes(
        pack(read_file(moved, text))
    )


@pytest.mark.parametrize(
    ("path", "other"),
    [
        ("a.py", "a.txt"),  # another language
        ("a.py", "migrations/0001_a.py"),  # one thing
        ("a.json", "fixtures/a.json"),  # data
        ("a.md", "b.md"),  # called otherwise above its first heading
        ("a.txt", "requirements.txt"),  # one thing, without a grammar
        ("run", "run.h"),  # a shebang counts, or what several languages share
    ],
)
def test_a_name_that_changes_the_rule_changes_the_key(path: str, other: str) -> None:
    first, second = (
        file_key("0" * 40, rule(one), "symbol", index_secrets=False)
        for one in (path, other)
    )

    assert first != second


def test_everything_that_reading_depends_on_is_in_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = rule("a.py")
    keys = [
        file_key("0" * 40, asked, "symbol", index_secrets=False),
        file_key("1" * 40, asked, "symbol", index_secrets=False),
        file_key("0" * 40, asked, "window", index_secrets=False),
        file_key("0" * 40, asked, "symbol", index_secrets=True),
    ]
    monkeypatch.setattr(reading_version, "reading_version", lambda: "newer")
    keys.append(file_key("0" * 40, asked, "symbol", index_secrets=False))

    assert len(set(keys)) == 5
    assert {len(key) for key in keys} == {32}


@pytest.mark.parametrize("seed", ["0", "1", "77"])
def test_no_hash_seed_changes_a_byte(seed: str, tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from indexer.pipeline.build import Assembly\n"
        "from tests.files import place_file\n"
        "paths = sorted(Path('indexer/pipeline').glob('[p-t]*.py'))\n"
        "files = [place_file(str(p), p.read_text()) for p in paths]\n"
        "files.append(place_file('z.po', 'msgid \"pay the bill\"'))\n"
        "Assembly(files).write(Path(sys.argv[1]), {})\n"
    )
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder, own in zip(folders, ("12345", seed), strict=True):
        folder.mkdir()
        subprocess.run(  # noqa: S603 - our own interpreter and script
            [sys.executable, "-c", script, str(folder)],
            env={"PATH": os.environ["PATH"], "PYTHONHASHSEED": own},
            cwd=ROOT,
            check=True,
        )

    assert digests(folders[0]) == digests(folders[1])


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }
