"""Documentation is one chunk a heading, down to the next heading of any level."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.sections import declared_names, markup_language, section_chunks
from tests.files import chunk_texts

GUIDE = """Before.

# Guide #

What it is,
in a few words.

More.

```sh
# no heading
```

Install
-------

Run it.

#### Deep

## Use `it`
- a list
---
"""
MANUAL = """=======
Manual
=======

Intro.

Install
=======

::

    Not
    ---

On Linux
--------

Text.

Use
===

+-----+
| a   |
+-----+

-----

Under
------
"""


def names(text: str, language: str) -> list[tuple[str, int, int]]:
    return [
        (chunk.symbol, chunk.start_line, chunk.end_line)
        for chunk in section_chunks(text, language, "stem")
    ]


def test_markdown_headings_divide_a_file() -> None:
    assert names(GUIDE, "markdown") == [
        ("stem", 1, 1),
        ("Guide", 3, 12),
        ("Guide > Install", 14, 17),
        ("Guide > Install > Deep", 19, 19),
        ("Guide > Use it", 21, 23),
    ]


def test_restructuredtext_headings_nest_in_order_of_appearance() -> None:
    assert names(MANUAL, "rst") == [
        ("Manual", 1, 5),
        ("Manual > Install", 7, 13),
        ("Manual > Install > On Linux", 15, 18),
        ("Manual > Use", 20, 27),
        ("Manual > Use > Under", 29, 30),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- ```sh\n  # no\n  ```\n\n# A\n\n# B\n", ["stem", "A", "B"]),
        ("1. - ~~~\n# no\n~~~\n# A\n", ["stem", "A"]),
        ("---\n\n# A\n\n---\n\n# B\n", ["stem", "A", "B"]),
        ("---\ntitle: 'My page'\n# no\n---\nText\n\n# A\n", ["My page", "A"]),
        ("+++\ntitle = \"My page\"\n+++\n\n# A\n", ["My page", "A"]),
        ("---\nnever closed\n\n# A\n", ["stem", "A"]),
        ("<!--\n# no\n-->\n\n# A\n", ["stem", "A"]),
        ("<pre>\n# no\n\n# no\n</pre>\n# A\n", ["stem", "A"]),
        ("<pre>one line</pre>\n# A\n<prefix>\n# B\n", ["stem", "A", "B"]),
        ("~~~\n# no\n```\n# no\n~~~\n# A\n", ["stem", "A"]),
        ("```\n# never closed\n", ["stem"]),
        ("#hashtag\n####### seven\n    # code\n", ["stem"]),
        ("Two\nlines\n===\n", ["Two lines"]),
        ("> quote\n---\n", ["stem"]),
        ("#\n## Below\n", ["", "Below"]),
        ("\n\n", []),
    ],
)  # fmt: skip
def test_what_is_a_markdown_heading(text: str, expected: list[str]) -> None:
    assert [name for name, _, _ in names(text, "markdown")] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Short\n====\n", ["Short"]),
        ("Too short\n===\n", ["stem"]),
        ("ab\n==\n", ["ab"]),
        ("a paragraph\ngoes on\n=======\n", ["stem"]),
        ("====  ====\na     b\n====  ====\n", ["stem"]),
        ("A\n^^^^\n\nB\n~~~~\n\nC\n^^^^\n", ["A", "A > B", "C"]),
        ("A\n----\nB\n....\n", ["A", "A > B"]),
    ],
)
def test_what_is_a_restructuredtext_heading(text: str, expected: list[str]) -> None:
    assert [name for name, _, _ in names(text, "rst")] == expected


def test_plain_text_with_directives_and_headings_is_restructuredtext() -> None:
    assert markup_language("text", ".. _a:\n\nTitle\n=====\n") == "rst"
    assert markup_language("text", "Title\n=====\n") == "text"
    assert markup_language("text", "See :doc:`a`.\n") == "text"
    assert markup_language("python", ".. _a:\n\nTitle\n=====\n") == "python"


def test_an_api_page_says_what_it_documents() -> None:
    text = """Managers
========

.. class:: Manager

   .. method:: get(*args)

.. py:function:: a.b()
.. note:: Not this.
"""

    assert declared_names(text) == ("Manager", "get", "a.b")


def test_the_purpose_is_the_path_of_headings_and_the_first_paragraph() -> None:
    data = GUIDE.encode()
    chunk = section_chunks(GUIDE, "markdown", "stem")[1]

    texts = chunk_texts("docs/guide.md", chunk, data)

    assert texts.purpose == (
        "docs guide Guide\nGuide\nWhat it is, in a few words."
    )  # fmt: skip
    assert texts.body.startswith("docs guide Guide\n# Guide #\n\nWhat it is,\n")


def test_a_long_section_may_be_split_between_paragraphs() -> None:
    chunk = section_chunks("# A\n\none\nmore\n\ntwo\n", "markdown", "stem")[0]

    assert chunk.breaks == ((5, 1), (15, 1))


def test_a_long_path_of_headings_is_capped() -> None:
    chunk = section_chunks(f"# {'long ' * 100}\n", "markdown", "stem")[0]

    assert len(chunk.symbol) == 200


@given(
    st.lists(
        st.sampled_from(
            ["# A", "## B", "===", "---", "====", "text", "", "```", "<!--", "-->", "é"]
        )
    ),
    st.sampled_from(["markdown", "rst"]),
)
def test_every_line_that_is_not_blank_lies_in_one_section(
    lines: list[str], language: str
) -> None:
    text = "\n".join(lines)

    chunks = section_chunks(text, language, "stem")

    covered = [n for c in chunks for n in range(c.start_line, c.end_line + 1)]
    assert len(covered) == len(set(covered))
    assert {n for n, line in enumerate(lines, 1) if line} <= set(covered)
    data = text.encode()
    for chunk in chunks:
        own = data[chunk.start_byte : chunk.end_byte].decode().rstrip("\n").split("\n")
        assert own == lines[chunk.start_line - 1 : chunk.end_line]


def test_a_long_file_is_read_in_one_pass() -> None:
    text = "\n".join(["word", "=" * 3] * 20_000)

    assert len(section_chunks(text, "markdown", "stem")) == 20_000
