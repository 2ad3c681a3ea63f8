"""Full texts: kept by content, found by trigrams, begun anew where damaged."""

from __future__ import annotations

import multiprocessing
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from indexer.pipeline.full_texts import FullTexts


@pytest.fixture
def texts(tmp_path: Path) -> FullTexts:
    return FullTexts(tmp_path / "mirrors" / "1.texts.sqlite")


def found(texts: FullTexts, expression: str) -> list[str]:
    """The keys of the texts that an expression finds."""
    known = texts.known()
    keys = {number: key for key, number in known.ids.items()}
    candidates = texts.candidates(known, expression)
    assert candidates is not None
    return [keys[number] for number in candidates.tolist()]


def contents(texts: FullTexts) -> dict[str, bytes]:
    known = texts.known()
    by_id = dict(texts.read(known, list(known.ids.values())))
    return {key: by_id[number] for key, number in known.ids.items()}


def run_sql(texts: FullTexts, statement: str) -> None:
    with closing(sqlite3.connect(texts.path)) as connection, connection:
        connection.execute(statement)


def test_a_text_is_found_by_its_trigrams_in_any_case(texts: FullTexts) -> None:
    texts.add({"a": "def QuerySet():\n", "b": "Straße 日本語\n", "c": ""})

    assert found(texts, '"que" AND "set"') == ["a"]
    assert found(texts, '"日本語" OR "def"') == ["a", "b"]
    assert found(texts, '"xyz"') == []


def test_of_a_key_the_first_text_stays(texts: FullTexts) -> None:
    texts.add({"a": "first"})
    before = texts.known()

    texts.add({"a": "second", "b": "third"})

    assert contents(texts) == {"a": b"first", "b": b"third"}
    assert texts.known().stamp == before.stamp
    assert found(texts, '"eco"') == []


def test_dropped_texts_are_neither_read_nor_found(texts: FullTexts) -> None:
    texts.add({name: f"text of {name}\n" * 50 for name in ["ada", "bob", "eve"]})

    dropped = texts.keep(["bob", "unknown"])

    assert dropped == 2
    assert list(contents(texts)) == ["bob"]
    assert found(texts, '"tex"') == ["bob"]
    texts.check()
    assert list(contents(texts)) == ["bob"]


@pytest.mark.parametrize("is_begun_anew", [False, True])
def test_an_id_that_may_be_of_another_text_by_now_is_not_read(
    texts: FullTexts, is_begun_anew: bool
) -> None:
    texts.add({"a": "alpha", "b": "beta"})
    known = texts.known()
    if is_begun_anew:
        texts.discard()
    else:
        texts.keep(["a"])

    texts.add({"c": "gamma", "d": "delta"})

    assert known.ids["b"] in texts.known().ids.values()
    assert texts.candidates(known, '"amm"') is None
    assert list(texts.read(known, list(known.ids.values()))) == []


def test_without_a_file_nothing_is_found_and_none_is_made(texts: FullTexts) -> None:
    assert texts.known().ids == {}
    assert texts.candidates(texts.known(), '"abc"') is None
    assert list(texts.read(texts.known(), [1, 2])) == []
    assert texts.keep(["a"]) == 0
    assert texts.size() == 0
    assert not texts.path.exists()


def test_a_file_that_is_no_database_is_begun_anew(texts: FullTexts) -> None:
    texts.path.parent.mkdir()
    texts.path.write_bytes(b"not a database, but long enough to be looked at " * 50)

    assert texts.known().ids == {}
    texts.add({"a": "alpha"})

    assert contents(texts) == {"a": b"alpha"}


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE texts SET text = 'altered'",
        "PRAGMA user_version = 99",
        "DROP TABLE trigrams_data",
    ],
)
def test_what_is_not_as_it_was_written_is_begun_anew(
    texts: FullTexts, damage: str
) -> None:
    texts.add({"a": "alpha", "b": "beta"})
    before = texts.known()
    run_sql(texts, damage)

    texts.check()

    assert texts.known().ids == {}
    texts.add({"a": "alpha"})
    assert found(texts, '"alp"') == ["a"]
    assert texts.known().stamp != before.stamp


def test_a_text_that_was_altered_is_not_read(texts: FullTexts) -> None:
    texts.add({"a": "alpha"})
    run_sql(texts, "UPDATE texts SET text = 'alphb'")

    assert list(texts.read(texts.known(), [1])) == []
    assert texts.known().ids == {}


def add_many(path: Path, number: int) -> None:
    for start in range(0, 40, 4):
        names = [f"text {n}" for n in range(start, start + 4)]
        FullTexts(path).add({name: f"{name} of {number}" for name in names})


def test_several_processes_fill_one_file(texts: FullTexts) -> None:
    spawn = multiprocessing.get_context("spawn")
    writers = [
        spawn.Process(target=add_many, args=(texts.path, number)) for number in (1, 2)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert [writer.exitcode for writer in writers] == [0, 0]
    assert len(contents(texts)) == 40
    texts.check()
    assert len(found(texts, '"tex"')) == 40
