"""A stub passes on the definitions that its statements name, and no others."""

from __future__ import annotations

import pytest

from indexer.pipeline.reexports import Passed, find_reexports, read_statement
from tests.files import place_file


@pytest.mark.parametrize(
    ("text", "module", "names"),
    [
        ("from django.dispatch import Signal", ("django", "dispatch"), {"Signal"}),
        ("from .a import (b,\n c)", ("a",), {"b", "c"}),
        ("from .a import *", ("a",), None),
        ("export { b } from './lib/a.js'", ("lib", "a"), {"export", "b", "from"}),
        ("export * from '../router/index'", ("router",), None),
        ("export * as z from './z'", ("z",), None),
        ("module.exports = require('./lib/express')", ("lib", "express"), None),
        ("pub use crate::de::{Value, Error}", ("de",), {"Value", "Error"}),
        ("pub(crate) use self::a::*", ("a",), None),
        ('#include "uv/errno.h"', ("uv", "errno"), None),
    ],
)
def test_what_a_statement_passes_on(
    text: str, module: tuple[str, ...], names: set[str] | None
) -> None:
    words = None if names is None else frozenset(names)

    assert read_statement(text) == Passed(module, words)


@pytest.mark.parametrize(
    "text",
    ["import a.b", "from . import views", "__all__ = ('a',)", "export { a }", "mod a"],
)
def test_what_names_no_definition_of_a_module_passes_nothing_on(text: str) -> None:
    assert read_statement(text) is None


def pairs(files: dict[str, str]) -> set[tuple[str, str, str]]:
    """Return (stub's path, definition, its path)."""
    placed = [place_file(path, text) for path, text in sorted(files.items())]
    names = [
        (one.entry.path.decode(), symbol)
        for one in placed
        for symbol in one.file.symbols
    ]
    return {
        (names[stub][0], names[found][1], names[found][0])
        for stub, found in find_reexports(placed)
    }


CLASS = "class Signal:\n    def send(self):\n        return 1\n"


def test_a_package_passes_on_what_its_module_defines() -> None:
    files = {
        "app/dispatch/__init__.py": "from app.dispatch.dispatcher import Signal\n",
        "app/dispatch/dispatcher.py": CLASS,
        "app/other.py": CLASS,
    }

    assert pairs(files) == {
        ("app/dispatch/__init__.py", "Signal", "app/dispatch/dispatcher.py")
    }


def test_a_name_is_found_through_the_package_that_holds_its_module() -> None:
    files = {
        "app/__init__.py": "from .fields import Signal\n",
        "app/fields/char.py": CLASS,
    }

    assert pairs(files) == {("app/__init__.py", "Signal", "app/fields/char.py")}


def test_the_nearest_of_several_files_is_meant() -> None:
    files = {
        "a/__init__.py": "from .core import Signal\n",
        "a/core.py": CLASS,
        "b/core.py": CLASS,
        "index.py": "from core import Signal\n",
    }

    assert pairs(files) == {("a/__init__.py", "Signal", "a/core.py")}


def test_a_file_that_only_hands_another_on_passes_all_of_it_on() -> None:
    files = {
        "index.js": "'use strict';\n\nmodule.exports = require('./lib/shop');\n",
        "lib/shop.js": "function sell() {\n  return 1;\n}\nfunction buy() {}\n",
    }

    assert pairs(files) == {
        ("index.js", "sell", "lib/shop.js"),
        ("index.js", "buy", "lib/shop.js"),
    }


def test_the_imports_of_a_file_with_symbols_pass_nothing_on() -> None:
    files = {
        "a.py": "from b import Signal\n\n\ndef f():\n    return Signal()\n",
        "b.py": CLASS,
    }

    assert pairs(files) == set()


def test_an_explicit_export_does_beside_symbols() -> None:
    files = {
        "a.ts": "export { sell } from './b';\n\nexport function f() {\n  return 1\n}\n",
        "b.ts": "export function sell() {\n  return 1;\n}\n",
    }

    assert pairs(files) == {("a.ts", "sell", "b.ts")}


def test_a_name_of_another_package_is_not_ours() -> None:
    files = {
        "app/__init__.py": "from celery.core import Signal\n",
        "app/core.py": CLASS,
    }

    assert pairs(files) == set()
