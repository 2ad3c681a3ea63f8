"""Secrets are known by path and content; code that names a key is no secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from indexer.pipeline.blobs import MAX_BLOB, BlobReader, decode
from indexer.pipeline.path_rule import rule_of
from indexer.pipeline.reading import (
    load_content,
    read_content,
    shown_source,
    skipped,
    unread_reason,
)
from indexer.pipeline.secret_files import is_key_file, is_secret_path, key_lines
from indexer.pipeline.types import SkipReason, Source
from tests.files import entry_of, read_file

DATA = "MIIEowIBAAKCAQEA0exampleexampleexample0123456789\n"
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{DATA}{DATA}-----END RSA PRIVATE KEY-----\n"
CODE = f'"""Test keys."""\n\nKEY = """\\\n{KEY}"""\n\n\ndef key():\n    return KEY\n'


class Heads(BlobReader):
    """Reads the start of one blob."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read_many(self, wanted: Sequence[tuple[str, int | None]]) -> Iterator[bytes]:
        """Yield as much of the blob as is wanted."""
        return (self.data[:limit] for _, limit in wanted)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".env", True),
        ("deploy/.env.production", True),
        (".env.example", False),
        ("src/env.py", False),
        ("home/.ssh/id_ed25519", True),
        ("id_ed25519.pub", False),
        ("store.p12", True),
        ("deploy.ppk", True),
    ],
)
def test_secret_paths(path: str, expected: bool) -> None:
    assert is_secret_path(path.encode()) == expected


def test_a_file_that_is_a_private_key_is_a_secret() -> None:
    assert is_key_file(KEY)
    assert is_key_file(f"\n{KEY}{KEY}")
    assert not is_key_file(CODE)
    assert not is_key_file("-----BEGIN PUBLIC KEY-----\nabc\n")


def test_a_key_within_code_is_left_out_and_the_code_stays() -> None:
    result = read_file("keys.py", CODE)

    assert (result.line.reason, result.line.partial) == (SkipReason.SECRET, ((5, 6),))
    assert "MIIE" not in "".join(texts.body for texts in result.texts)
    assert [chunk.symbol for chunk in result.chunks] == ["", "key"]


def test_a_key_of_many_lines_is_a_secret() -> None:
    block = "PGP PRIVATE KEY BLOCK-----\n"
    key = f"-----BEGIN {block}\n{DATA * 400}-----END {block}"

    assert is_key_file(key)
    assert key_lines(f"# keys\n{key}") == ((3, 403),)


def test_headers_without_end_take_no_time() -> None:
    assert key_lines("-----BEGIN PRIVATE KEY-----\n" * 30_000) == ()


def test_a_key_is_indexed_where_it_is_wanted() -> None:
    result = read_file("keys.py", CODE, index_secrets=True)

    assert (result.line.reason, result.line.partial) == (None, ())


def test_a_key_within_data_is_left_out() -> None:
    text = f'msgid "invoice"\n{KEY}'

    result = read_file("de.po", text)

    assert (result.line.reason, result.line.partial) == (SkipReason.SECRET, ((3, 4),))
    assert "invoice" in result.head
    assert "MIIE" not in result.head


@pytest.mark.parametrize(
    ("path", "reason", "head"),
    [
        (".env", SkipReason.SECRET, ""),
        ("dump.sql", SkipReason.TOO_LARGE, "invoices\n"),
    ],
)
def test_a_large_file_gives_no_secret_away(
    path: str, reason: SkipReason, head: str
) -> None:
    data = f"invoices\n{KEY}".encode() + b"x\n" * MAX_BLOB
    large = entry_of(path, len(data))
    rule = rule_of(large)

    unread = unread_reason(large, index_secrets=False)
    head_read = load_content(Heads(data), large, rule)
    result = (
        skipped(rule, unread) if unread else read_content(rule, head_read, "symbol")
    )

    assert (result.line.reason, result.head) == (reason, head)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('if "-----BEGIN PRIVATE KEY-----" in text:\n    pass\n', ()),
        (f'KEY = "-----BEGIN PRIVATE KEY-----\\n{DATA.strip()}"\n', ((1, 1),)),
        ("-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n", ()),
        (f"-----BEGIN PRIVATE KEY-----\n{DATA}", ()),
    ],
)
def test_a_header_without_a_key_is_no_secret(
    text: str, expected: tuple[tuple[int, int], ...]
) -> None:
    assert key_lines(text) == expected


def test_a_page_shows_no_secret_either() -> None:
    assert shown_source(b".env", b"A=1\n") is SkipReason.SECRET
    shown = shown_source(b"keys.py", CODE.encode())
    assert isinstance(shown, Source)
    assert "MIIE" not in shown.text
    assert shown.text.count("\n") == CODE.count("\n")
    wanted = shown_source(b".env", b"A=1\n", index_secrets=True)
    assert wanted == decode(b"A=1\n")
