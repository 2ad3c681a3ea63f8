"""The catalogue says of each chunk and file what a page and the ranking need."""

from __future__ import annotations

import pytest

from indexer.pipeline.paths import path_stem


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        (b"django/db/models/query.py", "query"),
        (b"django/db/__init__.py", "db"),
        (b"src/index.d.ts", "src"),
        (b"src/SqlMapper.Async.cs", "SqlMapper.Async"),
        (b"main.go", "main"),
        (b".gitignore", ".gitignore"),
        (b"a/\xff.py", "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_a_stem_is_the_file_s_name_or_its_folder_s(path: bytes, stem: str) -> None:
    assert path_stem(path) == stem
