"""Each file is cut one way, and none of its lines is lost without a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.pipeline import parsing
from indexer.pipeline.blobs import BlobReader
from indexer.pipeline.build import Assembly
from indexer.pipeline.git import list_tree, snapshot_folder
from indexer.pipeline.packing import PlacedFile, pack
from indexer.pipeline.path_rule import rule_of
from indexer.pipeline.reading import (
    load_content,
    read_content,
    shown_source,
    skipped,
    unread_reason,
)
from indexer.pipeline.types import (
    NONE,
    FileMode,
    FileResult,
    SkipReason,
    Source,
    TreeEntry,
)
from tests.files import place_file, read_file

ROOT = Path(__file__).resolve().parents[3]
TEXT = "one\ntwo\nthree\n"


def read_entry(entry: TreeEntry, reader: BlobReader) -> FileResult:
    rule = rule_of(entry)
    if reason := unread_reason(entry, index_secrets=False):
        return skipped(rule, reason)
    return read_content(rule, load_content(reader, entry, rule), "symbol")


@pytest.mark.parametrize(
    ("path", "text", "mode", "kinds"),
    [
        ("a.py", "def f():\n    pass\n", "symbol", ["function"]),
        ("migrations/0001_a.py", "class Migration:\n    x = 1\n", "file", ["file"]),
        ("a.json", '{"a": 1}\n', "file", ["file"]),
        ("fixtures/a.json", '{"a": 1}\n', "data", []),
        ("README.md", "Text\n\n# A\n", "section", ["section", "section"]),
        ("docs/a.txt", ".. note:: x\n\nA\n===\n", "section", ["section", "section"]),
        ("a.log", "text\n", "window", ["window"]),
        ("a.py", "# only a comment\n", "symbol", ["module"]),
    ],
)
def test_a_file_is_cut_by_symbol_by_rule_or_by_window(
    path: str, text: str, mode: str, kinds: list[str]
) -> None:
    result = read_file(path, text)

    assert result.line.mode == mode
    assert [chunk.kind for chunk in result.chunks] == kinds


def test_the_baseline_profile_has_windows_only() -> None:
    assert read_file("a.json", '{"a": 1}\n', "window").line.mode is FileMode.WINDOW
    assert read_file("README.md", "# A\n", "window").line.mode is FileMode.WINDOW


def test_a_file_whose_only_line_was_left_out_is_still_in_the_ledger() -> None:
    text = f"image: {'QUJD' * 600}\n"

    result = read_file("a.yaml", text)

    assert result.chunks == ()
    assert (result.line.reason, result.line.partial) == ("long_line", ((1, 1),))


def test_a_one_thing_file_with_a_grammar_keeps_its_names() -> None:
    result = read_file("migrations/0001_a.py", "class Migration:\n    x = 1\n")

    assert result.defines == ("Migration",)
    assert result.chunks[0].symbol == ""


def test_a_file_its_parser_gave_up_is_windows_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parsing, "PARSE_SECONDS", -1.0)

    result = read_file("a.py", "def f():\n    return 1\n" * 1_000)

    assert result.line.mode is FileMode.WINDOW
    assert result.line.reason is SkipReason.PARSE_TIMEOUT
    assert result.defines == ()


@pytest.mark.parametrize("path", ["a.md", "a.yaml", "Dockerfile", "a.py"])
def test_no_rule_meets_a_file_that_its_reader_did_not_survive(path: str) -> None:
    crash = SkipReason.PARSE_CRASH

    result = read_file(path, "# a\n\nb: c\n", failure=crash)

    assert (result.line.mode, result.line.reason) == (FileMode.WINDOW, crash)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "import " * 140_000),
        ("a.ts", "export {" * 120_000),
        ("a.rs", "use " * 200_000),
        ("a.yaml", f"a{' ' * 60_000}\n"),
        ("Makefile", f"a{' ' * 60_000}\n"),
        ("a.txt", ":a" * 400_000),
    ],
)
def test_a_line_without_end_takes_no_time(path: str, text: str) -> None:
    crash = SkipReason.PARSE_CRASH  # Then all but the parser reads it here.

    read_file(path, text, failure=crash)

    if path != "a.rs":  # The grammar of Rust alone is given up after its seconds.
        assert read_file(path, text).line.reason is None


def test_no_line_of_this_project_is_lost(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror.git"
    revision = snapshot_folder(ROOT, mirror)
    entries = list_tree(mirror, revision)
    lost = []

    with BlobReader(mirror) as reader:
        for entry in entries:
            result = read_entry(entry, reader)
            if result.line.mode in (None, FileMode.DATA):
                continue
            source = shown_source(entry.path, reader.read(entry.oid))
            assert isinstance(source, Source)
            ranges = [*result.line.partial, *sum(result.line_spans, ())]
            covered = {n for a, b in ranges for n in range(a, b + 1)}
            lines = enumerate(source.text.split("\n"), 1)
            if any(line.strip() and number not in covered for number, line in lines):
                lost.append(entry.path)

    assert lost == []


def test_a_copy_names_the_first_in_order_of_path() -> None:
    files = [place_file(path, TEXT) for path in ("a.log", "b.log", "c.log")]

    assert Assembly(files).catalogue.duplicate_of.tolist() == [NONE, 0, 0]


def test_data_files_have_their_words_in_their_summary() -> None:
    assembly = Assembly([place_file("de.po", 'msgid "invoice"\n')])

    assert assembly.summaries() == ["de.po\nterms: invoic, msgid"]


@pytest.mark.parametrize(
    ("path", "reason", "place"),
    [(".env", "secret", None), ("dump.sql", "too_large", "dump.sql\nterms: hello")],
)
def test_no_secret_of_a_large_file_is_in_its_place(
    tmp_path: Path, path: str, reason: str, place: str | None
) -> None:
    folder, mirror = tmp_path / "folder", tmp_path / "mirror"
    folder.mkdir()
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + f"{'tokenword' * 7}\n" * 20_000
    (folder / path).write_text(f"hello\n{key}")
    revision = snapshot_folder(folder, mirror)
    (entry,) = list_tree(mirror, revision)

    with BlobReader(mirror) as reader:
        result = read_entry(entry, reader)

    assembly = Assembly([PlacedFile(entry, pack(result))])
    assert result.line.reason == reason
    assert assembly.summaries() == ([place] if place else [])
