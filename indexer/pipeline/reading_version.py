"""Reading version: what a packed file depends on besides its content and its rule."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import astuple
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path

from indexer.pipeline.path_rule import PathRule

_PACKAGES = ("tree-sitter", "tree-sitter-language-pack", "PyStemmer")


def file_key(oid: str, rule: PathRule, chunker: str, *, index_secrets: bool) -> bytes:
    """Return what a packed file is cached by: 32 bytes that tell all it depends on."""
    facts = f"{reading_version()} {oid} {chunker} {index_secrets} {_written(rule)}"
    return hashlib.sha256(facts.encode()).digest()


@lru_cache(maxsize=1 << 16)  # Thousands of files share the rule of their language.
def _written(rule: PathRule) -> str:
    return json.dumps(astuple(rule))


@cache
def reading_version() -> str:
    """Return what changes with our own code, the grammars, the stemmer and Python.

    Every source of the pipeline counts, whether it cuts files or not: a rule that was
    changed must never find what an earlier one made.
    """
    digest = hashlib.sha256(sys.version.encode())
    for package in _PACKAGES:
        digest.update(f"{package} {version(package)}\n".encode())
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
