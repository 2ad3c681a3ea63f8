"""Data files: our queries have their format, and targets in the installed Django."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import django
import pytest

from benchmarks.dilution import FILE, SOURCE, SYMBOL
from benchmarks.records import read_lines
from indexer.pipeline.types import ChunkTexts
from tests.files import in_context, read_file

DATA = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "data"
CONCEPTS = sorted(DATA.glob("absent_*.json"))
DETAILS = read_lines(DATA / "django_details.jsonl")
EXACT = read_lines(DATA / "django_exact.jsonl")
PACKAGES = Path(django.__file__).parent.parent

Query = dict[str, Any]  # Any: JSON


@cache
def texts_in(path: Path, name: str) -> dict[str, ChunkTexts]:
    text = path.read_text(encoding="utf-8")
    read = read_file(name, text)
    return {
        chunk.symbol: in_context(name, chunk, texts)
        for chunk, texts in zip(read.chunks, read.texts, strict=True)
    }


def target_texts(query: Query) -> ChunkTexts:
    (target,) = query["targets"]
    return texts_in(PACKAGES / target["path"], target["path"])[target["symbol"]]


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


@pytest.mark.parametrize("queries", [DETAILS, EXACT], ids=["details", "exact"])
def test_ids_and_queries_are_there_once_and_are_enough(queries: list[Query]) -> None:
    assert len(queries) >= 30
    for key in ("id", "query"):
        assert len({query[key] for query in queries}) == len(queries)


@pytest.mark.parametrize("query", DETAILS, ids=lambda query: query["id"])
def test_a_detail_stands_in_the_body_alone(query: Query) -> None:
    texts = target_texts(query)
    word = query["word"].lower()

    assert word.strip("_") in query["query"].lower()
    assert word in texts.body.lower()
    assert word not in (texts.purpose or "").lower()


@pytest.mark.parametrize("query", EXACT, ids=lambda query: query["query"])
def test_an_exact_query_is_the_end_of_its_target_s_name(query: Query) -> None:
    (target,) = query["targets"]

    assert f".{target['symbol']}".lower().endswith(f".{query['query']}".lower())
    assert target_texts(query).body


def test_the_diluted_function_is_a_small_part_of_its_file() -> None:
    texts = texts_in(SOURCE / FILE, FILE)
    whole = sum(len(text.body) for text in texts.values())

    assert len(texts) == 6
    assert 0.02 < len(texts[SYMBOL].body) / whole < 0.08
