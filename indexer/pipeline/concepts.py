"""Concepts: short queries about things that most repositories do not hold.

They stand for the queries that a build cannot answer. A build leaves out those
that it may hold after all, so what remains is absent by its own words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from indexer.pipeline.postings import Postings, find_chunks
from indexer.pipeline.terms import tokenize

_FILE = Path(__file__).with_name("absent_concepts.txt")
_HEAD = re.compile(r"\*(.+?)\*")


@dataclass(frozen=True, slots=True)
class Concept:
    """One query, and the terms without which nothing is about it."""

    text: str
    head: tuple[str, ...]


@cache
def all_concepts() -> tuple[Concept, ...]:
    """Return the concepts that are part of the product, in the order of their file."""
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    return tuple(read_concept(line) for line in lines if line and line[0] != "#")


def read_concept(line: str) -> Concept:
    """Return the concept of a line; its head is what stands between asterisks."""
    head = tokenize(" ".join(_HEAD.findall(line)))
    return Concept(line.replace("*", ""), tuple(dict.fromkeys(head)))


def absent_concepts(
    postings: Postings, concepts: Sequence[Concept] | None = None
) -> list[Concept]:
    """Return the concepts whose head no chunk holds whole; None is all of the file."""
    asked = all_concepts() if concepts is None else concepts
    return [one for one in asked if not _is_held(postings, one)]


def _is_held(postings: Postings, concept: Concept) -> bool:
    chunks = [find_chunks(postings, term)[0] for term in concept.head]
    held = chunks[0]
    for more in chunks[1:]:
        held = np.intersect1d(held, more, assume_unique=True)
    return len(held) > 0
