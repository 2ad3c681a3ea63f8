"""Blobs: read them by object id, decode them, and say why one is skipped.

The decode ladder and the skip rules are those that the hard cases assume: byte
order mark, then NUL, then UTF-8, then a coding cookie, then Latin-1.
"""

from __future__ import annotations

import codecs
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from indexer.pipeline.git_command import GitError, UnreadBlobError, open_blob_process
from indexer.pipeline.pipes import widen
from indexer.pipeline.types import SkipReason, Source, TreeEntry

MAX_BLOB = 1024 * 1024  # bytes; larger files are generated or data in practice
ASKED_AHEAD = 64  # Blobs that git may read before they are taken.
BINARY_PROBE = 8192  # bytes looked at for a NUL, as git does

LONG_LINE = 1000  # characters; people wrap code long before
DENSE_SHARE = 0.8  # of a file's characters in such lines: nobody wrote it so
MAX_SPACES = 0.1  # prose in one line per paragraph has 15 % spaces, bundles 5 %
ENCODED_RUN = 60  # characters without a break: base64 is wrapped at 64 or 76
ENCODED_ALPHABET = 12  # different characters in a run; a ruler of dashes has one
CODE_SHARE = 1 / 3  # of the lines are plain: the file is more than its blobs

_MODE_REASONS = {"120000": SkipReason.SYMLINK, "160000": SkipReason.SUBMODULE}
# The marks of UTF-32 come first: UTF-16's little-endian one begins like its own.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_COOKIE = re.compile(rb"coding[:=][ \t]*([-\w.]+)")
# A cookie is untrusted: codecs such as punycode or rot13 are no file encodings.
_COOKIE_CODECS = re.compile(
    r"(iso8859|cp\d|koi8|mac|euc|shift|gb|big5|hz|johab|iso2022|windows|latin|ascii)"
)
_ENCODED = re.compile(rf"[A-Za-z0-9+/=_-]{{{ENCODED_RUN},}}")
_WORD = re.compile(r"\w")


class BlobReader:
    """Reads blobs of one mirror through one `git cat-file --batch` process."""

    def __init__(self, mirror: Path) -> None:
        self._mirror = mirror
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> BlobReader:
        self._process = open_blob_process(self._mirror)
        widen(self._pipes()[1])
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()
        self._process = None

    def read(self, oid: str) -> bytes:
        """Return the blob's bytes. Raises GitError for what is not a blob here."""
        (data,) = self.read_many([(oid, None)])
        return data

    def read_many(self, wanted: Sequence[tuple[str, int | None]]) -> Iterator[bytes]:
        """Yield blobs in order, each whole or, with a limit, its first bytes.

        Git is asked for the next ones before these are taken, and reads meanwhile.
        """
        asked = 0
        for number, (oid, limit) in enumerate(wanted):
            if asked - number <= ASKED_AHEAD // 2:
                ahead = wanted[asked : number + ASKED_AHEAD]
                self._ask([oid for oid, _ in ahead])
                asked += len(ahead)
            yield self._take(oid, limit)

    def _ask(self, oids: Sequence[str]) -> None:
        """Ask for blobs, which are to be taken in this order."""
        for oid in oids:
            if not _OBJECT_ID.fullmatch(oid):
                raise GitError(f"{oid!r} is not an object id: take ids from the tree.")
        requests, _ = self._pipes()
        try:
            requests.write("".join(f"{oid}\n" for oid in oids).encode("ascii"))
            requests.flush()
        except BrokenPipeError:
            raise UnreadBlobError("Reading blobs ended early: index again.") from None

    def _take(self, oid: str, limit: int | None) -> bytes:
        """Return a blob that was asked for, or its first `limit` bytes."""
        _, output = self._pipes()
        kind, size = _answer(output.readline(), oid)
        if kind != b"blob":
            raise GitError(f"{oid} is not a file but a {kind.decode('ascii')}.")
        data = output.read(size if limit is None else min(limit, size))
        left = size + 1 - len(data)  # With the LF behind it.
        while left > 0 and (piece := output.read(min(left, MAX_BLOB))):
            left -= len(piece)
        if left:
            raise UnreadBlobError(
                f"Blob {oid} was cut short: check the mirror, index again."
            )
        return data

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """Return where git is asked and where it answers."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise GitError("The blob reader is closed: open it with a with statement.")
        return process.stdin, process.stdout


def skip_reason(entry: TreeEntry) -> SkipReason | None:
    """Return why the entry is skipped without reading it, None to read it."""
    if reason := _MODE_REASONS.get(entry.mode):
        return reason
    if entry.size == 0:
        return SkipReason.EMPTY
    if entry.size is not None and entry.size > MAX_BLOB:
        return SkipReason.TOO_LARGE
    return None


def decode(data: bytes, *, dense: bool = False) -> Source | SkipReason:
    """Return a blob's text with LF line ends, or why it is not one to search.

    `dense` lets minified and encoded text through: data files, of which only a
    summary is made.
    """
    if not data.strip():
        return SkipReason.EMPTY
    if data.startswith(_LFS_POINTER):
        return SkipReason.LFS_POINTER
    decoded = _decode_bytes(data)
    if isinstance(decoded, SkipReason):
        return decoded
    text, encoding = decoded
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        return SkipReason.EMPTY
    if not dense and (reason := _dense_reason(text)):
        return reason
    return Source(text=text, encoding=encoding)


def split_lines(text: str) -> list[str]:
    """Return the lines of `text` without their LF, cut at LF only.

    `str.splitlines` also cuts at form feeds and U+2028, and every line number
    behind one would be wrong. A last LF ends a line and begins none.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def encoded_lines(text: str) -> tuple[tuple[int, int], ...]:
    """Return the line ranges that are one encoded run: to be left out of chunks."""
    ranges: list[tuple[int, int]] = []
    if not _has_long_line(text):
        return ()
    for number, line in enumerate(split_lines(text), 1):
        if len(line) <= LONG_LINE or _encoded_length(line) <= len(line) / 2:
            continue
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return tuple(ranges)


def _answer(header: bytes, oid: str) -> tuple[bytes, int]:
    fields = header.split()
    if len(fields) != 3:
        raise UnreadBlobError(f"Blob {oid} is missing from the mirror: fetch it again.")
    return fields[1], int(fields[2])


def _decode_bytes(data: bytes) -> tuple[str, str] | SkipReason:
    for mark, codec, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return data.decode(codec), name
            except UnicodeDecodeError:
                break
    if b"\0" in data[:BINARY_PROBE]:
        return SkipReason.BINARY
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _decode_legacy(data)


def _decode_legacy(data: bytes) -> tuple[str, str] | SkipReason:
    """Decode by the cookie of the first two lines, else as Latin-1."""
    head = b"\n".join(data[:BINARY_PROBE].split(b"\n", 2)[:2])
    if found := _COOKIE.search(head):
        try:
            codec = codecs.lookup(found[1].decode("ascii")).name
            if _COOKIE_CODECS.match(codec):
                return data.decode(codec), codec
        except (LookupError, UnicodeError):
            pass  # an unknown or wrong cookie: the next step of the ladder
    controls = sum(data[:BINARY_PROBE].count(byte) for byte in range(1, 8))
    if controls > BINARY_PROBE // 100:
        return SkipReason.UNDECODABLE
    return data.decode("latin-1"), "latin-1"


def _has_long_line(text: str) -> bool:
    return len(text) > LONG_LINE and any(
        len(line) > LONG_LINE for line in text.split("\n")
    )


def _dense_reason(text: str) -> SkipReason | None:
    lines = [line for line in text.split("\n") if line.strip()]
    if len(text) > ENCODED_RUN and _is_encoded(lines):
        return SkipReason.ENCODED
    dense = [line for line in lines if len(line) > LONG_LINE and _is_dense(line)]
    real = [line for line in lines if len(line) <= LONG_LINE and _WORD.search(line)]
    if sum(map(len, dense)) <= DENSE_SHARE * len(text) or _blobs_only(dense, real):
        return None
    return SkipReason.MINIFIED


def _is_encoded(lines: list[str]) -> bool:
    """Tell whether encoded runs make up the file and nearly no line is left."""
    lengths = [_encoded_length(line) for line in lines]
    total = sum(map(len, lines))
    if sum(lengths) <= total / 2:
        return False
    return lengths.count(0) < CODE_SHARE * len(lines)


def _blobs_only(dense: list[str], real: list[str]) -> bool:
    """Tell whether the dense lines are encoded blobs inside a real file."""
    return bool(real) and all(_encoded_length(line) > len(line) / 2 for line in dense)


def _is_dense(line: str) -> bool:
    return line.isascii() and line.count(" ") < MAX_SPACES * len(line)


def _encoded_length(line: str) -> int:
    if len(line) < ENCODED_RUN:
        return 0
    return sum(
        len(run)
        for run in _ENCODED.findall(line)
        if len(run) > LONG_LINE or len(set(run)) >= ENCODED_ALPHABET
    )
