"""Globs: paths described with `*` and `?`, as a regular expression of RE2.

`*` and `?` stand for anything but a slash, `**` for anything, `[a-z]` and `[!a-z]` for
one character, `{py,pyi}` for one of several texts; behind a backslash a sign is itself.
A glob ends where a path ends, and starts at any folder; one that starts with `/` starts
at the root, and one that ends with `/` means all within.
"""

from __future__ import annotations

import re

SIGNS = "*?[{"  # With none of these a text is no glob.
_SIGN = re.compile(r"[*?\[{\\]")
_PIECE = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|\\.|.", re.DOTALL)
_CLASS_SIGN = re.compile(r"[\\\[\]^]")
_ESCAPE = r"\\\g<0>"
_MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_SPECIAL = frozenset("\\.+*?()|[]{}^$")


class GlobError(ValueError):
    """A glob cannot be read; the message says why."""


def is_glob(text: str) -> bool:
    """Tell whether a text has signs of a glob."""
    return any(sign in text for sign in SIGNS)


def as_written(path: str) -> str:
    """Return what is written for a path as it is: `app/[id]/` describes another."""
    return _SIGN.sub(_ESCAPE, path) if is_glob(path) else path


def glob_regex(glob: str) -> str:
    """Return the expression of a glob, over paths with a slash in front.

    Raises GlobError.
    """
    body = glob + "**" if glob.endswith("/") else glob
    written, depth = [], 0
    for piece in _PIECE.findall(body):
        if piece == "{":
            depth += 1
            written.append("(?:")
        elif piece == "}" and depth:
            depth -= 1
            written.append(")")
        elif piece == "," and depth:
            written.append("|")
        else:
            written.append(_MEANINGS.get(piece) or _plain(piece))
    if depth:
        raise GlobError("nothing closes its {")
    start = "^" if glob.startswith("/") else "/"
    return f"{start}{''.join(written)}$"


def _plain(piece: str) -> str:
    if piece == "[":
        raise GlobError("nothing closes its [")
    if piece.startswith("["):
        inner = piece[1:-1]
        sign, inner = ("^", inner[1:]) if inner.startswith("!") else ("", inner)
        return f"[{sign}{_CLASS_SIGN.sub(_ESCAPE, inner)}]"
    text = piece[-1]
    return f"\\{text}" if text in _SPECIAL else text
