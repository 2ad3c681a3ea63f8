"""Languages beyond the first sixteen: the whole list of symbols of a file each.

The lists in `expected.json` were checked against the files by eye; lines and kinds
are as in the conventions of the cases in `tests/cases/symbols`.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from indexer.pipeline.chunking import chunk_file
from indexer.pipeline.embedded import readable_text
from indexer.pipeline.languages import detect_language
from indexer.pipeline.parsing import parse
from indexer.pipeline.types import ParsedFile

CASES = Path(__file__).parents[2] / "cases" / "symbols_more"
# Parsed JSON has no static type.
FILES: dict[str, Any] = json.loads((CASES / "expected.json").read_text("utf-8"))[
    "files"
]


def parsed(name: str) -> ParsedFile:
    text = (CASES / "files" / name).read_text("utf-8")
    language = detect_language(name.encode(), text)
    assert language == FILES[name]["language"]
    return parse(readable_text(text, language), language)


def test_every_file_has_its_list() -> None:
    assert {path.name for path in (CASES / "files").iterdir()} == set(FILES)


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_symbols_of(name: str) -> None:
    found = [
        (s.name, s.kind.value, s.start_line, s.end_line, s.cell)
        for s in parsed(name).symbols
    ]

    assert found == [
        (s["name"], s["kind"], s["start_line"], s["end_line"], s.get("cell"))
        for s in FILES[name]["symbols"]
    ]


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_documentation_of(name: str) -> None:
    found = [
        symbol.doc and symbol.doc.split("\n")[0] for symbol in parsed(name).symbols
    ]

    assert found == [symbol["doc"] for symbol in FILES[name]["symbols"]]


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_line_with_a_word_lies_in_a_chunk(name: str) -> None:
    text = (CASES / "files" / name).read_text("utf-8")
    readable = readable_text(text, FILES[name]["language"])
    lines = readable.encode().split(b"\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]

    spans = [
        span for chunk in chunk_file(readable, parsed(name)) for span in chunk.spans
    ]

    assert [
        line
        for line, start in zip(lines, starts, strict=False)
        if re.search(rb"\w", line)
        and not any(a < start + len(line) and start < b for a, b in spans)
    ] == []


@pytest.mark.parametrize("name", sorted(FILES))
def test_text_in_strings_comments_and_markup_is_no_symbol(name: str) -> None:
    names = {symbol.name.rpartition(".")[2] for symbol in parsed(name).symbols}

    assert names.isdisjoint(FILES[name].get("forbidden", []))
