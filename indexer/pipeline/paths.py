"""Paths: bytes in a tree, shown to people and written into addresses."""

from __future__ import annotations

from urllib.parse import quote


def display_path(path: bytes) -> str:
    """Return a path as people read it, other bytes than UTF-8 as escapes.

    Two paths may look alike: tell them apart by their bytes.
    """
    return path.decode("utf-8", "backslashreplace")


def path_url(path: bytes | memoryview) -> str:
    """Return a path as part of an address: its bytes, percent-encoded.

    PostgreSQL gives a row's bytes as a `memoryview`.
    """
    return quote(bytes(path), safe="/")


def printable(text: str) -> str:
    """Return text for a terminal, its unseen characters written out."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
