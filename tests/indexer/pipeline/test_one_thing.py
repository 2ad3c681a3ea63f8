"""A file that is one thing is one chunk, whole, with the names at its top."""

from __future__ import annotations

import pytest

from indexer.pipeline.one_thing import (
    MAX_KEYS,
    OneThing,
    file_chunk,
    is_one_thing,
    leading_comment,
    one_thing_rule,
    top_keys,
)
from tests.files import chunk_texts


@pytest.mark.parametrize(
    ("path", "language", "expected"),
    [
        ("app/migrations/0001_initial.py", "python", True),
        ("app/migrations/__init__.py", "python", False),
        ("app/migrations/autodetector.py", "python", False),
        ("alembic/versions/1975ea83b712_add_users.py", "python", True),
        ("db/migrate/20240101_add_users.rb", "ruby", True),
        ("db/schema.rb", "ruby", True),
        ("migrations/2024/up.sql", "sql", True),
        ("src/db/V2__add.sql", "sql", True),
        ("queries.sql", "sql", False),
        ("infra/main.tf", "terraform", True),
        ("Dockerfile", "dockerfile", True),
        ("Makefile", "make", True),
        ("package.json", "json", True),
        ("pyproject.toml", "toml", True),
        (".gitignore", "ignore", True),
        ("requirements-dev.txt", "text", True),
        (".env.example", "text", True),
        ("pom.xml", "xml", True),
        ("page.xml", "xml", False),
        ("notes.txt", "text", False),
    ],
)
def test_which_files_are_one_thing(path: str, language: str, expected: bool) -> None:
    has_grammar = language in ("python", "ruby")

    rule = one_thing_rule(path.encode(), 100)
    assert is_one_thing(rule, language, has_grammar=has_grammar) == expected


def test_a_grammar_says_more_than_the_language() -> None:
    assert not is_one_thing(OneThing.BY_LANGUAGE, "terraform", has_grammar=True)


def test_a_large_file_is_more_than_one_thing() -> None:
    rule = one_thing_rule(b"Makefile", 64 * 1024 + 1)

    assert not is_one_thing(rule, "make", has_grammar=False)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("json", '{"a": {"b": 1}, "c": ["d", {"e": 2}], "f": "g"}', ("a", "c", "f")),
        ("json", '{"a\\"b": 1, "not": ', ('a\\"b', "not")),
        ("json", "[" * 5000, ()),
        ("yaml", "on: push\njobs:\n  test:\n    runs-on: x\n", ("on", "jobs")),
        ("toml", 'name = "x"\n[tool.ruff]\nline = 1\n[[a]]\n',
         ("name", "tool.ruff", "line", "a")),
        ("ini", "[mypy]\nstrict = true\n", ("mypy", "strict")),
        ("dockerfile", "FROM python:3.11 AS base\nRUN x\nCMD [\"a\"]\n",
         ("FROM python:3.11 AS base", 'CMD ["a"]')),
        ("make", "CC := gcc\nall: a b\n\techo: x\n.PHONY: all\n", ("all", ".PHONY")),
        ("terraform", 'resource "aws_s3_bucket" "logs" {\n  bucket = "x"\n}\n',
         ("resource aws_s3_bucket logs",)),
        ("python", "migrations.AddField(\n    model_name='user',\n)",
         ("AddField user",)),
        ("sql", "create table if not exists users (id int);", ("create table users",)),
        ("go-module", "module example.org/a\n\ngo 1.22\n",
         ("module example.org/a", "go 1.22")),
        ("text", "a = 1\n", ()),
    ],
)  # fmt: skip
def test_the_names_at_the_top(
    language: str, text: str, expected: tuple[str, ...]
) -> None:
    assert top_keys(text, language) == expected


def test_a_purpose_does_not_list_names_without_end() -> None:
    text = "".join(f"key{number}: 1\n" for number in range(1000))

    assert len(top_keys(text, "yaml")) == MAX_KEYS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#!/bin/sh\n# Builds it.\n# Twice.\n\n# Not this.\n", "Builds it.\nTwice."),
        ("/* Builds\n * it. */\nx", "Builds\nit."),
        ("<!-- Builds it. -->\n<a/>", "Builds it."),
        ('"""Adds users."""\nimport x\n', "Adds users."),
        ("# Copyright 2024 Somebody\n", ""),
        ("a: 1\n", ""),
        ("", ""),
    ],
)
def test_the_leading_comment_documents_a_file(text: str, expected: str) -> None:
    assert leading_comment(text) == expected


def test_the_chunk_is_the_whole_file() -> None:
    text = "\n# Continuous integration.\non: push\n\njobs:\n  test: 1\n\n"

    chunk = file_chunk(text, "yaml")
    texts = chunk_texts(".github/ci.yml", chunk, text.encode())

    assert (chunk.kind, chunk.symbol) == ("file", "")
    assert (chunk.start_line, chunk.end_line) == (2, 6)
    assert texts.purpose == ".github ci\nContinuous integration.\non, jobs"
    assert texts.body == (
        ".github ci\n# Continuous integration.\non: push\n\njobs:\n  test: 1\n"
    )


def test_a_long_file_may_be_split_at_the_margin() -> None:
    chunk = file_chunk("a:\n  b: 1\nc: 2\n", "yaml")

    assert chunk.breaks == ((10, 1),)
