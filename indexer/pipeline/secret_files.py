"""Secrets: files and lines that are not indexed unless a repository wants them.

Environment files and private keys, by path and by content. What merely names a
key's header, as code that reads keys does, is no secret.
"""

from __future__ import annotations

import re

from indexer.pipeline.blobs import split_lines

MAX_KEY_LINES = 2000  # RSA of 16,384 bits has 195; PGP with a photo many more

# Examples are made to be read.
_SECRET_PATH = re.compile(
    r"(?:^|/)(?:\.env|\.env\.(?!(?:example|sample|template|dist|defaults?)\Z)[\w.-]+"
    r"|\.netrc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|[^/]+\.(?:p12|pfx|jks|keystore|ppk))\Z"
)
KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY")
_KEY_DATA = re.compile(r"[A-Za-z0-9+/=]{24,}")


def is_secret_path(path: bytes) -> bool:
    """Tell whether a file's name says that it holds secrets."""
    return bool(_SECRET_PATH.search(path.decode("latin-1")))


def key_lines(text: str) -> tuple[tuple[int, int], ...]:
    """Return the line ranges that are the inside of private keys.

    The lines of the header and the footer stay where they have their own: so
    that a string around a key still opens and closes.
    """
    if not KEY_BEGIN.search(text):
        return ()
    lines = split_lines(text)
    found: list[tuple[int, int]] = []
    number = 0
    while number < len(lines):
        number += 1
        begin = KEY_BEGIN.search(lines[number - 1])
        if not begin:
            continue
        if _KEY_DATA.search(lines[number - 1], begin.end()):
            found.append((number, number))
            continue
        end = _key_end(lines, number)
        if end > number:
            found.append((number + 1, end))
            number = end
    return tuple(found)


def is_key_file(text: str) -> bool:
    """Tell whether a text is nothing but a private key."""
    if not KEY_BEGIN.match(text.lstrip()):
        return False
    lines = split_lines(text)
    inside = {n for a, b in key_lines(text) for n in range(a, b + 1)}
    rest = [
        line
        for number, line in enumerate(lines, 1)
        if line.strip() and number not in inside and not line.startswith("-----")
    ]
    return bool(inside) and len(rest) <= len(inside)


def _key_end(lines: list[str], begin: int) -> int:
    """Return the last line of the key whose header is line `begin`, or `begin`."""
    has_data = False
    for number in range(begin + 1, min(len(lines), begin + MAX_KEY_LINES) + 1):
        if _END.search(lines[number - 1]):
            return number - 1 if has_data else begin
        if KEY_BEGIN.search(lines[number - 1]):
            break
        has_data = has_data or bool(_KEY_DATA.search(lines[number - 1]))
    return begin
