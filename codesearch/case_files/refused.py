"""Refused lines: kept as bytes, shown with their reasons, and given back to mend."""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence

from codesearch.case_files.records import Problem


def pack_refused(head: str, problems: Sequence[Problem]) -> bytes:
    """Return lines that were not taken as xz of JSON; `head` goes before them."""
    rows = [[one.place, one.text, one.sentence] for one in problems]
    return lzma.compress(json.dumps([head, rows]).encode())


def unpack_refused(packed: bytes) -> tuple[str, list[Problem]]:
    """Return the head and the lines that were packed."""
    head, rows = json.loads(lzma.decompress(packed))
    return head, [Problem(*row) for row in rows]


def write_refused(head: str, problems: Sequence[Problem]) -> str:
    """Return the lines as they were, each once, after their head if they have one."""
    lines = dict.fromkeys(one.text for one in problems)
    return "".join(f"{line}\n" for line in ([head] if head else []) + list(lines))
