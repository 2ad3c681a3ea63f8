"""Sentences: what the documentation of a build says, as queries with an answer.

The first sentence of a symbol's docs asks, in a person's words, for something
that the build holds. Its own chunk is held out when it is asked, so that the
sentence has to be answered by what stands around it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from indexer.pipeline.terms import tokenize, words
from indexer.pipeline.types import NONE, ChunkKind, Mark

SENTENCES = 200  # Encoded once a build, 10 ms each; the rate's error is then 2 %.
WORDS = range(3, 17)  # Stop words aside: shorter are labels, longer seldom asked.
_FILE = "sentences.json"

_NOT_WRITTEN_HERE = {Mark.GENERATED, Mark.VENDORED, Mark.TEST, Mark.EXAMPLE}
# Definitions come first; these fill up where few definitions have docs.
_NOT_DEFINITIONS = {ChunkKind.SECTION, ChunkKind.FILE, ChunkKind.MODULE}
_END = re.compile(r"(?<=[^\W\d]{2})[.!?:](?=\s|$)")
_PROSE = re.compile(r"[^\W\d_][^(){}\[\]<>=;|*`@\\]*\Z")


def choose_sentences(
    sentences: Iterable[tuple[int, str]],
    *,
    kinds: Sequence[str],
    marks: Sequence[Sequence[str]],
    duplicate_of: Sequence[int] | npt.NDArray[np.int32],
) -> list[tuple[int, str]]:
    """Return up to 200 of (chunk ordinal, first sentence), no sentence twice.

    `kinds`, `marks` and `duplicate_of` (NONE for no copy) are those of all chunks. The
    choice is by the hash of the sentence, so that a change elsewhere in the repository
    seldom changes it.
    """
    found: dict[str, tuple[bool, bytes, int]] = {}
    for ordinal, sentence in sentences:
        is_copy = duplicate_of[ordinal] != NONE
        if is_copy or not _NOT_WRITTEN_HERE.isdisjoint(marks[ordinal]):
            continue
        fills_up = kinds[ordinal] in _NOT_DEFINITIONS
        digest = hashlib.sha256(sentence.encode("utf-8", "replace")).digest()
        found.setdefault(sentence, (fills_up, digest, ordinal))
    chosen = sorted(found, key=found.__getitem__)[:SENTENCES]
    return [(found[sentence][2], sentence) for sentence in chosen]


def opening_sentence(doc: str) -> str:
    """Return the first sentence of a doc as it is, on one line, without its stop."""
    paragraph = " ".join(doc.strip().partition("\n\n")[0].split())
    return _END.split(paragraph, maxsplit=1)[0]


def first_sentence(doc: str) -> str:
    """Return the first sentence of a doc, "" if it is no prose of 3 to 16 words."""
    sentence = opening_sentence(doc)
    counted = sum(bool(tokenize(word)) for word in words(sentence))
    return sentence if _PROSE.match(sentence) and counted in WORDS else ""


def save_sentences(sentences: Sequence[tuple[int, str]], folder: Path) -> None:
    """Write the sentences into `folder`."""
    (folder / _FILE).write_text(json.dumps(sentences), encoding="ascii")


def load_sentences(folder: Path) -> list[tuple[int, str]]:
    """Return the sentences in `folder`; a build of an earlier version has none."""
    path = folder / _FILE
    if not path.exists():
        return []
    return [(ordinal, sentence) for ordinal, sentence in json.loads(path.read_bytes())]
