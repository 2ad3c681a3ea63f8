"""A run has one line a chunk, in TREC's format, and any tool reads its order alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, R, nDCG

from benchmarks.metrics import ndcg, reciprocal
from codesearch import services
from codesearch.runs import RunLine, recorded_run, write_run
from indexer.access import ANYONE
from indexer.models import Build
from tests.codesearch.links import link_to
from tests.codesearch.test_targets import build_of

QUERY = "format money total send"
STAGES = ("purpose", "body", "bm25", "symbol", "fusion", "pool", "rerank", "page")
FIRST = Path(__file__).parent / "records" / "trace_1.json"


def run_of(client: Client, stage: str, address: str = "/trace/", **more: str) -> str:
    query = {"q": QUERY, "format": "trec", "stage": stage, "pool": "20"} | more
    answer = client.get(address, query)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    return answer.content.decode()


def evaluate(measures: list[Any], qrels: str, run: str) -> dict[Any, float]:
    """Return what ir_measures makes of a run; Any: it has no types."""
    read: Any = ir_measures
    found: dict[Any, float] = read.calc_aggregate(
        measures, read.read_trec_qrels(qrels), read.read_trec_run(run)
    )
    return found


@pytest.mark.parametrize("stage", STAGES)
def test_a_tool_that_evaluates_runs_gets_our_numbers(
    client: Client, shop: Build, stage: str
) -> None:
    text = run_of(client, stage, qid="money")
    docids = [line.split()[2] for line in text.splitlines()]
    wanted = [docid for docid in docids if "total" in docid or "format" in docid]
    relevant = [*wanted, "shop@0:gone.py#gone@0"]
    ranks = [1 + docids.index(docid) for docid in wanted]
    qrels = "".join(f"money 0 {docid} 1\n" for docid in relevant)

    found = evaluate([nDCG @ 10, R @ 3, RR], qrels, text)

    assert len(wanted) >= 2
    assert found[nDCG @ 10] == pytest.approx(ndcg(ranks, len(relevant)))
    assert found[R @ 3] == sum(rank <= 3 for rank in ranks) / len(relevant)
    assert found[RR] == reciprocal(min(ranks))


def test_ties_are_read_in_our_order_by_every_tool() -> None:
    lines = [RunLine(f"c{n}", n + 1, 1.0) for n in range(9)]
    qrels = "1 0 c0 1\n1 0 c4 1\n"

    found = evaluate([AP], qrels, write_run(lines, qid="1", tag="ours"))

    assert found[AP] == pytest.approx((1 / 1 + 2 / 5) / 2)


def test_a_score_is_the_raw_one_while_it_falls_and_then_the_next_float() -> None:
    lines = [RunLine(f"c{n}", n, score) for n, score in enumerate((2.5, 1.1, 1.1, 7.0))]

    text = write_run(lines, qid="q", tag="ours")

    assert text == (
        "q Q0 c0 0 2.5 ours\n"
        "q Q0 c1 1 1.1 ours\n"
        "q Q0 c2 2 1.0999999046325684 ours\n"
        "q Q0 c3 3 1.0999997854232788 ours\n"
    )


@given(st.lists(st.floats(-1e30, 1e30), max_size=40))
def test_written_scores_fall_strictly_in_either_precision(scores: list[float]) -> None:
    lines = [RunLine("c", n, score) for n, score in enumerate(scores, start=1)]

    written = [
        float(line.split()[4])
        for line in write_run(lines, qid="1", tag="t").splitlines()
    ]

    assert len(written) == len(scores)
    assert all(a > b for a, b in zip(written, written[1:], strict=False))
    single = np.array(written, dtype=np.float32)
    assert bool((np.diff(single) < 0).all())


@pytest.mark.parametrize("stage", STAGES)
def test_a_record_gives_the_lines_of_its_pool(
    client: Client, shop: Build, stage: str
) -> None:
    wish = {"kind": "trace", "q": QUERY, "target": "Report.send", "pool": "20"}
    token = client.post("/share/", wish).headers["Location"]

    recorded = run_of(client, stage, token)

    assert recorded == run_of(client, stage)  # The pool of 20 holds all 9 chunks.


def test_of_a_small_pool_a_record_keeps_the_ordinals_of_what_it_holds(
    shop: Build,
) -> None:
    link = services.share(
        viewer=ANYONE, user=AnonymousUser(), kind="search", query=QUERY
    )
    payload = link.record.answer
    payload["hits"] = payload["hits"][3:]

    lines = recorded_run(payload, "fusion")

    held = {hit["chunk"]: hit["fused"]["ordinal"] for hit in payload["hits"]}
    assert {line.docid: line.rank for line in lines if line.docid in held} == held
    assert [line.rank for line in lines] == sorted(line.rank for line in lines)


@pytest.mark.parametrize("stage", STAGES)
def test_a_record_of_the_first_version_has_runs_too(
    client: Client, shop: Build, stage: str
) -> None:
    payload = json.loads(FIRST.read_text())
    payload["builds"][0]["repository_id"] = shop.index.repository_id
    link = link_to("trace", payload)

    text = run_of(client, stage, f"/s/{link.token}")

    lines = {"purpose": 8, "bm25": 5, "symbol": 0, "page": 7}.get(stage, 9)
    assert len(text.splitlines()) == lines


def test_page_one_shows_three_chunks_of_a_card(client: Client, shop: Build) -> None:
    text = run_of(client, "page", chunks="1")

    paths = [line.split()[2].partition("#")[0] for line in text.splitlines()]
    assert paths
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"stage": "places"}, "There is no stage “places”; there are purpose, body,"),
        ({"stage": ""}, "stage: This field is required."),
        ({"qid": "a b"}, "qid: Enter a valid value."),
        ({"repository": "vault"}, "There is no repository “vault” here."),
        ({"q": ""}, "The query is empty"),
        ({"pool": "1"}, "pool: "),
    ],
)
def test_a_run_that_cannot_be_written_says_why(
    client: Client, shop: Build, more: dict[str, str], sentence: str
) -> None:
    wish = {"q": QUERY, "format": "trec", "stage": "bm25"} | more

    answer = client.get("/trace/", wish)

    assert answer.status_code == 400
    assert sentence in answer.content.decode()


def test_no_docid_has_a_blank(
    client: Client, shop: Build, hostile_repository: Path
) -> None:
    hostile = build_of("hostile", hostile_repository)

    text = run_of(client, "body", q="marker", repository="hostile")

    assert len(text.splitlines()) > 40
    assert hostile.chunk_count == len(text.splitlines())
    assert all(len(line.split()) == 6 for line in text.splitlines())
