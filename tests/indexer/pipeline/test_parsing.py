"""The parser finds every definition a person would name, and never dies.

The cases are files made from public bug reports of comparable tools; what must
be found in each is written down in `expected.json`, whose `conventions` say how.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from indexer.pipeline.blobs import decode
from indexer.pipeline.chunking import chunk_file
from indexer.pipeline.embedded import readable_text
from indexer.pipeline.languages import detect_language
from indexer.pipeline.parsing import GrammarError, parse, self_test
from indexer.pipeline.types import ChunkKind, ParsedFile, Source, Symbol

CASES = Path(__file__).parents[2] / "cases" / "symbols"
# Parsed JSON has no static type.
FILES: dict[str, Any] = json.loads((CASES / "expected.json").read_text("utf-8"))[
    "files"
]
READ = sorted(name for name, case in FILES.items() if "skip" not in case)
WANTED = [
    (name, wanted)
    for name in READ
    for wanted in FILES[name]["symbols"]
    if wanted["level"] != "optional"
]


def parsed(name: str) -> ParsedFile:
    source = decode((CASES / "files" / name).read_bytes())
    assert isinstance(source, Source)
    language = detect_language(name.encode(), source.text)
    assert language == FILES[name]["language"]
    return parse(readable_text(source.text, language), language)


def accepted(wanted: dict[str, Any], key: str) -> list[Any]:
    other = wanted.get(f"{key.removesuffix('_line')}_alt", [])
    return [wanted[key], *(other if isinstance(other, list) else [other])]


def is_wanted(symbol: Symbol, wanted: dict[str, Any]) -> bool:
    doc = (symbol.doc or "").strip().split("\n")[0].strip() or None
    return (
        symbol.name in [wanted["name"], *wanted.get("aliases", [])]
        and symbol.kind.value in accepted(wanted, "kind")
        and symbol.start_line in accepted(wanted, "start_line")
        and symbol.end_line in accepted(wanted, "end_line")
        and doc in accepted(wanted, "doc")
        and symbol.cell == wanted.get("cell")
    )


@pytest.mark.parametrize(
    ("name", "wanted"),
    WANTED,
    ids=[f"{name}-{wanted['name']}" for name, wanted in WANTED],
)
def test_a_case_is_found_with_its_kind_lines_and_doc(
    name: str, wanted: dict[str, Any]
) -> None:
    assert [s.name for s in parsed(name).symbols if is_wanted(s, wanted)]


def test_all_required_symbols_of_the_cases_are_asked_for() -> None:
    required = [wanted for _, wanted in WANTED if wanted["level"] == "required"]

    assert (len(FILES), len(required)) == (37, 256)


@pytest.mark.parametrize("name", READ)
def test_nothing_forbidden_is_listed(name: str) -> None:
    found = {symbol.name.rpartition(".")[2] for symbol in parsed(name).symbols}

    assert found.isdisjoint(FILES[name].get("forbidden", []))


def test_the_documentation_of_a_module_is_kept() -> None:
    assert parsed("py_docstring_shapes.py").doc == "Module docstring."
    assert parsed("shebang_tool").doc is None
    assert parse("/* Copyright x */\n\n// Adds.\n\nlet a = 1;", "javascript").doc == (
        "Adds."
    )


def test_every_grammar_passes_its_self_test() -> None:
    self_test()


def test_a_language_without_rules_is_an_error() -> None:
    with pytest.raises(GrammarError, match="'cobol' has no rules"):
        parse("x", "cobol")


def test_signatures_are_heads_on_one_line() -> None:
    text = "@a\nasync def f(\n    x,\n) -> int:\n    # why\n    return x\n"

    symbol = parse(text, "python").symbols[0]

    assert symbol.signature == "async def f( x, ) -> int"
    assert symbol.decorators == ("@a",)


def test_a_trailing_comment_does_not_belong_to_the_definition() -> None:
    text = "def f():\n    pass\n    # about g\n\n\ndef g():\n    pass  # done\n"

    assert [(s.start_line, s.end_line) for s in parse(text, "python").symbols] == [
        (1, 2),
        (6, 7),
    ]


def test_imports_are_module_names_in_order_without_repeats() -> None:
    python = "from __future__ import x\nimport a.b as c, d\nfrom .e import f\nimport d"
    script = "import x from 'y';\nexport * from './z';\nconst q = require('fs');"

    assert parse(python, "python").imports == ("__future__", "a.b", "d", ".e")
    assert parse(script, "javascript").imports == ("y", "./z", "fs")


def test_heads_without_a_body_are_symbols_only_where_nothing_implements_them() -> None:
    whole = "function f(a: string): void;\nfunction f(a: any) { }\n"
    declared = "declare function f(a: string): void;\n"

    assert [s.start_line for s in parse(whole, "typescript").symbols] == [2]
    assert [s.name for s in parse(declared, "typescript").symbols] == ["f"]


def test_reading_goes_on_after_a_syntax_error() -> None:
    found = parsed("py_syntax_error_middle.py")

    assert [s.name for s in found.symbols] == ["first", "after", "Tail", "Tail.last"]
    assert found.unparsed == ((6, 8),)


def test_a_long_body_may_be_cut_at_its_statements() -> None:
    inner = "".join(f"        a{n} = {n} + 1\n" for n in range(60))
    text = f"def f(x):\n    '''Doc.'''\n    if x:\n{inner}    # why\n    return 1\n"

    breaks = parse(text, "python").symbols[0].breaks

    outer = [text[byte:].split("\n")[0] for byte, depth in breaks if depth == 0]
    assert outer == ["'''Doc.'''", "if x:", "# why"]
    assert len([byte for byte, depth in breaks if depth == 1]) == 60


def test_a_short_body_has_no_breaks() -> None:
    assert parse("def f():\n    return 1\n", "python").symbols[0].breaks == ()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("x = " + "[" * 20_000 + "]" * 20_000, "python"),
        ("x = " + "[" * 20_000 + "]" * 20_000, "javascript"),
        ("{(" * 20_000, "javascript"),
        ("x = " + " + ".join(["a"] * 3_000), "python"),
        ("x = " + " + ".join(["a"] * 3_000), "javascript"),
        ("x = '" + "a" * 160_000 + "'", "python"),
        ("var x = '" + "QUJD" * 40_000 + "';", "javascript"),
        ("def f():\n  x = )(\n" * 2_000, "python"),
        ("function ( {{ ] \n" * 2_000, "javascript"),
        ("function f(){" * 2_000 + "}" * 2_000, "javascript"),
        ("type X = " + "A<" * 5_000 + "B" + ">" * 5_000, "typescript"),
        ("x=" + "<a>" * 2_000 + "</a>" * 2_000, "tsx"),
        ("# x\n" * 50_000, "python"),
        ("", "python"),
        ("\x00\x0c\n", "python"),
    ],
    ids=range(15),
)
def test_no_input_ends_the_process(text: str, language: str) -> None:
    found = parse(text, language)

    assert chunk_file(text, found) or not text.strip()


def test_names_are_capped() -> None:
    text = "function f(){" * 500 + "}" * 500

    assert max(len(symbol.name) for symbol in parse(text, "javascript").symbols) == 255


def test_offsets_are_bytes_of_the_text() -> None:
    text = "# 🚀 é\ndef größe():\n    return 'é'\n"

    symbol = parse(text, "python").symbols[0]

    cut = text.encode()[symbol.start_byte : symbol.end_byte].decode()
    assert cut == "def größe():\n    return 'é'"
    assert symbol.kind is ChunkKind.FUNCTION


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ocaml", "open A\ntype b = { c : int }\nlet d e = e\nlet"),
        ("r", "library("),
        ("typescript", "x = memo("),
        ("lua", "require("),
    ],
)
def test_code_that_ends_too_early_is_read_as_far_as_it_goes(
    language: str, text: str
) -> None:
    assert parse(text, language).language == language
