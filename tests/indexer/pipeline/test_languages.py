"""A file's language is told by its name, then by its first line."""

from __future__ import annotations

import pytest

from indexer.pipeline.languages import detect_language, has_symbols, is_data_file


@pytest.mark.parametrize(
    ("path", "first_line", "language"),
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
        (b"bin/noshebang", "def f(): pass", "text"),
        (b"odd/file.unknownext", "", "text"),
        (b"odd/\xff\xfe.py", "", "python"),
        (b"LICENSE", "", "text"),
    ],
)
def test_the_language_of(path: bytes, first_line: str, language: str) -> None:
    assert detect_language(path, first_line) == language


def test_four_languages_are_read_by_symbol() -> None:
    names = ["python", "javascript", "typescript", "tsx", "go", "text"]

    assert [has_symbols(name) for name in names] == [True] * 4 + [False] * 2


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
