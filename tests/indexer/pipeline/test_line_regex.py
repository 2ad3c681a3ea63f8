"""A line regex finds declared functions, and misses what a parser sees besides."""

from __future__ import annotations

from pathlib import Path

from indexer.pipeline.line_regex import Definition, count_shapes
from tests.files import read_file

FILES = Path(__file__).parents[2] / "cases" / "symbols" / "files"


def counted(name: str) -> dict[str, tuple[int, int | None]]:
    """Return symbols and found ones by shape, of one file."""
    text = (FILES / name).read_text()
    result = read_file(name, text)
    definitions = [
        Definition(result.line.language, one.kind, one.symbol, one.signature)
        for one in result.chunks
    ]
    return {one.shape: (one.symbols, one.found) for one in count_shapes(definitions)}


def test_arrow_functions_bound_to_a_name_are_missed() -> None:
    assert counted("js_arrow_exports.js") == {
        "arrow function bound to a name": (4, 0),
        "function declaration": (2, 1),  # `function* pages(` is not `function name(`
        "function expression bound to a name": (2, 0),
    }


def test_methods_are_missed_and_classes_are_not_asked_for() -> None:
    shapes = counted("js_class_fields.js")

    assert shapes["method"][1] == 0
    assert shapes["class"] == (2, None)


def test_python_definitions_are_found_wherever_they_are() -> None:
    shapes = counted("py_async_generators.py")

    assert shapes["function"][0] == shapes["function"][1]


def test_a_language_without_a_pattern_is_only_counted() -> None:
    assert all(found is None for _, found in counted("Orders.java").values())


def test_a_call_in_a_default_value_is_no_find() -> None:
    one = Definition("python", "function", "f", "def f(key=lambda: g())")
    other = Definition("javascript", "function", "f", "f = (g = function h() {})")

    assert [row.found for row in count_shapes([one, other])] == [0, 1]
