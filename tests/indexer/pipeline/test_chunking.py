"""Chunks: one per symbol, the rest of the file in others, no line lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.pipeline.chunking import chunk_file
from indexer.pipeline.parsing import parse
from indexer.pipeline.types import Chunk, ChunkKind

CLASS = '''"""About money."""
import os

RATE = 2


class Money:
    """An amount."""

    zero = 0

    def add(self, other):
        return other

    # About sub.
    def sub(self, other):
        return other


def main():
    def inner():
        return 1

    return inner
'''


def chunks_of(text: str, language: str = "python") -> list[Chunk]:
    return chunk_file(text, parse(text, language))


def texts_of(text: str, chunk: Chunk) -> list[str]:
    data = text.encode()
    return [data[start:end].decode() for start, end in chunk.spans]


def test_there_is_one_chunk_per_symbol_and_one_for_the_rest() -> None:
    chunks = chunks_of(CLASS)

    assert [(c.symbol, c.kind.value, c.start_line, c.end_line) for c in chunks] == [
        ("", "module", 1, 4),
        ("Money", "class", 7, 17),
        ("Money.add", "method", 12, 13),
        ("Money.sub", "method", 16, 17),
        ("main", "function", 20, 24),
        ("main.inner", "function", 21, 22),
    ]


def test_a_class_has_its_text_without_its_methods_and_their_signatures() -> None:
    money = chunks_of(CLASS)[1]

    assert texts_of(CLASS, money) == [
        'class Money:\n    """An amount."""\n\n    zero = 0',
        "    # About sub.",
    ]
    assert money.members == ("def add(self, other)", "def sub(self, other)")
    assert money.doc == "An amount."


def test_a_function_keeps_its_whole_text() -> None:
    main = chunks_of(CLASS)[4]

    assert texts_of(CLASS, main) == [
        "def main():\n    def inner():\n        return 1\n\n    return inner"
    ]


def test_a_module_has_what_is_left_and_its_documentation() -> None:
    module = chunks_of(CLASS)[0]

    assert texts_of(CLASS, module) == ['"""About money."""\nimport os\n\nRATE = 2']
    assert module.doc == "About money."


def test_a_file_of_symbols_only_has_no_module_chunk() -> None:
    assert [c.symbol for c in chunks_of("def f():\n    pass\n")] == ["f"]


def test_punctuation_beside_a_symbol_is_no_module_text() -> None:
    assert [c.symbol for c in chunks_of("exports.f = () => 1;\n", "javascript")] == [
        "f"
    ]


def test_lines_that_could_not_be_parsed_are_windows() -> None:
    text = "import os\n\n\ndef broken(a, b:\n    x = (a +\n    return x\n"

    chunks = chunks_of(text)

    assert [(c.kind, c.start_line, c.end_line) for c in chunks] == [
        (ChunkKind.MODULE, 1, 1),
        (ChunkKind.WINDOW, 4, 6),
    ]


def test_an_empty_text_has_no_chunks() -> None:
    assert chunks_of("") == []
    assert chunks_of("\n \n") == []


def test_breaks_of_a_class_lie_in_its_own_text() -> None:
    fields = "".join(f"    field_{n} = {n}\n" for n in range(80))
    text = f"class A:\n{fields}\n    def f(self):\n        return 1\n"

    chunk = chunks_of(text)[0]

    assert len(chunk.breaks) == 80


LINES = st.sampled_from(
    [
        "",
        "x = 1",
        "# note",
        "@wrap",
        "def f(a):",
        "async def g(): return 1",
        "class A:",
        "class B: pass",
        '"""Doc."""',
        "'''",
        "if x:",
        "return (",
        ")",
        "h = lambda: 1; k = 2",
        "é = '🚀'",
        "\x0c",
        "}",
    ]
)
SOURCES = st.lists(
    st.builds(lambda depth, line: "    " * depth + line, st.integers(0, 3), LINES),
    max_size=40,
).map("\n".join)
SCRIPTS = st.lists(
    st.sampled_from(
        [
            "class A {",
            "f() {}",
            "g = () => {",
            "}",
            "};",
            "const a = () => 1, b = 2;",
            "export default {",
            "m: function () {},",
            "// note",
            "/** Doc. */",
            "@D",
            "namespace N {",
            "`${",
            "x = [",
            "]",
            "",
        ]
    ),
    max_size=30,
).map("\n".join)


def check(text: str, chunks: list[Chunk]) -> None:
    data = text.encode()
    covered = bytearray(len(data))
    for chunk in chunks:
        for start, end in chunk.spans:
            assert chunk.start_byte <= start < end <= chunk.end_byte <= len(data)
            assert data[start:end].decode().strip()
            assert data.count(b"\n", 0, start) + 1 >= chunk.start_line
            assert data.count(b"\n", 0, end - 1) + 1 <= chunk.end_line
            covered[start:end] = b"x" * (end - start)
    position = 0
    for line in data.split(b"\n"):
        if line.strip():
            assert any(covered[position : position + len(line)]), line
        position += len(line) + 1
    assert len({(c.symbol, c.start_byte) for c in chunks}) == len(chunks)
    assert [c.start_byte for c in chunks] == sorted(c.start_byte for c in chunks)


@settings(max_examples=300, deadline=None)
@given(SOURCES)
def test_no_line_of_a_python_file_is_lost(text: str) -> None:
    chunks = chunks_of(text)

    check(text, chunks)
    assert chunks == chunks_of(text)


@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
@settings(max_examples=100, deadline=None)
@given(text=SCRIPTS)
def test_no_line_of_a_script_is_lost(language: str, text: str) -> None:
    check(text, chunks_of(text, language))
