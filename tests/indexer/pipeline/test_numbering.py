"""Every line of a body knows its line in the file, in whichever part it stands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from indexer.pipeline.numbering import TextLine, divide_lines, number_body
from indexer.pipeline.parts import split_text

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
