"""Records: the payload of a shared result in few bytes, and back, without loss.

A pool of 200 is 590 kB of JSON, nearly all of it numbers, and 56 kB as xz. The points
of a structural score are value times weight: without them it is 48 kB.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator

from codesearch.payloads import Payload, beneath

VERSION = 2  # In `record` of the payload; records of before have no such key.


def pack(payload: Payload) -> bytes:
    """Return a payload as xz of its JSON, points left out. It is not changed."""
    packed: Payload = json.loads(json.dumps(payload))
    for term in _terms(packed):
        del term["points"]
    return lzma.compress(json.dumps(packed, separators=(",", ":")).encode("ascii"))


def unpack(packed: bytes) -> Payload:
    """Return the payload that was packed, equal to the last bit of each number."""
    payload: Payload = json.loads(lzma.decompress(packed))
    for term in _terms(payload):
        value = term["value"]
        term["points"] = 0.0 if value is None else value * term["weight"]
    return payload


def _terms(payload: Payload) -> Iterator[Payload]:
    """Yield the terms of the structural score of each hit; they are value * weight."""
    for first in payload.get("hits", ()):
        for hit in (first, *beneath(first)):
            yield from hit["rerank"]["terms"]
