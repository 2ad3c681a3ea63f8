"""TREC files are read line by line: what is taken, and why the rest is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.case_files.records import Problem, split_lines
from codesearch.case_files.trec import Qrel, Topic, read_qrels, read_topics


def test_qrels_have_four_fields_or_three_between_any_blanks() -> None:
    found, problems = read_qrels(["q1 0 a.py 2", "", "q1\tQ0  b.py\t0", "q2 c.py 1\r"])

    assert found == [
        Qrel(1, "q1", "a.py", 2),
        Qrel(3, "q1", "b.py", 0),
        Qrel(4, "q2", "c.py", 1),
    ]
    assert problems == []


def test_a_header_of_qrels_is_no_judgement_and_no_problem() -> None:
    assert read_qrels(["query-id\tcorpus-id\tscore", "q1\tdoc\t1"]) == (
        [Qrel(2, "q1", "doc", 1)],
        [],
    )


def test_a_blank_that_no_tool_splits_at_belongs_to_the_document() -> None:
    found, _ = read_qrels(["q1 0 a\u00a0b\u2028c 1"])

    assert found[0].document == "a\u00a0b\u2028c"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("q1 0 a.py high", "The grade “high” is no whole number."),
        ("q1 0 a.py 1.5", "The grade “1.5” is no whole number."),
        ("q1 0 a.py nan", "The grade “nan” is no whole number."),
        ("q1 a.py", "It has 2 fields; a judgement is: qid 0 docid grade."),
        ("q1 0 my file.py 1", "It has 5 fields; a judgement is: qid 0 docid grade."),
        ("q1 0 a\x00.py 1", "It holds a NUL character."),
        ("q0 0 x 2", "This judgement stands on line 1 already."),
    ],
)
def test_a_line_that_is_no_judgement_is_kept_with_the_reason(
    line: str, sentence: str
) -> None:
    found, problems = read_qrels(["q0 0 x 1", line, "q9 0 y -2"])

    assert [(one.line, one.grade) for one in found] == [(1, 1), (3, -2)]
    assert problems == [Problem("line 2", line, sentence)]


def test_topics_are_an_id_a_tab_and_the_query() -> None:
    found, problems = read_topics(["qid\tquery", "q1\thow to\tpay", " ", "q2\tsend "])

    assert found == [Topic(2, "q1", "how to\tpay"), Topic(4, "q2", "send")]
    assert problems == []


def test_topics_may_be_json_lines() -> None:
    found, problems = read_topics(
        ['{"_id": "q1", "text": "pay", "metadata": {}}', '{"qid": 7, "query": "send"}']
    )

    assert found == [Topic(1, "q1", "pay"), Topic(2, "7", "send")]
    assert problems == []


def test_classic_topics_give_number_and_title() -> None:
    text = """<top>
<num> Number: 401
<title> foreign minorities,
Germany

<desc> Description:
What language and cultural differences impede?
</top>
<top><num>402</num><title>behavioral genetics</title></top>"""

    found, problems = read_topics(split_lines(text))

    assert found == [
        Topic(1, "401", "foreign minorities, Germany"),
        Topic(9, "402", "behavioral genetics"),
    ]
    assert problems == []


@pytest.mark.parametrize(
    ("text", "place", "sentence"),
    [
        ("no tab here", "line 2", "There is no tab between the id and the query."),
        ("\tpay", "line 2", "It has no id."),
        ("q 2\tpay", "line 2", "The id “q 2” holds a blank."),
        ("q2\t ", "line 2", "It has no query."),
        ("q1\tagain", "line 2", "The id q1 stands on line 1 already."),
        ("q2\ta\x00b", "line 2", "It holds a NUL character."),
        ("{not json", "line 2", "It is no JSON."),
        (
            '{"_id": null, "text": "a"}',
            "line 2",
            "Its id is neither text nor a number.",
        ),
        ('{"_id": "a", "text": ["b"]}', "line 2", "Its query is no text."),
        (
            '{"_id": "a", "text": "\\ud800"}',
            "line 2",
            "It holds half of a surrogate pair, which is no character.",
        ),
        (
            "<top>\n<num> 3\n</top>",
            "lines 2 to 4",
            "The block has no <num> or no <title>.",
        ),
        (
            "<top>\n<num> 3\n<title> a",
            "lines 2 to 4",
            "The block that <top> opens is not closed by </top>.",
        ),
    ],
)
def test_a_line_that_is_no_topic_is_kept_with_the_reason(
    text: str, place: str, sentence: str
) -> None:
    found, problems = read_topics(["q1\tpay", *text.split("\n")])

    assert found == [Topic(1, "q1", "pay")]
    assert problems == [Problem(place, text, sentence)]


def test_a_million_blanks_are_read_once() -> None:
    """Read again from each of them they would take hours."""
    found, problems = read_topics(["<top>", f"<num>{' ' * 1_000_000}<", "</top>"])

    assert found == []
    assert [one.sentence for one in problems] == [
        "The block has no <num> or no <title>."
    ]


def test_a_block_that_is_not_closed_does_not_take_the_next_with_it() -> None:
    found, problems = read_topics(
        ["<top>", "<num> 1", "<top>", "<num> 2", "<title> send", "</top>"]
    )

    assert found == [Topic(3, "2", "send")]
    assert [one.place for one in problems] == ["lines 1 to 2"]


@given(st.lists(st.text(st.characters(exclude_characters="\r\n"))))
def test_every_written_line_is_a_judgement_or_a_problem(lines: list[str]) -> None:
    found, problems = read_qrels(lines)

    written = [n for n, line in enumerate(lines, start=1) if line.strip()]
    taken = [one.line for one in found]
    refused = [int(one.place.removeprefix("line ")) for one in problems]
    heads = [1] if written[:1] == [1] and 1 not in taken + refused else []
    assert sorted(taken + refused + heads) == written
