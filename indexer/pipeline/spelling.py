"""Spelling: the indexed names that a word nobody wrote may be meant for.

They are offered and never applied: the word stays unknown to every signal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import extract

from indexer.pipeline.terms import split_identifier

LEAST_LETTERS = 5  # Of a word; shorter ones have too many neighbours.
MOST_EDITS = 2
LEAST_PART = 3  # Letters of a part that says something about a name.
OFFERED = 3
_FILE = "spellings.json"


@dataclass(frozen=True, slots=True)
class Spellings:
    """Names as they are written, and parts of names in lower case.

    Sorted; `keys` are the spellings in lower case, `counts` the symbols that each
    is the name, or a part of the name, of.
    """

    spellings: list[str]
    counts: list[int]
    keys: list[str]


def build_spellings(symbols: Sequence[str]) -> Spellings:
    """Return the spellings of symbols, given by qualified name; "" has none."""
    counts: Counter[str] = Counter()
    names = Counter(symbol.rpartition(".")[2] for symbol in symbols)
    for name, count in names.items():
        parts = {part.lower() for part in split_identifier(name)}
        for spelling in {name, *parts} - {""}:
            counts[spelling] += count
    return _spellings(sorted(counts.items()))


def save_spellings(spellings: Spellings, folder: Path) -> None:
    """Write the spellings into `folder`."""
    pairs = list(zip(spellings.spellings, spellings.counts, strict=True))
    (folder / _FILE).write_text(json.dumps(pairs), encoding="ascii")


def load_spellings(folder: Path) -> Spellings:
    """Return the spellings in `folder`; a build of an earlier version has none."""
    path = folder / _FILE
    return _spellings(json.loads(path.read_bytes()) if path.exists() else [])


def nearest_spellings(indexed: Sequence[Spellings], word: str) -> list[str]:
    """Return up to three spellings of some builds that a word is nearest to.

    First those within two edits, whatever the case; then names that hold two or
    more of the word's parts, those that hold most of its letters first. Ties go to
    the commoner spelling, then by name.
    """
    counts: Counter[str] = Counter()
    near: dict[str, int] = {}
    alike: dict[str, int] = {}
    parts = {part.lower() for part in split_identifier(word) if len(part) >= LEAST_PART}
    for spellings in indexed:
        edits = _within_edits(spellings, word.lower())
        holding = _holding_parts(spellings, parts)
        near |= {spellings.spellings[i]: distance for i, distance in edits.items()}
        alike |= {spellings.spellings[i]: letters for i, letters in holding.items()}
        for i in edits.keys() | holding.keys():
            counts[spellings.spellings[i]] += spellings.counts[i]
    by_edits = sorted(near, key=lambda name: (near[name], -counts[name], name))
    by_parts = sorted(alike, key=lambda name: (-alike[name], -counts[name], name))
    return _one_of_each_case([*by_edits, *by_parts])[:OFFERED]


def _within_edits(spellings: Spellings, word: str) -> dict[int, int]:
    if len(word) < LEAST_LETTERS:
        return {}
    found = extract(
        word,
        spellings.keys,
        scorer=Levenshtein.distance,
        processor=None,
        score_cutoff=MOST_EDITS,
        limit=None,
    )
    return {index: int(distance) for _, distance, index in found}


def _holding_parts(spellings: Spellings, parts: set[str]) -> dict[int, int]:
    """Map each name that holds two parts or more to the letters of those it holds."""
    if len(parts) < 2:
        return {}
    found = {}
    for i, key in enumerate(spellings.keys):
        held = [len(part) for part in parts if part in key]
        if len(held) > 1:
            found[i] = sum(held)
    return found


def _one_of_each_case(names: Sequence[str]) -> list[str]:
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(name.lower(), name)
    return list(kept.values())


def _spellings(counted: Sequence[tuple[str, int]]) -> Spellings:
    spellings = [spelling for spelling, _ in counted]
    keys = [spelling.lower() for spelling in spellings]
    return Spellings(spellings, [count for _, count in counted], keys)
