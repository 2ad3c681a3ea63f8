"""Two hundred random traces hold the numbers that the files of their builds give.

The structural features are taken from the trace: the oracle adds them up, and orders,
folds and deals what comes of it.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce  # `sum` rounds as its Python version.
from operator import add
from pathlib import Path
from typing import Any

import pytest

from codesearch import services
from codesearch.payloads import Payload
from codesearch.targets import spell_target
from indexer import encoders
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build
from indexer.pipeline.encoder import Embedder
from tests.codesearch.build_files import Row, read_builds
from tests.codesearch.oracle import Oracle, best
from tests.codesearch.random_sources import make_files, make_query
from tests.conftest import MakeRepository

TRACES = 200
STAGES = {
    "filter": "scope",
    "vocabulary_gap": "leg",
    "below_floor": "leg",
    "outvoted": "pool",
    "duplicate_of": "page",
    "re_export_of": "page",
    "beyond_page": "page",
    "folded": "page",
}


def expect(oracle: Oracle, trace: Payload, sums: dict[str, float]) -> Row:
    """Return what the oracle says of a trace with one target, in the trace's words."""
    number = {chunk["id"]: c for c, chunk in enumerate(oracle.chunks)}
    oracle.order({c: sums.get(oracle.chunks[c]["id"], 0.0) for c in oracle.via})
    hits = {oracle.chunks[c]["id"]: expect_hit(oracle, c) for c in oracle.via}
    by_fusion = [*oracle.via.values()].count("fusion")
    idf = {word: oracle.idf(term) for word, term in oracle.words.items()}
    return {
        "in_scope": oracle.in_scope,
        "legs": {leg: expect_leg(oracle, leg) for leg in oracle.legs},
        "union": len(oracle.fused),
        "pool": {
            "filled": len(oracle.via),
            "by_guarantee": len(oracle.via) - by_fusion,
            "by_fusion": by_fusion,
            "guarantee": 25,
            "folded": len(oracle.folded),
        },
        "terms": [
            {"term": term, "df": oracle.df[term], "idf": oracle.idf(term)}
            for term in dict.fromkeys(oracle.terms)
        ],
        "words": [
            {"word": w, "df": oracle.df[t], "share": idf[w] / sum(idf.values())}
            for w, t in oracle.words.items()
        ],
        "pooled": {
            name: hit | {"rerank": {"score": sums.get(name)}}
            for name, hit in hits.items()
        },
        "targets": [expect_target(oracle, number[trace["targets"][0]["chunk"]])],
    }


def expect_leg(oracle: Oracle, leg: str) -> Row:
    known, listed = best(dict(enumerate(oracle.legs[leg]))), oracle.lists[leg]
    floor = float(oracle.raw[leg][listed[-1]]) if len(listed) == 200 else None
    counts = {"matched": len(known), "total": oracle.total, "listed": len(listed)}
    return {**counts, "floor": floor}


def expect_chunk(oracle: Oracle, c: int) -> Row:
    shares = oracle.shares.get(c)
    return {
        "chunk": oracle.chunks[c]["id"],
        "rank": 1 + oracle.shown.index(c) if c in oracle.card else None,
        "card": oracle.card.get(c),
        "legs": {leg: oracle.standing(leg, c) for leg in oracle.legs},
        "fused": shares
        and {
            "score": oracle.sums[c],
            "ordinal": 1 + oracle.fused.index(c),
            "contributions": shares,
        },
        "pool": {"in": c in oracle.via, "via": oracle.via.get(c)},
    }


def expect_hit(oracle: Oracle, c: int) -> Row:
    """Return a chunk as hits have it: without how far it is from the floor."""
    row = expect_chunk(oracle, c)
    for standing in filter(None, row["legs"].values()):
        del standing["margin"], standing["percentile"]
    return row


def expect_target(oracle: Oracle, c: int) -> Row:
    row, reason = expect_chunk(oracle, c), oracle.death(c)
    if row["fused"]:
        row["fused"]["tie_size"] = [*oracle.sums.values()].count(oracle.sums[c])
    return {
        **row,
        "unfiltered_ranks": {
            leg: None if math.isnan(raw[c]) else 1 + int((raw > raw[c]).sum())
            for leg, raw in oracle.raw.items()
        },
        "terms": [
            {
                "term": term,
                "tf": oracle.chunks[c]["terms"].count(term),
                "df": oracle.df[term],
                "idf": oracle.idf(term),
                "points": oracle.points(term, c),
            }
            for term in dict.fromkeys(oracle.terms)
        ],
        "death": reason
        and {"stage": STAGES[reason.partition(":")[0]], "reason": reason},
    }


def pooled(trace: Payload) -> dict[str, Row]:
    """Return every chunk of the pool by its id, the folded ones too."""
    hits = trace["hits"]
    folded = [row for hit in hits for row in hit["copies"] + hit["re_exports"]]
    return {row["chunk"]: row for row in [*hits, *folded]}


def add_up(row: Row) -> float:
    """Return a structural score from its recorded values and weights."""
    terms = [(term["value"] or 0.0, term["weight"]) for term in row["rerank"]["terms"]]
    return float(reduce(add, (value * weight for value, weight in terms)))


def differences(expected: Any, found: Any, where: str = "") -> Iterator[str]:
    """Yield what of `found` is not as expected, and where it stands.

    Keys that are not expected do not count.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            yield from differences(value, found.get(key, "nothing"), f"{where}/{key}")
    elif isinstance(expected, list) and len(expected) == len(found):
        for n, (value, other) in enumerate(zip(expected, found, strict=True)):
            yield from differences(value, other, f"{where}/{n}")
    elif isinstance(expected, float) and isinstance(found, float):
        if not math.isclose(expected, found, rel_tol=1e-9, abs_tol=1e-12):
            yield f"{where}: {found}, not {expected}"
    elif expected != found:
        yield f"{where}: {found}, not {expected}"


@pytest.fixture
def builds(db: None, data_dir: Path, make_repository: MakeRepository) -> list[Build]:
    """Two repositories, shop and till, with the vectors of the packaged model."""
    found = []
    for name, seed, modules in (("shop", 1, 36), ("till", 2, 12)):
        source = make_repository(make_files(seed, modules))
        index = indexing.register(name=name, source=str(source))
        build = indexing.request_build(index=index, enqueue=False)
        found.append(indexing.finish_build(build=build))
    return found


def trace_at_random(seed: int, builds: Sequence[Build], folder: Path) -> Payload:
    """Return the trace of a random query over one or both, with a random target."""
    rng = random.Random(seed)  # noqa: S311 - it picks test data
    build = rng.choice(builds)
    chunks = build.chunks.select_related("file").order_by("ordinal")
    wanted, other = (chunks[rng.randrange(build.chunk_count)] for _ in range(2))
    if rng.random() < 0.2:  # Few chunks are stubs.
        wanted = rng.choice(chunks.filter(file__path__startswith="api_"))
    query = make_query(rng, folder / str(build.pk) / "lexical-0", other.symbol or "api")
    name = build.index.repository.name
    target = spell_target(name, wanted.file.path, wanted.symbol, wanted.start_byte)
    within = rng.choice(([], [name], ["till", "shop"]))
    trace = services.trace(
        viewer=ANYONE, query=query, targets=[target], repositories=within
    )
    assert trace["targets"][0]["ordinal"] == wanted.ordinal
    return trace


def test_two_hundred_random_traces_have_the_numbers_of_the_files(
    builds: list[Build], data_dir: Path
) -> None:
    encoder, missing = encoders.encoder_of(Embedder())
    assert encoder, missing
    wrong: list[str] = []
    deaths: Counter[str] = Counter()

    for seed in range(TRACES):
        trace = trace_at_random(seed, builds, data_dir / "builds")
        starts = [one["start"] for one in trace["filters"]]  # Behind all words.
        text = trace["query"][: min(starts, default=None)].strip()
        vector = encoder.encode_query(text)
        chunks = read_builds(data_dir / "builds", trace["builds"], vector)
        found = trace | {"pooled": pooled(trace)}
        sums = {name: add_up(row) for name, row in found["pooled"].items()}
        expected = expect(Oracle(chunks, text, trace["filters"]), trace, sums)
        for difference in differences(expected, found):
            wrong.append(f"seed {seed}, {trace['query']!r}: {difference}")
        death = trace["targets"][0]["death"]
        deaths[death["reason"].partition(":")[0] if death else "none"] += 1

    assert not wrong, "\n".join(wrong[:20])
    assert set(deaths) == {"none", *STAGES}, deaths
