"""Concepts: an absent one is left out where a chunk holds what makes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from indexer.pipeline.concepts import absent_concepts, all_concepts, read_concept
from indexer.pipeline.postings import build_postings
from indexer.pipeline.terms import tokenize

BENCHMARKS = Path(__file__).parents[3] / "benchmarks" / "data"


def absent_from(*chunks: str) -> set[str]:
    postings = build_postings([tokenize(text) for text in chunks])
    return {concept.text for concept in absent_concepts(postings)}


def test_the_head_is_what_stands_between_the_asterisks() -> None:
    concept = read_concept("*rebalance* a *portfolio* of shares")

    assert concept.text == "rebalance a portfolio of shares"
    assert concept.head == ("rebal", "portfolio")


def test_a_concept_is_left_out_where_one_chunk_holds_its_head() -> None:
    assert "SNMP trap receiver" not in absent_from("the snmp client")
    assert "convex hull" not in absent_from("hull of a convex polygon")


def test_words_of_a_head_in_two_chunks_do_not_make_the_concept() -> None:
    assert "convex hull" in absent_from("a convex lens", "the hull of a ship")


def test_the_words_around_a_head_do_not_count() -> None:
    assert "SNMP trap receiver" in absent_from("trap receiver")


def test_every_concept_is_there_once_and_has_a_head() -> None:
    concepts = all_concepts()

    assert len(concepts) > 300
    assert len({concept.text for concept in concepts}) == len(concepts)
    assert all(concept.head for concept in concepts)
    assert not any("*" in concept.text for concept in concepts)


@pytest.mark.parametrize("name", ["absent_flask.json", "absent_libuv.json"])
def test_no_concept_is_one_that_the_bands_are_measured_with(name: str) -> None:
    measured = json.loads((BENCHMARKS / name).read_text())

    for text in measured["absent_near"] + measured["absent_far"]:
        terms = set(tokenize(text))
        copies = [one.text for one in all_concepts() if terms.issuperset(one.head)]
        assert copies == []
