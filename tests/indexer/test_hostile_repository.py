"""The hostile repository of the cases gives exactly its expectation, counts too.

`tests/cases/repository` holds the script that makes it and what is right. It is
built as any repository is: fetched, read, cut, published.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from indexer import services
from indexer.access import ANYONE
from indexer.files import read_file
from indexer.models import Build, Chunk, Repository
from indexer.pipeline.languages import has_symbols
from indexer.pipeline.surfaces import load_texts
from indexer.places import lexical_folder
from tests.conftest import run_git
from tests.encoders import WordEncoder

pytestmark = pytest.mark.django_db

CASES = Path(__file__).resolve().parent.parent / "cases" / "repository"
# Any: JSON, its shape is that of the file.
EXPECTED: dict[str, Any] = json.loads((CASES / "expected.json").read_text("utf-8"))
MARKED: dict[str, list[str]] = EXPECTED["indexed_but_marked"]
ORIGINAL = "duplicate_of src/app.py"


@pytest.fixture
def source(hostile_repository: Path) -> Path:
    return hostile_repository


@pytest.fixture
def build(data_dir: Path, encoder: WordEncoder, source: Path) -> Build:
    return build_of("hostile", source)


def build_of(name: str, source: Path) -> Build:
    index = services.register(name=name, source=str(source))
    build = services.request_build(index=index, enqueue=False)
    return services.finish_build(build=build)


def bodies(build: Build) -> list[str]:
    """The body text of every chunk, by ordinal."""
    lexical = lexical_folder(build)
    return load_texts(lexical / "body", range(build.chunk_count))


def chunks_of(build: Build, name: str) -> list[Chunk]:
    """The chunks of a path or of a symbol; where no grammar is, those that say it."""
    texts = bodies(build)
    return [
        chunk
        for chunk in build.chunks.select_related("file")
        if name in (chunk.file.path, chunk.symbol)
        or (not has_symbols(chunk.file.language) and name in texts[chunk.ordinal])
    ]


def test_every_tree_entry_has_one_outcome_and_they_add_up(build: Build) -> None:
    indexed = build.files.exclude(mode="").filter(reason="").count()
    partial = build.files.exclude(mode="").exclude(reason="").count()
    skipped = build.files.filter(mode="").exclude(reason="").count()

    assert (indexed, partial, skipped) == (43, 1, 11)
    assert indexed + partial + skipped == EXPECTED["tree_entries"]
    assert build.file_count == EXPECTED["tree_entries"]


def test_what_is_skipped_is_skipped_for_the_reason_expected(build: Build) -> None:
    found: dict[str, list[str]] = {}
    for path, reason in build.files.filter(mode="").values_list("path", "reason"):
        found.setdefault(reason, []).append(path)

    expected = EXPECTED["skipped_with_reason"]
    assert found == {reason: sorted(paths) for reason, paths in expected.items()}


def test_the_default_branch_is_built_whatever_its_name(
    build: Build, source: Path
) -> None:
    trunk = run_git(source, "rev-parse", EXPECTED["default_branch"]).strip()

    assert build.revision == trunk


def test_no_odd_name_keeps_a_file_out(build: Build) -> None:
    names = EXPECTED["indexed_symbols"]

    assert [name for name in names if not chunks_of(build, name)] == []


def test_what_is_not_in_the_tree_never_appears(build: Build) -> None:
    texts = "\n".join(bodies(build))
    paths = set(build.files.values_list("path", flat=True))

    assert [name for name in EXPECTED["must_never_appear"] if name in texts] == []
    assert paths.isdisjoint(EXPECTED["absent_not_tree_entries"])


def test_a_link_gives_nothing_of_what_it_points_to(build: Build) -> None:
    links = build.files.filter(path__in=EXPECTED["skipped_with_reason"]["symlink"])

    assert links.count() == 5
    for link in links:
        # A link is a blob that holds a path; that it was followed would show here.
        assert (link.mode, link.lines, link.chunk_count, link.place) == ("", 0, 0, None)
        shown = read_file(ANYONE, "hostile", build.revision, bytes(link.path_bytes))
        assert shown is not None
        assert (shown.text, shown.reason) == (None, "symlink")


def test_what_is_marked_is_indexed_all_the_same(build: Build) -> None:
    for mark in ("vendored", "generated", "test"):
        for name in MARKED[mark]:
            found = chunks_of(build, name)

            assert found
            assert all(mark in chunk.marks for chunk in found)
            assert all(mark in chunk.file.marks for chunk in found)


def test_nothing_else_is_marked_so(build: Build) -> None:
    marked = {
        mark: sorted(f.path for f in build.files.exclude(mode="") if mark in f.marks)
        for mark in ("vendored", "generated", "test")
    }

    assert marked == {
        "vendored": [
            "node_modules/pkg/index.js",
            "third_party/copy/app.py",
            "vendor/github.com/x/y.go",
        ],
        "generated": ["src/gen/api_pb2.py"],
        "test": ["tests/test_app.py"],
    }


def test_a_copy_names_the_first_of_its_content(build: Build) -> None:
    chunks = list(build.chunks.select_related("file"))
    copies = {
        chunk.file.path: chunks[chunk.duplicate_of].file.path
        for chunk in chunks
        if chunk.duplicate_of is not None
    }

    assert copies == dict.fromkeys(MARKED[ORIGINAL], "src/app.py")


def test_a_stub_that_passes_names_on_is_marked(build: Build) -> None:
    stub = build.chunks.get(file__path="src/__init__.py")

    assert stub.marks == ["reexport"]


def test_without_grammar_and_rule_there_are_windows(build: Build) -> None:
    for path in EXPECTED["window_chunks_only"]:
        kinds = build.chunks.filter(file__path=path).values_list("kind", flat=True)

        assert set(kinds) == {"window"}


def test_the_language_is_that_of_the_content(build: Build) -> None:
    found = dict(
        build.files.filter(path__in=EXPECTED["language_traps"]).values_list(
            "path", "language"
        )
    )

    assert found == {
        "odd/header.h": "cpp",
        "odd/types.d.ts": "typescript",
        "bin/tool": "python",
        "bin/runme": "bash",
    }


def test_a_long_line_is_left_out_and_the_rest_is_found(build: Build) -> None:
    file = build.files.get(path="src/long_line.js")

    assert (file.mode, file.reason, file.partial) == ("symbol", "long_line", [[1, 1]])
    assert file.chunks.get(symbol="after_blob").start_line == 2


def test_a_file_that_is_too_large_is_a_place(build: Build) -> None:
    file = build.files.get(path="src/huge.py")
    assert file.place is not None
    lexical = lexical_folder(build)
    summary = load_texts(lexical / "summary", [file.place])[0]

    assert (file.mode, file.chunk_count) == ("", 0)
    assert summary.startswith("src/huge.py\nterms: ")
    assert "gen" in summary.split(": ")[1].split(", ")


def test_secrets_are_indexed_where_a_repository_wants_them(
    data_dir: Path, encoder: WordEncoder, source: Path
) -> None:
    services.register(name="open", source=str(source))
    Repository.objects.update(index_secrets=True)

    build = build_of("open", source)

    assert build.files.get(path="secret/.env").mode == "file"
    assert not build.files.filter(reason="secret").exists()
