"""A file's language is told by its name, then by its first line."""

from __future__ import annotations

import pytest

from indexer.pipeline.languages import detect_language, has_symbols, is_data_file


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        (b"a/b.py", "", "python"),
        (b"a/B.PY", "", "python"),
        (b"a/b.pyi", "", "python"),
        (b"a.jsx", "", "javascript"),
        (b"a.mjs", "", "javascript"),
        (b"a.d.ts", "", "typescript"),
        (b"a.tsx", "", "tsx"),
        (b"a.go", "", "go"),
        (b"README.md", "", "markdown"),
        (b"a.html", "", "html"),
        (b"a.css", "", "css"),
        (b"Dockerfile", "", "dockerfile"),
        (b"Dockerfile.web", "", "dockerfile"),
        (b"Makefile", "", "make"),
        (b"odd/script.ts.txt", "", "text"),
        (b"odd/translations.ts", '<?xml version="1.0"?>', "xml"),
        (b"bin/tool", "#!/usr/bin/env -S python3 -u", "python"),
        (b"bin/tool", "#!/usr/bin/python3.11", "python"),
        (b"bin/runme", "#!/bin/sh", "bash"),
        (b"script/build", "#!/bin/sh", "bash"),
        (b"pkg/BUILD", "py_library()", "starlark"),
        (b"bin/noshebang", "def f(): pass", "text"),
        (b"odd/file.unknownext", "", "text"),
        (b"odd/\xff\xfe.py", "", "python"),
        (b"LICENSE", "", "text"),
        (b"bin/tool", "#!/usr/bin/env -S A=1 node --flag", "javascript"),
        (b"bin/tool", "#!/usr/bin/env -S uv run --script\nx = 1", "python"),
        (b"i18n/de.ts", "<!DOCTYPE TS>\n<TS></TS>", "xml"),
        (b"i18n/de.ts", '<TS version="2.1">', "xml"),
        (b"a.h", "int f(void);", "c"),
        (b"a.h", '/* a class of things\n   class one */\nextern "C" {', "c"),
        (b"a.h", "#pragma once\nnamespace a {\n}", "cpp"),
        (b"a.h", "template <class T> T f();", "cpp"),
        (b"a.h", "class A\n{\n};", "cpp"),
        (b"a.h", "class A final : public B {};", "cpp"),
        (b"a.h", "#import <A/A.h>\n@interface B\n@end", "objective-c"),
        (b"a.m", "@implementation A\n@end", "objective-c"),
        (b"a.m", "function y = f(x)\nend", "matlab"),
        (b"a.mli", "", "ocaml_interface"),
        (b"a.sol", "", "solidity"),
        (b"a.ipynb", "", "ipynb"),
        (b"a.svelte", "", "svelte"),
        (b"Fastfile", "", "ruby"),
    ],
)
def test_the_language_of(path: bytes, text: str, language: str) -> None:
    assert detect_language(path, text) == language


def test_languages_with_rules_and_mixed_ones_are_read_by_symbol() -> None:
    names = ["python", "tsx", "go", "sql", "vue", "ipynb", "cobol", "text"]

    assert [has_symbols(name) for name in names] == [True] * 6 + [False] * 2


@pytest.mark.parametrize(
    ("path", "size", "data"),
    [
        (b"locale/de/django.po", 10, True),
        (b"django.pot", 10, True),
        (b"package-lock.json", 10, True),
        (b"poetry.lock", 10, True),
        (b"go.sum", 10, True),
        (b"a.csv", 10, True),
        (b"icon.svg", 10, True),
        (b"big.json", 70_000, True),
        (b"package.json", 900, False),
        (b"big.py", 500_000, False),
        (b"tests/fixtures/users.json", 10, True),
        (b"tests/fixtures/conftest.py", 10, False),
        (b"fixtures.json", 10, False),
    ],
)
def test_data_files(path: bytes, size: int, data: bool) -> None:
    assert is_data_file(path, size) is data
