"""The cache: what is added is found, and damage is never believed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from indexer.pipeline import cache as cache_module
from indexer.pipeline import sqlite_files
from indexer.pipeline.cache import Cache


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache" / "rows.sqlite")


def test_what_is_added_is_found_and_the_first_value_stays(cache: Cache) -> None:
    cache.add({b"a": b"1", b"b": b"2"})
    cache.add({b"a": b"other"})
    assert cache.find([b"a", b"b", b"c", b"a"]) == {b"a": b"1", b"b": b"2"}
    assert Cache(cache.path).find([b"a"]) == {b"a": b"1"}


def test_more_keys_than_one_query_takes(cache: Cache) -> None:
    values = {str(n).encode(): bytes([n % 256]) * n for n in range(2000)}
    cache.add(values)
    assert cache.find(list(values)) == values


def test_a_row_that_was_altered_is_not_found_and_is_replaced(cache: Cache) -> None:
    cache.add({b"a": b"right"})
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE rows SET value = ?", (b"wrong",))
    connection.close()
    assert cache.find([b"a"]) == {}
    cache.add({b"a": b"right"})
    assert cache.find([b"a"]) == {b"a": b"right"}


@pytest.mark.parametrize("damage", ["header", "middle", "truncated", "empty"])
def test_a_damaged_file_finds_nothing_wrong_and_keeps_again(
    cache: Cache, damage: str
) -> None:
    values = {os.urandom(32): os.urandom(1536) for _ in range(200)}
    cache.add(values)
    data = bytearray(cache.path.read_bytes())
    if damage == "header":
        data[:100] = os.urandom(100)
    elif damage == "middle":
        data[4096:40_960] = os.urandom(36_864)
    else:
        data = data[: len(data) // 2] if damage == "truncated" else bytearray()
    for path in cache.path.parent.glob("rows.sqlite-*"):
        path.unlink()
    cache.path.write_bytes(data)

    for key, value in cache.find(list(values)).items():
        assert value == values[key]
    cache.add(values)
    assert cache.find(list(values)) == values


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = Cache(tmp_path / "file" / "rows.sqlite")
    cache.add({b"a": b"1"})
    assert cache.find([b"a"]) == {}


def test_trimming_drops_what_was_used_longest_ago(cache: Cache) -> None:
    values = {str(n).encode(): bytes(4000) for n in range(300)}
    cache.add(values)
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE rows SET day = 1")
    connection.close()
    used = [str(n).encode() for n in range(50)]
    cache.find(used)
    assert cache.trim(600_000) > 0
    assert cache.size() <= 600_000
    left = cache.find(list(values))
    assert set(used) <= set(left)
    assert len(left) < 300


def test_trimming_drops_no_more_while_another_reads(cache: Cache) -> None:
    values = {n.to_bytes(2): os.urandom(4000) for n in range(1000)}
    cache.add(values)
    limit = cache.size() * 9 // 10
    with closing(sqlite3.connect(cache.path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM rows").fetchone()

        dropped = cache.trim(limit)

    cache.find([])
    assert 90 < dropped < 210
    assert len(cache.find(list(values))) == 1000 - dropped
    assert cache.size() <= limit


def test_several_threads_add_at_once(cache: Cache) -> None:
    def add(thread: int) -> None:
        for n in range(50):
            cache.add({f"{thread}:{n}".encode(): b"x"})

    threads = [Thread(target=add, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    keys = [f"{thread}:{n}".encode() for thread in range(4) for n in range(50)]
    assert len(cache.find(keys)) == 200


def test_a_writer_that_stands_still_is_waited_for_once(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_files, "BUSY_SECONDS", 0.0)
    cache.add({b"a": b"1"})
    with closing(sqlite3.connect(cache.path)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        cache.add({b"b": b"2"})
        meanwhile = cache.find([b"a"])

    cache.add({b"c": b"3"})
    monkeypatch.setattr(cache_module, "_rests", {})
    cache.add({b"d": b"4"})

    assert meanwhile == {b"a": b"1"}
    assert cache.find([b"a", b"b", b"c", b"d"]) == {b"a": b"1", b"d": b"4"}
