"""Code inside other files keeps its place: bytes of the file, lines of its cell."""

from __future__ import annotations

import json

import pytest

from indexer.pipeline.chunking import chunk_file
from indexer.pipeline.embedded import MAX_BLOCKS, find_blocks, render_notebook
from indexer.pipeline.parsing import parse
from indexer.pipeline.types import FileMode
from tests.files import read_file


def notebook(*cells: tuple[str, str], language: str = "python") -> str:
    return json.dumps(
        {
            "cells": [{"cell_type": kind, "source": text} for kind, text in cells],
            "metadata": {"kernelspec": {"language": language}},
        }
    )


def test_a_notebook_is_its_cells_with_a_line_above_each() -> None:
    text = notebook(("markdown", "# Title\n\nWhy."), ("code", "x = 1\r\ny = 2\n"))

    assert render_notebook(text) == (
        "# %% [0] markdown\n# # Title\n#\n# Why.\n\n# %% [1] python\nx = 1\ny = 2\n"
    )


def test_the_third_version_of_the_format_is_read_too() -> None:
    cells = [{"cell_type": "code", "input": ["x = 1\n", "y = 2"]}]

    rendered = render_notebook(json.dumps({"worksheets": [{"cells": cells}]}))

    assert rendered == "# %% [0] python\nx = 1\ny = 2\n"


def test_half_a_character_in_a_notebook_becomes_a_replacement() -> None:
    text = '{"cells": [{"cell_type": "code", "source": "x = \'\\ud800\'"}]}'

    rendered = render_notebook(text)

    assert rendered == "# %% [0] python\nx = '\ufffd'\n"
    assert parse(rendered, "ipynb").unparsed == ()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "1", "{}", '{"cells": [1]}', "[" * 100_000]
)
def test_what_is_no_notebook_stays_as_it_is(text: str) -> None:
    assert render_notebook(text) == text
    assert parse(text, "ipynb").symbols == ()


def test_symbols_of_a_cell_have_lines_of_the_cell_and_bytes_of_the_text() -> None:
    text = render_notebook(
        notebook(("code", "é = 1"), ("code", "\ndef f():\n    pass"))
    )

    symbol = parse(text, "ipynb").symbols[0]

    assert (symbol.cell, symbol.start_line, symbol.end_line) == (1, 2, 3)
    cut = text.encode()[symbol.start_byte : symbol.end_byte].decode()
    assert cut == "def f():\n    pass"


def test_chunks_of_a_notebook_have_lines_of_the_text() -> None:
    text = render_notebook(notebook(("code", "x = 1"), ("code", "def f():\n    pass")))

    chunks = chunk_file(text, parse(text, "ipynb"))

    assert [(c.symbol, c.start_line, c.end_line) for c in chunks] == [
        ("", 1, 4),
        ("f", 5, 6),
    ]


def test_a_notebook_is_built_from_its_code_not_from_its_json() -> None:
    image = {"output_type": "display_data", "data": {"image/png": "QUJD" * 50_000}}
    cell = {"cell_type": "code", "source": "def f():\n    pass", "outputs": [image]}

    result = read_file("a.ipynb", json.dumps({"cells": [cell]}))

    assert (result.line.mode, result.line.lines) == (FileMode.SYMBOL, 3)
    assert result.line.partial == ()
    assert [(c.symbol, c.start_line) for c in result.chunks] == [("", 1), ("f", 2)]
    assert result.texts[1].body.endswith("def f():\n    pass")


def test_a_broken_cell_does_not_spoil_the_next() -> None:
    text = render_notebook(notebook(("code", "x = ((("), ("code", "def f(): pass")))

    found = parse(text, "ipynb")

    assert [symbol.name for symbol in found.symbols] == ["f"]
    assert found.unparsed == ((2, 2),)


def test_the_first_prose_is_the_documentation_of_a_notebook() -> None:
    text = render_notebook(notebook(("markdown", "# Title\nWhy."), ("code", "x = 1")))

    assert parse(text, "ipynb").doc == "Title\nWhy."


def test_cells_in_a_language_without_rules_have_no_symbols() -> None:
    text = render_notebook(notebook(("code", "def f(): pass"), language="cobol"))

    assert parse(text, "ipynb").symbols == ()


def test_scripts_are_found_in_their_language_where_they_stand() -> None:
    text = (
        "<template>ü</template>\n<script lang='ts'>a</script>\n"
        '<script setup generic="T extends Record<string, A>">b</script>\n'
        "<!-- <script>c</script> -->\n<script lang=coffee>d</script>\n"
        '<script type="text/template">e</script>\n<SCRIPT type="module">f</SCRIPT >\n'
    )

    blocks = find_blocks(text, "vue")

    assert [(b.language, b.text) for b in blocks] == [
        ("typescript", "a"),
        ("javascript", "b"),
        ("javascript", "f"),
    ]
    assert all(text[b.start :].startswith(b.text) for b in blocks)


@pytest.mark.parametrize(
    "text",
    [
        "<script>" * 20_000,
        "<script " + "'" * 20_001,
        "<!--" * 20_000,
        "<script a='" * 20_000,
        "<script></script>" * 20_000,
    ],
    ids=range(5),
)
def test_odd_markup_takes_no_time_and_ends_nothing(text: str) -> None:
    assert len(find_blocks(text, "svelte")) in (0, MAX_BLOCKS)
    assert parse(text, "svelte").symbols == ()
