"""Exact search: the texts of a build are kept once, found line by line, and told of."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from indexer import exact, garbage, services
from indexer.engines import exact as engine
from indexer.engines.exact import BuildTexts
from indexer.exact import (
    build_texts,
    builds_without_texts,
    keep_missing_texts,
)
from indexer.models import Build, Index
from indexer.opened import open_build
from indexer.pipeline.full_texts import FullTexts
from indexer.pipeline.literals import Integers, Pattern, matching_lines
from indexer.places import bytes_in, disk_usage, full_texts_of, mirror_of
from indexer.removal import remove_repository
from tests.conftest import MakeRepository, build_all, run_git
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]

MONEY = "import os\n\n\ndef pay(x):\n    return x\n\n\ndef owe(x):\n    return x\n"
FILES: dict[str, str | bytes] = {
    "money.py": MONEY,
    "copy.py": MONEY,
    "windows.txt": b"one\r\nreturn two\r\nthree\r\n",
    "words.po": 'msgid "return"\nmsgstr ""\n',
    "book.ipynb": '{"cells": [{"cell_type": "code", "source": ["return_it()"]}]}',
    "logo.png": b"\x89PNG\x00return",
    "empty.py": "",
}


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository(FILES)


@pytest.fixture
def index(source: Path, encoder: WordEncoder) -> Index:
    return services.register(name="shop", source=str(source))


@pytest.fixture
def build(index: Index) -> Build:
    return build_all(index)


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The texts that RE2 was asked of, in order."""
    asked: list[bytes] = []

    def note(pattern: Pattern, data: bytes) -> Integers:
        asked.append(data)
        return matching_lines(pattern, data)

    monkeypatch.setattr(engine, "matching_lines", note)
    return asked


def fresh(build: Build) -> Build:
    """The build as another process would load it."""
    return Build.objects.select_related("index__repository").get(pk=build.pk)


def paths_of(build: Build) -> list[bytes]:
    catalogue = open_build(build, None).lexical.catalogue
    return [file.path for file in catalogue.files]


def open_texts(build: Build) -> BuildTexts:
    return build_texts(fresh(build), paths_of(build))


def find(build: Build, text: str, **options: bool) -> dict[str, list[int]]:
    """The matching lines by path."""
    found = open_texts(build).find(Pattern(text, **options))
    paths = [path.decode() for path in paths_of(build)]
    lines: dict[str, list[int]] = {}
    for file, line in zip(found.files.tolist(), found.lines.tolist(), strict=True):
        lines.setdefault(paths[file], []).append(line)
    return lines


def kept(build: Build) -> FullTexts:
    return FullTexts(full_texts_of(build.index.repository))


def test_every_line_of_every_indexed_text_is_found(build: Build) -> None:
    assert find(build, "RETURN") == {
        "book.ipynb": [2],
        "copy.py": [5, 9],
        "money.py": [5, 9],
        "windows.txt": [2],
        "words.po": [1],
    }
    assert find(build, "^return.*o$", is_regex=True, has_case=True) == {
        "windows.txt": [2]
    }
    assert find(build, "r", has_case=True)["windows.txt"] == [2, 3]


def test_equal_files_are_kept_once(build: Build) -> None:
    assert len(kept(build).known().ids) == 4
    assert open_texts(build).file_count == 5
    assert open_texts(build).missing == 0


def test_lines_are_counted_by_the_chunks_whose_own_they_are(build: Build) -> None:
    catalogue = open_build(build, None).lexical.catalogue

    counts = open_texts(build).find(Pattern("return")).counts(catalogue)

    by_chunk = {
        (catalogue.files[file].path.decode(), catalogue.symbols[ordinal]): count
        for file, start in enumerate(catalogue.file_starts[:-1].tolist())
        for ordinal, count in enumerate(
            counts[start : catalogue.file_starts[file + 1]].tolist(), start
        )
    }
    assert by_chunk[("money.py", "pay")] == 1
    assert by_chunk[("money.py", "owe")] == 1
    assert by_chunk[("money.py", "")] == 0
    assert sum(by_chunk.values()) == 6


def test_a_commit_adds_what_is_new_and_reads_nothing_else(
    index: Index, build: Build, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source / "money.py").write_text("def pay(x):\n    return None\n")
    run_git(source, "commit", "-qam", "change")
    added: list[int] = []
    add = FullTexts.add

    def count(self: FullTexts, texts: dict[str, str]) -> None:
        added.append(len(texts))
        add(self, texts)

    monkeypatch.setattr(FullTexts, "add", count)

    newer = build_all(index)

    assert added == [1]
    assert find(newer, "None") == {"money.py": [2]}
    assert find(build, "None") == {}
    assert find(build, "owe")["money.py"] == [8]


def test_what_a_step_has_no_time_for_the_next_one_keeps(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "STEP_SECONDS", 0.0)
    monkeypatch.setattr(exact, "KEPT_AT_ONCE", 1)
    build = services.request_build(index=index, enqueue=False)
    services.advance_build(build_id=build.pk)
    missing = []
    while fresh(build).stage == Build.Stage.LEXICAL:
        missing.append(open_texts(build).missing)
        services.advance_build(build_id=build.pk)

    assert missing == [5, 4, 2, 1]  # Two files are of one text.
    assert open_texts(build).missing == 0


def test_files_that_are_not_kept_are_counted(build: Build) -> None:
    keys = [key for key in kept(build).known().ids if not key.endswith("ipynb")]
    kept(build).keep(keys)

    assert open_texts(build).missing == 1
    assert "book.ipynb" not in find(build, "return")


def test_texts_of_a_build_that_has_none_are_kept_later(build: Build) -> None:
    before = find(build, "return")
    kept(build).discard()

    assert find(build, "return") == {}
    assert builds_without_texts() == [build.pk]
    assert not keep_missing_texts(build_id=build.pk)
    assert find(build, "return") == before
    assert builds_without_texts() == []


def test_a_damaged_file_is_filled_again(build: Build) -> None:
    path = full_texts_of(build.index.repository)
    kept(build).known()
    path.write_bytes(b"\xff" * path.stat().st_size)

    assert find(build, "return") == {}
    assert builds_without_texts() == [build.pk]
    keep_missing_texts(build_id=build.pk)
    assert find(build, "return")["money.py"] == [5, 9]


def test_a_full_disk_ends_the_build_with_a_sentence(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(FullTexts, "add", fail)

    build = build_all(index)

    assert build.status == Build.Status.FAILED
    assert build.failure.startswith("The disk ran full")


def test_a_file_that_cannot_be_written_stops_no_build(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(FullTexts, "add", fail)

    build = build_all(index)

    assert build.status == Build.Status.READY
    assert open_texts(build).missing == 5
    assert any("database is locked" in event.text for event in build.events.all())


def test_texts_that_no_kept_build_has_are_dropped(
    index: Index, build: Build, source: Path
) -> None:
    index.repository.kept_builds = 1
    index.repository.save()
    (source / "windows.txt").unlink()
    (source / "words.po").write_text('msgid "other"\n')
    run_git(source, "commit", "-qam", "change")
    build_all(index)

    freed = garbage.collect_garbage()

    assert freed.texts == 2
    assert len(kept(build).known().ids) == 3


def test_a_removed_repository_leaves_no_text(build: Build) -> None:
    repository = build.index.repository
    path, mirror = full_texts_of(repository), mirror_of(repository)
    usage = disk_usage(repository)

    remove_repository(repository=repository)

    assert usage > bytes_in(mirror)
    assert list(path.parent.glob(f"{path.name}*")) == []


def test_texts_of_a_repository_that_is_gone_are_garbage(build: Build) -> None:
    path = full_texts_of(build.index.repository)
    orphan = path.with_name("999.texts.sqlite")
    orphan.write_bytes(path.read_bytes())

    garbage.collect_garbage()

    assert not orphan.exists()
    assert path.exists()


def test_secrets_that_are_off_now_are_not_looked_in(
    make_repository: MakeRepository, encoder: WordEncoder
) -> None:
    key = (
        "-----BEGIN RSA PRIVATE KEY-----\n"
        + "Ab1/" * 15
        + "\n"
        + "-----END RSA PRIVATE"
        " KEY-----\n"
    )
    files: dict[str, str | bytes] = {"a.py": f"x = 1\ny = '''\n{key}'''\n"}
    index = services.register(
        name="safe", source=str(make_repository(files)), index_secrets=True
    )
    build = build_all(index)
    shown = find(build, "Ab1/Ab1/")
    repository = index.repository
    repository.index_secrets = False
    repository.save()

    hidden = open_texts(build)

    assert shown == {"a.py": [4]}
    assert hidden.is_hidden
    assert find(build, "Ab1/Ab1/") == {}
    assert garbage.collect_garbage().texts == 1
    again = build_all(index)
    assert find(again, "Ab1/Ab1/") == {}
    assert find(again, "x = 1") == {"a.py": [1]}


def test_when_time_runs_out_the_files_that_were_not_looked_at_are_counted(
    build: Build,
) -> None:
    found = open_texts(build).find(Pattern(".", is_regex=True), seconds=0.0)

    assert len(found.late) == 5
    assert len(found.files) == 0


def test_what_there_was_no_time_for_is_looked_for_when_there_is(build: Build) -> None:
    texts, pattern = open_texts(build), Pattern("return")
    before = texts.find(pattern, seconds=-1.0)  # Others have taken more than all.

    after = texts.find(pattern)

    assert (len(before.late), len(after.late)) == (5, 0)
    assert len(before.lines) == 0
    assert len(after.lines) > 0


def test_some_files_can_be_looked_at_and_then_the_others(
    build: Build, looked_at: list[bytes]
) -> None:
    texts, pattern = open_texts(build), Pattern("return")
    files = [file.path for file in open_build(build, None).lexical.catalogue.files]
    within = np.array([path.endswith(b".py") for path in files])

    some = texts.find(pattern, within=within)
    others = texts.find(pattern, within=~within)
    seen = len(looked_at)
    again = texts.find(pattern, within=within)

    whole = texts.find(pattern)
    both = some.with_others(others)
    assert {files[one] for one in some.files} == {b"copy.py", b"money.py"}
    assert looked_at[:1] == [MONEY.encode()]
    assert (again.files.tolist(), seen) == (some.files.tolist(), 4)
    assert both.files.tolist() == whole.files.tolist()
    assert both.lines.tolist() == whole.lines.tolist()
    assert whole.within(within).lines.tolist() == some.lines.tolist()


def test_what_was_found_is_kept_in_the_process(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = find(build, "return x")
    monkeypatch.setattr(engine, "matching_lines", None)

    assert find(build, "return x") == first
