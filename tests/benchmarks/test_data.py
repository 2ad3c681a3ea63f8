"""Data files: our own queries and concepts have the format that the commands read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "data"
CONCEPTS = sorted(DATA.glob("absent_*.json"))


def test_there_are_two_repositories_of_concepts() -> None:
    assert [path.stem for path in CONCEPTS] == ["absent_flask", "absent_libuv"]


@pytest.mark.parametrize("path", CONCEPTS, ids=lambda path: path.stem)
def test_concepts_are_present_near_and_far(path: Path) -> None:
    concepts = json.loads(path.read_text())

    assert {group: len(found) for group, found in concepts.items()} == {
        "present": 25,
        "absent_near": 15,
        "absent_far": 10,
    }
    every = [concept for found in concepts.values() for concept in found]
    assert len(set(every)) == 50
    assert all(concept.strip() == concept for concept in every)
