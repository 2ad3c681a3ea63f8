"""Hits say what the rows of their chunks say, without asking for those."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import DjangoAssertNumQueries

from codesearch import services
from codesearch.payloads import Payload, beneath
from codesearch.targets import chunk_id
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build, Chunk
from indexer.pipeline.paths import path_url
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

COPY = "def total(rows):\n    found = len(rows)\n    return found\n"
FILES: dict[str, str | bytes] = {
    "a b.py": COPY,
    "b\udcff.py": "class Total:\n    x = 1\n\n    def f(self):\n        return 1\n",
    "long.md": "word " * 2000 + "\n\n# a total\x00b\n\nThe total of a heading.\n",
    "tests/test_a.py": COPY,
    "total.css": ".total { color: red }\n",
}


@pytest.fixture
def totals(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Build:
    index = indexing.register(name="totals", source=str(make_repository(FILES)))
    return indexing.finish_build(
        build=indexing.request_build(index=index, enqueue=False)
    )


def place_of_row(row: Chunk) -> Payload:
    copied = row.duplicate_of
    return {
        "chunk": chunk_id(row),
        "ordinal": row.ordinal,
        "build": row.build.pk,
        "repository": "totals",
        "revision": row.build.revision,
        "path": row.file.path,
        "path_url": path_url(row.file.path_bytes),
        "language": row.file.language,
        "start_line": row.start_line,
        "end_line": row.end_line,
        "spans": row.spans,
        "symbol": row.symbol or None,
        "kind": row.kind,
        "marks": row.marks,
        "duplicate_of": None
        if copied is None
        else chunk_id(row.build.chunks.get(ordinal=copied)),
    }


@pytest.mark.usefixtures("shop")
def test_each_hit_says_what_its_row_says(totals: Build) -> None:
    hits = services.search(viewer=ANYONE, query="total of rows")["hits"]

    everything = [row for hit in hits for row in (hit, *beneath(hit))]
    found = {hit["ordinal"]: hit for hit in everything if hit["repository"] == "totals"}
    rows = list(totals.chunks.order_by("ordinal"))
    assert sorted(found) == [row.ordinal for row in rows]
    for row in rows:
        expected = place_of_row(row)
        assert {key: found[row.ordinal][key] for key in expected} == expected
    assert {row.symbol for row in rows} >= {"total", "a total\ufffdb", ""}
    assert sum(hit["duplicate_of"] is not None for hit in found.values()) == 1


def test_places_say_what_their_lines_of_the_ledger_say(totals: Build) -> None:
    places = services.search(viewer=ANYONE, query="total of rows")["places"]

    rows = {path_url(row.path_bytes): row for row in totals.files.all()}
    assert {place["path_url"] for place in places} == set(rows)
    for place in places:
        row = rows[place["path_url"]]
        assert (place["doc"], place["defines"]) == (row.doc, row.defines)
        assert (place["path"], place["language"]) == (row.path, row.language)


def test_a_search_asks_for_the_builds_and_for_what_its_places_define(
    totals: Build, shop: Build, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    services.search(viewer=ANYONE, query="total")

    with django_assert_num_queries(5):
        services.search(viewer=ANYONE, query="total of rows")
