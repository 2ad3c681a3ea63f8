"""Gathering: rows become cases that can be asked; what goes out comes in again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.case_files.entries import read_entries, write_entries
from codesearch.case_files.files import (
    read_file,
    write_qrels,
    write_topics,
)
from codesearch.case_files.gathering import free_key, gather_cases
from codesearch.case_files.records import NewCase, Reading, UnreadableFile
from codesearch.case_files.tables import read_table, write_table

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
WORDS = TEXT.map(str.strip).filter(lambda text: not text or text[0] not in '"/')
TARGETS = st.dictionaries(
    TEXT.map(str.strip).filter(bool), st.integers(0, 1000), min_size=1, max_size=3
)
CASES = st.builds(
    NewCase,
    query=WORDS.map(lambda text: f"pay {text}".strip()),
    targets=TARGETS.map(lambda found: tuple(found.items())),
    topic=TEXT.map(str.strip),
    expected=st.sampled_from(["in_leg", "in_pool", "on_page"]),
    is_synthetic=st.booleans(),
    note=TEXT.map(str.strip),
)


def numbered(cases: list[NewCase]) -> list[NewCase]:
    """The cases with ids, of which one looks like a formula."""
    return [replace(case, key=f"={n}") for n, case in enumerate(cases)]


def read(reading: Reading) -> list[NewCase]:
    return [row.case for row in reading.rows]


def merged(cases: list[NewCase]) -> list[NewCase]:
    """The cases of a table, which has one row a target."""
    found: dict[str, NewCase] = {}
    for case in cases:
        known = found.get(case.key)
        targets = (*(known.targets if known else ()), *case.targets)
        found[case.key] = replace(case, targets=targets)
    return list(found.values())


@given(st.lists(CASES, max_size=4).map(numbered))
def test_a_table_comes_back_as_it_was(cases: list[NewCase]) -> None:
    assert merged(read(read_table(write_table(cases)))) == cases


@given(st.lists(CASES, max_size=4).map(numbered))
def test_json_comes_back_as_it_was(cases: list[NewCase]) -> None:
    assert read(read_entries(write_entries(cases, {"name": "a"}))) == cases


@given(st.lists(CASES, min_size=1, max_size=4).map(numbered))
def test_trec_files_keep_ids_words_and_judgements(cases: list[NewCase]) -> None:
    data = [write(cases).encode() for write in (write_qrels, write_topics)]
    found = read(read_file(*data))

    assert [(case.key, case.targets) for case in found] == [
        (case.key, case.targets) for case in cases
    ]
    assert [case.query for case in found] == [" ".join(c.query.split()) for c in cases]


def gathered(text: str) -> tuple[list[tuple[str, ...]], list[tuple[str, str]]]:
    rows, problems = gather_cases(read_table(text))
    found = [(row.case.query, *(t for t, _ in row.case.targets)) for row in rows]
    return found, [(one.place, one.sentence) for one in problems]


def test_lines_of_one_id_are_one_case_wherever_they_stand() -> None:
    found, problems = gathered(
        "id,query,target,topic\nq1,pay,a.py,bills\nq2,send,b.py,\nq1,pay,c.py,\n"
    )

    assert found == [("pay", "a.py", "c.py"), ("send", "b.py")]
    assert problems == []


def test_lines_of_one_query_are_one_case_without_ids() -> None:
    found, problems = gathered("query,docid,rating\npay,a.py,1\npay,b.py,0\n")

    assert found == [("pay", "a.py", "b.py")]
    assert problems == []


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("q1,mail,c.py,", "Its query is another than on line 2."),
        ("q1,pay,c.py,bills", "Its topic is another than on line 2."),
        ("q1,pay,a.py,", "This target stands on line 2 already."),
        ("q 1,pay,c.py,", "The id “q 1” holds a blank."),
        ("q3,,c.py,", "It has no query."),
        ("q3,pay,,", "It has no target."),
        ("q3,pay,a\x00b,", "It holds a NUL character."),
        (f"q3,{'a' * 2001},c.py,", "The query has 2,001 characters; 2,000 are read."),
        (f"q3,pay,{'a' * 4001},", "Its target has 4,001 characters; 4,000 are read."),
        (f"{'q' * 101},pay,c.py,", "Its id has 101 characters; 100 are read."),
        (
            "q3,lang:python,c.py,",
            "“lang:python” says where to look; say what to look for as well.",
        ),
    ],
)
def test_a_line_that_is_no_part_of_a_case_says_why(line: str, sentence: str) -> None:
    found, problems = gathered(f"id,query,target,topic\nq1,pay,a.py,\n{line}\n")

    assert found == [("pay", "a.py")]
    assert problems == [("line 3", sentence)]


def test_an_entry_is_a_whole_case_and_its_id_is_there_once() -> None:
    text = (
        '[{"id": "a", "query": "pay", "targets": ["x"]},'
        ' {"id": "a", "query": "pay", "targets": ["y"]},'
        ' {"query": "send", "targets": ["x"]}, {"query": "send", "targets": ["x"]},'
        ' {"query": "mail", "targets": [{"target": "x", "grade": -1}]}]'
    )

    rows, problems = gather_cases(read_entries(text))

    assert [row.case.query for row in rows] == ["pay", "send"]
    assert [(one.place, one.sentence) for one in problems] == [
        ("entry 2", "The id a is that of entry 1 already."),
        (
            "entry 5",
            "The grade -1 is not from 0 to 1,000; 0 was judged and is no answer.",
        ),
        ("entry 4", "It is the case of entry 3 again."),
    ]


def test_a_judgement_of_a_query_that_is_not_asked_is_told() -> None:
    reading = read_file(b"q1 0 a.py 1\nq2 0 b.py 1\n", b"q1\tpay\nq3\tsend\n")
    rows, problems = gather_cases(reading)

    assert [row.case.key for row in rows] == ["q1"]
    assert [(one.place, one.sentence) for one in problems] == [
        ("qrels, line 2", "The topics have no query q2."),
        ("topics, line 2", "It has no target."),
    ]


def test_a_judgement_that_cannot_be_one_leaves_the_others_of_its_query() -> None:
    reading = read_file(
        b"q1 0 a.py 1\nq1 0 b.py -1\nq2 0 c.py 1\n",
        b"<top>\n<num> q1\n<title> pay\n</top>\nq2\t" + b"x" * 3000 + b"\n",
    )

    rows, problems = gather_cases(reading)

    assert [(row.case.key, row.case.targets) for row in rows] == [
        ("q1", (("a.py", 1),))
    ]
    assert [(one.place, one.text) for one in problems] == [
        ("qrels, line 2", "q1 0 b.py -1"),
        ("topics, line 5", f"q2\t{'x' * 3000}\nq2 0 c.py 1"),
    ]
    assert rows[0].text == "q1\tpay\nq1 0 a.py 1"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "It is empty."),
        (b"query,target\np\xffy,a.py\n", "Line 2 holds a byte that is no UTF-8"),
        ("query,target\npay,a\n".encode("utf-16"), "holds a byte that is no UTF-8"),
        (b"x" * 20_000_001, "It is larger than 20 MB."),
    ],
)
def test_a_file_that_is_no_text_of_ours_is_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(UnreadableFile, match=sentence):
        read_file(data)


def test_a_mark_before_the_first_line_is_no_part_of_it() -> None:
    data = "query,target\npay,a.py\n".encode("utf-8-sig")

    assert read(read_file(data)) == [NewCase("pay", (("a.py", 1),))]


def test_a_key_that_is_taken_gets_a_number() -> None:
    assert free_key("a", {"a", "a-2"}) == "a-3"
