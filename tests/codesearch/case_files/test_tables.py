"""Tables: what a spreadsheet holds comes in line by line, and goes out unharmed."""

from __future__ import annotations

import csv
import io

import pytest

from codesearch.case_files.records import NewCase, Problem, UnreadableFile
from codesearch.case_files.tables import read_table, write_table


def cases(text: str) -> list[NewCase]:
    return [row.case for row in read_table(text).rows]


def test_a_line_is_a_query_and_a_target_with_its_grade() -> None:
    found = cases(
        "id,query,target,grade,topic,expected,synthetic,note\n"
        "q1,how to pay,billing/pay.py:3-9,2,paying,in_pool,yes,Often asked.\n"
    )

    assert found == [
        NewCase(
            query="how to pay",
            targets=(("billing/pay.py:3-9", 2),),
            key="q1",
            topic="paying",
            expected="in_pool",
            is_synthetic=True,
            note="Often asked.",
        )
    ]


@pytest.mark.parametrize(
    "text",
    [
        "query,docid,rating\npay,a.py,3\n",
        "Query Text;Doc ID;Rating\npay;a.py;3\n",
        "RATING\tdocument_id\tQuery\n3.0\ta.py\tpay\n",
    ],
)
def test_the_usual_names_and_delimiters_are_known(text: str) -> None:
    assert cases(text) == [NewCase("pay", (("a.py", 3),))]


def test_a_cell_of_several_targets_has_one_a_line() -> None:
    assert cases('query,targets\npay,"a.py\nb.py:3"\n') == [
        NewCase("pay", (("a.py", 1), ("b.py:3", 1)))
    ]


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    reading = read_table('query,target,grade\r\n"two\r\nlines",a.py,1\r\nb,b.py,x\r\n')

    assert [row.place for row in reading.rows] == ["lines 2 to 3"]
    assert reading.rows[0].text == '"two\r\nlines",a.py,1'
    assert [one.place for one in reading.problems] == ["line 4"]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "pay,a.py,high,",
            "The grade “high” is no whole number: 1 and more is wanted, 0 was judged "
            "and is no answer.",
        ),
        (
            "pay,a.py,,",
            "The grade “” is no whole number: 1 and more is wanted, 0 was judged and "
            "is no answer.",
        ),
        ("pay,a.py,1,perhaps", "synthetic “perhaps” is neither true nor false."),
        ("pay,a.py,1,no,more", "It has 5 cells, and the head 4."),
    ],
)
def test_a_wrong_line_is_kept_with_the_reason(line: str, sentence: str) -> None:
    reading = read_table(f"query,target,grade,synthetic\n{line}\nsend,b.py,1,\n")

    assert [row.case.query for row in reading.rows] == ["send"]
    assert reading.problems == [Problem("line 2", line, sentence)]
    assert reading.head == "query,target,grade,synthetic"


def test_a_quote_that_is_never_closed_loses_no_line() -> None:
    reading = read_table('query,target\nsend,b.py\n"pay,a.py\nmail,c.py\n')

    assert [row.case.query for row in reading.rows] == ["send"]
    assert [(one.place, one.text) for one in reading.problems] == [
        ("lines 3 to 4", '"pay,a.py\nmail,c.py')
    ]
    assert "A quote is not closed" in reading.problems[0].sentence


def test_columns_that_are_not_read_are_named() -> None:
    assert read_table("query,target,grad,who\npay,a.py,2,me\n").notes == (
        "Not read: grad, who.",
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("question,answer\npay,a.py\n", "names no columns “query” and “target”"),
        ("query\npay\n", "names no columns “query” and “target”"),
        ("query,target,docid\npay,a,b\n", "Two columns are its target."),
    ],
)
def test_a_table_without_its_columns_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(UnreadableFile, match=sentence):
        read_table(text)


def test_a_table_of_too_many_lines_is_refused() -> None:
    text = "query,target\n" + "pay,a.py\n" * 20_001

    with pytest.raises(UnreadableFile, match="more than 20,000 lines"):
        read_table(text)


@pytest.mark.parametrize(
    "query",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1", "'=1", "''=1"],
)
def test_no_cell_that_is_written_is_a_formula(query: str) -> None:
    text = write_table([NewCase(query, (("a.py", 1),), "k")])
    _, cells = csv.reader(io.StringIO(text, newline=""))

    assert cells[1] == f"'{query}"
    assert cases(text)[0].query == query.strip()


def test_an_apostrophe_that_guards_nothing_stays() -> None:
    assert cases("query,target\n'quoted' words,a.py\n")[0].query == "'quoted' words"
