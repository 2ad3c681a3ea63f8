"""Every line of a body knows its line in the file, in whichever part it stands.

So do the lines of a purpose that the file has as they are; others have none.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from indexer.pipeline.numbering import (
    TextLine,
    divide_lines,
    number_body,
    number_purpose,
    with_marks,
)
from indexer.pipeline.parts import split_text
from indexer.pipeline.reading import shown_source
from indexer.pipeline.types import Source
from tests.files import in_context, read_file

BODY = "shop money\ndef a():\n    return 1\n\ndef b():\n    return 2\ndef c(self)"
LINES = [
    TextLine("shop money", None, "context"),
    TextLine("def a():", 3),
    TextLine("    return 1", 4),
    TextLine("", 5),
    TextLine("def b():", 9),
    TextLine("    return 2", 10),
    TextLine("def c(self)", None, "members"),
]


def count(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def test_lines_of_several_spans_keep_their_numbers_and_members_have_none() -> None:
    assert number_body(BODY, [[3, 5], [9, 10]]) == LINES


@pytest.mark.parametrize("limit", [5, 6, 8, 100])
def test_parts_share_the_lines_out_and_repeat_the_context(limit: int) -> None:
    parts = split_text(
        BODY, breaks=[(11, 0), (34, 0)], limit=limit, count=count, head="shop money"
    )

    found = list(divide_lines(LINES, parts))

    assert ["\n".join(line.text for line in part) for part in found] == parts
    own = [line for part in found for line in part if line.number is not None]
    named = {line.number: line.text.strip() for line in LINES if line.number}
    assert {line.number for line in own if line.text.strip()} == {3, 4, 9, 10}
    for line in own:
        assert line.text.strip() in named[line.number or 0]
    assert all(part[0].label == "context" for part in found)


NESTED = '''\
# Größe: 金額.
import os


class Outer(object):
\tRATE = 'é'

\tclass Inner:
\t\tdef deep(self): return 1

\tdef after(self):
\t\t"""Add up.

\t\tAll of them.
\t\t"""

\t\treturn sum(
\t\t\tself.lines
\t\t)
\tLAST = 2; x = 3
'''
SCRIPT = """\
#!/usr/bin/env node
/**
 * Sends the report.
 *
 * To all readers.
 */
export async function send(
  report,
  readers,
) {
  return mail(report, readers);
}
class Cart { total() { return 1 } }
const left = 2;
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("money.py", NESTED),
        ("crlf.py", NESTED.replace("\n", "\r\n")),
        ("send.js", SCRIPT),
        ("broken.py", "def a(:\n    return\n\n" * 40),
        ("notes.txt", "one\n\ntwo\n" * 60),
        ("guide.md", "# Money\n\nText.\n\n## Rates\n\nMore.\n"),
        ("module.go", "package a\n\n// Sum adds.\nfunc Sum() int {\n\treturn 1\n}\n"),
    ],
)
def test_the_numbered_lines_of_a_body_are_those_lines_of_the_file(
    name: str, text: str
) -> None:
    source = shown_source(name.encode(), text.encode())
    assert isinstance(source, Source)

    result = read_file(name, source.text)

    lines = source.text.split("\n")
    assert result.chunks
    rows = zip(result.chunks, result.texts, result.line_spans, strict=True)
    for chunk, below, spans in rows:
        body = in_context(name, chunk, below).body
        told = {one.number: one.text for one in number_body(body, spans)}
        wanted = {n for first, last in spans for n in range(first, last + 1)}
        assert set(told) - {None} == wanted
        for number in wanted:  # A span may begin and end inside a line.
            assert told[number].strip() in lines[number - 1]
            assert told[number].strip() or not lines[number - 1].strip()


def numbered(text: str) -> dict[int, str]:
    return dict(enumerate(text.split("\n"), 1))


def test_the_lines_of_a_purpose_are_looked_for_in_the_file() -> None:
    text = "shop Cart.after\ndef after(self)\nAdd up.\n\nAll of them."

    found = number_purpose(text, numbered(NESTED))

    assert [line.number for line in found] == [None, 11, 12, None, 14]
    assert found[0].label == "context"


def test_a_signature_stands_for_all_its_lines_and_a_comment_above_is_found() -> None:
    text = "shop send\nexport async function send( report, readers, )\n"
    text += "Sends the report.\n\nTo all readers."

    found = number_purpose(text, numbered(SCRIPT))

    assert [(line.number, line.last) for line in found] == [
        (None, None),
        (7, 10),
        (3, None),
        (None, None),
        (5, None),
    ]


def test_decorators_stand_above_the_signature_that_is_told_first() -> None:
    source = numbered('@cached\n@slow(1)\ndef a(x):\n    r"""Cached."""\n')

    found = number_purpose("shop a\ndef a(x)\n@cached\n@slow(1)\nCached.", source)

    assert [line.number for line in found] == [None, 3, 1, 2, 4]


@pytest.mark.parametrize(
    "written",
    ["/// <summary>Adds up.</summary>", "x = 'Adds up.'", "Adds up. And more.", ""],
)
def test_what_the_file_does_not_have_as_it_is_has_no_number(written: str) -> None:
    found = number_purpose("shop a\ndef a()\nAdds up.", {1: "def a():", 2: written})

    assert [line.number for line in found] == [None, 1, None]


def test_equal_lines_are_found_one_after_the_other() -> None:
    source = {1: "def a():", 2: "    # Once.", 3: "    # Once."}

    found = number_purpose("a\ndef a()\nOnce.\nOnce.\nOnce.", source)

    assert [line.number for line in found] == [None, 1, 2, 3, None]


def test_a_name_is_not_the_beginning_of_a_longer_one() -> None:
    found = number_purpose("a\nclass Cart", {1: "class Cartoon:", 2: "class Cart(X):"})

    assert found[1].number == 2


def test_quotes_and_blank_lines_within_belong_to_what_they_enclose() -> None:
    source = numbered(NESTED)

    assert with_marks({11, 12, 14}, source) == {11, 12, 13, 14, 15}
    assert with_marks({3, 5, 7}, numbered(SCRIPT)) == {2, 3, 4, 5, 6, 7}
    assert with_marks({2}, {1: "", 2: "x", 3: "", 4: "y"}) == {2}
