"""A glob describes whole paths, from any folder on, or from the root."""

from __future__ import annotations

import pytest

from indexer.pipeline.globs import GlobError, as_written, glob_regex
from indexer.pipeline.literals import Pattern, compile_pattern

PATHS = ["setup.py", "src/a.py", "src/deep/er/b.py", "docs/src/c.ts", "x+y.md"]


def matched(glob: str) -> list[str]:
    pattern = compile_pattern(Pattern(glob_regex(glob), is_regex=True))
    return [path for path in PATHS if pattern.search(f"/{path}".encode())]


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("*.py", ["setup.py", "src/a.py", "src/deep/er/b.py"]),
        ("/*.py", ["setup.py"]),
        ("src/*", ["src/a.py", "docs/src/c.ts"]),
        ("/src/*", ["src/a.py"]),
        ("/src/**", ["src/a.py", "src/deep/er/b.py"]),
        ("/src/**/*.py", ["src/a.py", "src/deep/er/b.py"]),
        ("**/er/", ["src/deep/er/b.py"]),
        ("**/er/*", ["src/deep/er/b.py"]),
        ("d*/", ["src/deep/er/b.py", "docs/src/c.ts"]),
        ("?.{py,ts}", ["src/a.py", "src/deep/er/b.py", "docs/src/c.ts"]),
        ("[ab].*", ["src/a.py", "src/deep/er/b.py"]),
        ("[!ab].{t{s,sx},md}", ["docs/src/c.ts"]),
        ("x+y.*", ["x+y.md"]),
        ("*.p", []),
    ],
)
def test_a_glob_describes_paths(glob: str, paths: list[str]) -> None:
    assert matched(glob) == paths


@pytest.mark.parametrize("path", ["app/[id]/{x}/*.py", "[[...all]]/", "a\\*"])
def test_a_path_with_signs_is_written_so_that_it_is_found(path: str) -> None:
    pattern = compile_pattern(Pattern(glob_regex(as_written(path)), is_regex=True))

    assert pattern.search(f"/{path}".encode())
    assert not pattern.search(b"/app/i/x/a.py")


def test_a_path_without_signs_is_written_as_it_is() -> None:
    assert as_written("a\\b, c}/x.py") == "a\\b, c}/x.py"


@pytest.mark.parametrize("glob", ["a[b", "{a,b"])
def test_a_glob_that_is_not_closed_is_refused(glob: str) -> None:
    with pytest.raises(GlobError, match="nothing closes its"):
        glob_regex(glob)
