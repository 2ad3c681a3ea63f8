"""Entries: JSON of ours and of the public sets, entry by entry."""

from __future__ import annotations

import json

import pytest

from codesearch.case_files.entries import read_entries
from codesearch.case_files.records import NewCase, Problem, UnreadableFile


def read_one(**entry: object) -> NewCase:
    reading = read_entries(json.dumps([{"query": "pay", **entry}]))
    assert reading.problems == []
    return reading.rows[0].case


def refused(entry: object) -> str:
    reading = read_entries(json.dumps([entry]))
    assert reading.rows == []
    return reading.problems[0].sentence


@pytest.mark.parametrize(
    ("target", "spelled"),
    [
        ("format_money", ("format_money", 1)),
        ({"target": "a.py", "grade": 2}, ("a.py", 2)),
        ({"path": "a b.py", "symbol": "A.get"}, ("a%20b.py#A.get", 1)),
        ({"path": "a.py", "start_line": 3, "end_line": 9}, ("a.py:3-9", 1)),
        ({"path": "a.py", "start_line": 3, "grade": "2"}, ("a.py:3", 2)),
        ({"path": "a.py", "start_line": None, "end_line": None}, ("a.py", 1)),
    ],
)
def test_a_target_is_text_or_says_its_parts(
    target: object, spelled: tuple[str, int]
) -> None:
    assert read_one(targets=[target]).targets == (spelled,)


def test_an_entry_has_its_own_id_topic_and_marks() -> None:
    assert read_one(
        id=7,
        targets=["a.py"],
        topic="paying",
        expected="in_leg",
        synthetic=True,
        note="Bills.",
    ) == NewCase("pay", (("a.py", 1),), "7", "paying", "in_leg", True, "Bills.")


def test_a_public_set_of_files_counts_places_in_files() -> None:
    line = {"id": "q", "query": "a", "category": "x", "targets": [{"path": "a.c"}]}
    reading = read_entries(json.dumps({**line, "secondary": [{"path": "b.c"}]}) + "\n")

    assert reading.rows[0].case.targets == (("a.c", 1), ("b.c", 1))
    assert reading.unit == "file"
    assert reading.notes == ("Not read: category.",)


def test_a_list_of_ratings_is_judged() -> None:
    ratings = [{"docId": "a.py", "rating": "3"}, {"docId": "b.py", "rating": 0}]

    assert read_one(ratings=ratings).targets == (("a.py", 3), ("b.py", 0))


def test_cosqa_wants_the_file_of_the_number() -> None:
    entry = {"idx": "cosqa-1", "doc": "sort a list", "retrieval_idx": 41, "code": "x"}
    reading = read_entries(json.dumps([entry]))

    assert reading.rows[0].case == NewCase("sort a list", (("00041.py", 1),), "cosqa-1")
    assert (reading.unit, reading.notes) == ("file", ())


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (5, "It is no object with a query and targets."),
        ({"query": ["pay"], "targets": ["a"]}, "Its query is no text."),
        ({"query": "pay", "targets": "a.py"}, "Its targets are no list."),
        ({"query": "pay", "targets": [5]}, "A target is neither text nor an object."),
        (
            {"query": "pay", "targets": [{"symbol": "A"}]},
            "A target has neither “target” nor “path”.",
        ),
        (
            {"query": "pay", "targets": [{"path": "a", "start_line": 0}]},
            "The lines of a are no numbers from 1.",
        ),
        (
            {"query": "pay", "targets": [{"target": "a", "grade": 1.5}]},
            "The grade “1.5” is no whole number.",
        ),
        (
            {"query": "pay", "targets": [{"target": "a", "grade": True}]},
            "The grade “True” is no whole number.",
        ),
        (
            {"query": "pay", "id": [1], "targets": ["a"]},
            "Its id is neither text nor a number.",
        ),
        (
            {"query": "pay", "synthetic": "yes", "targets": ["a"]},
            "Its key “synthetic” is neither true nor false.",
        ),
        ({"doc": "a", "retrieval_idx": "1"}, "Its retrieval_idx is no whole number."),
        (
            {"query": "pay", "targets": ["a"], "expected": "\ud800"},
            "It holds half of a surrogate pair, which is no character.",
        ),
    ],
)
def test_a_wrong_entry_is_kept_with_the_reason(entry: object, sentence: str) -> None:
    assert refused(entry) == sentence


def test_json_lines_are_taken_one_by_one() -> None:
    reading = read_entries('{"query": "a", "targets": ["x"]}\n\n{"query": \n')

    assert [row.place for row in reading.rows] == ["line 1"]
    assert reading.problems == [Problem("line 3", '{"query": ', "It is no JSON.")]


def test_what_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(UnreadableFile, match="nested too deeply"):
        read_entries("[" * 100_000)


def test_an_export_tells_of_its_set() -> None:
    about = {"name": "bills", "unit": "file", "description": "d", "profile": "window"}
    reading = read_entries(json.dumps({"set": about, "cases": []}))

    assert (reading.name, reading.unit) == ("bills", "file")
    assert (reading.description, reading.profile) == ("d", "window")
