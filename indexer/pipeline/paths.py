"""Paths: bytes in a tree, shown to people and written into addresses."""

from __future__ import annotations

from urllib.parse import quote

# Their name says nothing: the folder's does.
NAMELESS_FILES = frozenset({"__init__", "index", "mod", "lib", "main"})


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


def path_stem(path: bytes) -> str:
    """Return what a file is called: its name without the last extension.

    The folder's name where its own says nothing (`__init__.py`, `index.d.ts`).
    """
    *folders, name = path.decode("utf-8", "replace").split("/")
    if name.split(".")[0] in NAMELESS_FILES and folders:
        return folders[-1]
    return name.rpartition(".")[0] or name


def path_parts(path: bytes) -> tuple[str, ...]:
    """Return the folders of a path and its file's name without extensions.

    Without a name that says nothing, unless it is all there is.
    """
    *folders, name = path.decode("utf-8", "replace").split("/")
    stem = name.split(".")[0] or name
    if stem in NAMELESS_FILES and folders:
        return tuple(folders)
    return (*folders, stem)
