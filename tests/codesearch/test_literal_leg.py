"""The literal leg: chunks by their lines that match, and what was not looked at."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from django.test import Client

from codesearch import services
from codesearch.audits import running
from codesearch.config_forms import read_settings
from codesearch.inquiry import inquire
from codesearch.payloads import Payload
from indexer.access import ANYONE, COMMAND_LINE
from indexer.engines import corpus_texts
from indexer.exact import build_texts
from indexer.models import Build
from indexer.pipeline.full_texts import FullTexts
from indexer.pipeline.postings import K1, B
from indexer.places import full_texts_of
from tests.codesearch.audits.sets import make_set, result_of


def search(query: str, *settings: str) -> Payload:
    config = read_settings(settings)
    return services.search(viewer=ANYONE, query=query, config=config)


def trace(query: str, *targets: str) -> Payload:
    return services.trace(viewer=ANYONE, query=query, targets=targets)


def listed(payload: Payload) -> dict[str, float]:
    """The raw score in the literal leg of each hit that it holds, by symbol."""
    return {
        hit["symbol"]: hit["legs"]["literal"]["raw"]
        for hit in payload["hits"]
        if hit["legs"].get("literal")
    }


def test_a_query_of_words_has_four_legs(shop: Build) -> None:
    payload = search("send the report")

    assert list(payload["legs"]) == ["purpose", "body", "bm25", "symbol"]
    assert payload["pool"]["guarantee"] == 25
    assert payload["literals"] == []


def test_a_phrase_makes_a_fifth_leg_of_the_chunks_that_hold_it(shop: Build) -> None:
    payload = search('"return post(self)" send')

    assert payload["legs"]["literal"]["matched"] == 1
    assert list(listed(payload)) == ["Invoice.send"]
    assert payload["pool"]["guarantee"] == 20
    assert [hit["symbol"] for hit in payload["hits"]] == ["Invoice.send"]
    assert payload["literals"] == [
        {"text": "return post(self)", "is_regex": False, "has_case": False}
    ]


def test_a_score_is_bm25s_formula_over_matching_lines(shop: Build) -> None:
    searched = inquire(ANYONE, "/a/").searched
    corpus = searched.corpus
    patterns = inquire(ANYONE, '/self/ "return"').query.literals
    counts = [corpus.occurrences(pattern) for pattern in patterns]

    scores = corpus.literal(patterns)

    expected = np.full(corpus.chunk_count, np.nan)
    for chunk in range(corpus.chunk_count):
        total = 0.0
        norm = K1 * (1 - B + B * corpus.length(chunk) / corpus.average_length)
        for one in counts:
            df, tf = int((one > 0).sum()), int(one[chunk])
            idf = math.log(1 + (corpus.chunk_count - df + 0.5) / (df + 0.5))
            total += idf * tf * (K1 + 1) / (tf + norm) if tf else 0.0
        if any(one[chunk] for one in counts):
            expected[chunk] = total
    assert [int(one.sum()) for one in counts] == [6, 5]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


def test_a_query_of_a_regex_alone_is_ordered_by_the_fusion(shop: Build) -> None:
    payload = search(r"/return \w+\(self/")

    ran = {name: leg["ran"] for name, leg in payload["legs"].items()}
    assert ran == {
        "purpose": False,
        "body": False,
        "bm25": False,
        "symbol": False,
        "literal": True,
    }
    assert payload["legs"]["bm25"]["note"] == "the query has no words"
    hits = payload["hits"]
    assert {hit["symbol"] for hit in hits} == {
        "Invoice.send",
        "Invoice.total",
        "Report.send",
    }
    assert [hit["legs"]["literal"]["ordinal"] for hit in hits] == [1, 2, 3]
    assert [hit["fused"]["ordinal"] for hit in hits] == [1, 2, 3]


def test_the_leg_has_a_weight_and_can_be_turned_off(shop: Build) -> None:
    heavy = search('send "return"', "weight.literal=3")
    off = search('send "return"', "off=literal")

    hit = heavy["hits"][0]
    share = hit["fused"]["contributions"]["literal"]
    assert share == 3 / (60 + hit["legs"]["literal"]["ordinal"])
    assert off["legs"]["literal"]["note"] == "off in this config"
    assert "literal" not in off["hits"][0]["fused"]["contributions"]
    assert off["pool"]["guarantee"] == 25


def test_a_trace_tells_the_lines_that_match(shop: Build) -> None:
    payload = trace("/self/ send", "Invoice.total", "format_money")

    held, lost = payload["targets"]
    assert held["literals"] == [
        {
            "text": "self",
            "is_regex": True,
            "has_case": False,
            "count": 2,
            "lines": [14, 16],
        }
    ]
    assert lost["literals"][0]["count"] == 0
    assert lost["death"]["reason"] == "filter:content"


def test_the_page_of_a_trace_says_what_matched(shop: Build, client: Client) -> None:
    wish = {"q": "/self/ send", "target": ["Invoice.total", "format_money"]}

    text = client.get("/trace/", wish).content.decode()

    assert "matched lines 14, 16" in text
    assert "no line of it matches" in text
    assert "c-literal" in text


def test_files_that_were_not_looked_at_are_told_of(shop: Build) -> None:
    FullTexts(full_texts_of(shop.index.repository)).keep([])

    payload = search('"return" send')
    target = trace('send -"nowhere"', "Invoice.send")["targets"][0]

    told = (
        "Phrases and regular expressions were looked for in 0 of 4 files so far; the "
        "texts of the others are not kept yet"
    )
    assert payload["hits"] == []
    assert payload["unsearched"] == [told]
    assert search('send -"nowhere"')["unsearched"] == [told]
    assert target["death"] is None


def test_a_target_whose_file_was_not_looked_at_says_so(shop: Build) -> None:
    FullTexts(full_texts_of(shop.index.repository)).keep([])

    target = trace('"return" send', "Invoice.send")["targets"][0]

    assert target["literals"][0]["count"] is None


def test_what_was_not_looked_at_is_not_kept_as_not_there(shop: Build) -> None:
    texts = FullTexts(full_texts_of(shop.index.repository))
    known = texts.known()
    kept = dict(known.ids)
    by_id = dict(texts.read(known, list(kept.values())))
    texts.keep([])
    before = inquire(ANYONE, '"return" send').answer(read_settings([]))

    texts.add({key: by_id[number].decode() for key, number in kept.items()})
    after = inquire(ANYONE, '"return" send', again=True).answer(read_settings([]))

    assert not before.shown.hits
    assert len(after.shown.hits) == 5


def test_all_that_a_query_asks_for_has_one_time_first_for_what_is_in_scope(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(corpus_texts, "MATCH_SECONDS", 5.0)

    narrow = search('"return" path:money')
    wide = search('"return" /self/ /def/')

    assert narrow["unsearched"] == []
    assert {hit["path"] for hit in narrow["hits"]} == {"billing/money.py"}
    assert wide["unsearched"][0].startswith("Time ran out: 4 files were not looked at")


def test_hidden_texts_are_named(shop: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.exact.hides_texts", lambda build, folder: True)

    payload = search('"return" send')

    assert payload["hits"] == []
    assert payload["unsearched"] == [
        "Phrases and regular expressions are not looked for in shop, which was indexed "
        "with secrets that are off now; index it again"
    ]
    assert build_texts(shop, [b"billing/money.py"]).is_hidden


def test_an_audit_lists_the_leg_where_a_query_has_literals(shop: Build) -> None:
    wanted = ["Invoice.send"]
    words, mixed = ("send a bill", wanted), (r"/return post\(/", wanted)
    sets = [make_set(shop, [words]), make_set(shop, [words, mixed], name="mixed")]

    audits = [
        running.finish_audit(
            audit=running.request_audit(
                viewer=COMMAND_LINE, user=None, case_set=one, enqueue=False
            )
        )
        for one in sets
    ]

    names = [[stage["name"] for stage in audit.stages][:5] for audit in audits]
    assert names == [
        ["purpose", "body", "bm25", "symbol", "union"],
        ["purpose", "body", "bm25", "symbol", "literal"],
    ]
    rows = [result_of(row) for row in audits[1].rows.order_by("pk")]
    assert [row["failure"] for row in rows] == ["", ""]
    assert [row["targets"][0]["stages"]["literal"] for row in rows] == [None, 1]
