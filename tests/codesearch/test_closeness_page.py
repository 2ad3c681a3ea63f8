"""The page says how close the best hit is, why, and what to search for instead."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from codesearch import services
from codesearch.pages.closeness import closeness, missing_words
from codesearch.pages.links import Scope
from codesearch.payloads import Payload
from indexer import files, selectors
from tests.codesearch.example_payload import make_search

SCOPE = Scope("NoSuchKey of a key", ("shop",))
SCALE = {"absent": 0.283, "present": 0.561, "reach": 0.405, "start": 0.413}


def make_evidence(signal: str, value: float, says: str) -> Payload:
    return {
        "signal": signal,
        "value": value,
        "sentence": f"{signal} {value}.",
        "scale": None if signal == "exact symbol" else SCALE,
        "place": 0.1,
        "says": says,
    }


def judged(band: str, *evidence: Payload) -> Payload:
    return {
        "band": band,
        "evidence": list(evidence),
        "builds": [
            {"repository": "attic", "band": band, "decided": False},
            {"repository": "shop", "band": band, "decided": True},
        ],
        "calibration": {
            "present": 200,
            "absent": 333,
            "cosine": SCALE,
            "words": SCALE,
            "false_flags": 0.025,
            "flagged": 0.964,
        },
    }


NOTHING = judged(
    "nothing",
    {"signal": "unknown word", "value": 0.7, "sentence": "“cors” occurs nowhere."},
    make_evidence("best cosine", 0.37, "absent"),
    make_evidence("words", -0.4, "absent"),
)
MISSING = {
    "word": "NoSuchKey",
    "df": 0,
    "parts": [{"term": "such", "df": 0}, {"term": "kei", "df": 3}],
}


@pytest.fixture(autouse=True)
def around(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    monkeypatch.setattr(selectors, "repository_names", lambda viewer: ["shop"])
    monkeypatch.setattr(files, "read_texts", lambda viewer, wanted: {})


def show(monkeypatch: pytest.MonkeyPatch, client: Client, **payload: Any) -> str:
    def search(**wish: object) -> Payload:
        return make_search(**payload)

    monkeypatch.setattr(services, "search", search)
    return client.get("/", {"q": SCOPE.query, "repository": "shop"}).content.decode()


def test_a_query_without_words_is_not_judged() -> None:
    found = closeness(make_search(words=[], terms=[]))

    assert found.words == "Not judged"
    assert found.sentences == [
        "The query has no words to be close to; what is shown meets all its conditions."
    ]


def test_an_uncalibrated_search_never_says_match() -> None:
    assert closeness(make_search()).words == "Uncalibrated"


def test_the_signals_stand_beside_what_other_queries_reach() -> None:
    found = closeness(make_search(closeness=NOTHING))

    assert [(row.signal, row.value, row.reach, row.says) for row in found.why] == [
        ("Best cosine", "0.370", "0.405", "absent"),
        ("Words in one chunk, less those nowhere", "-0.400", "0.405", "absent"),
    ]
    assert found.is_nothing
    assert found.headline == "best cosine 0.37. words -0.4."
    assert found.rate == (
        "Of 200 sentences that have an answer in this build, 2.5% are told that "
        "nothing is close; of 333 concepts that have none, 96.4%."
    )
    assert found.url == "/r/shop/#calibration"


def test_the_headline_begins_with_the_words_that_occur_nowhere() -> None:
    words = [
        {"word": "cors", "df": 0, "parts": []},
        {"word": "handling", "df": 3, "parts": []},
        {"word": "kafka", "df": 0, "parts": []},
    ]

    found = closeness(make_search(words=words, closeness=NOTHING))

    assert found.headline.startswith(
        "“cors” and “kafka” occur nowhere in this index. best cosine 0.37."
    )


def test_of_many_missing_words_the_first_are_named_and_the_others_counted() -> None:
    words = [{"word": f"w{i}", "df": 0, "parts": []} for i in range(7)]
    payload = make_search(words=words, closeness=NOTHING)

    found = missing_words(payload, SCOPE)

    assert closeness(payload).headline.startswith(
        "“w0”, “w1”, “w2”, “w3”, “w4” and 2 more occur nowhere in this index."
    )
    assert [word.sentence for word in found[4:]] == [
        "“w4” occurs nowhere",
        "2 more words occur nowhere",
    ]


def test_a_record_of_before_has_no_table() -> None:
    old = {
        "band": "uncalibrated",
        "evidence": [{"signal": "hits", "value": 0, "sentence": "No leg found it."}],
    }

    found = closeness(make_search(closeness=old))

    assert found.sentences == ["No leg found it."]
    assert (found.why, found.rate, found.url) == ([], "", "")


def test_a_record_that_names_no_deciding_build_links_to_none(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    undecided = NOTHING | {"builds": [{"repository": "shop", "band": "nothing"}]}

    page = show(monkeypatch, client, closeness=undecided)

    assert "Why this is said" in page
    assert "Calibration of the build" not in page


def test_a_missing_word_is_weighed_and_its_known_parts_are_named() -> None:
    words = [MISSING | {"share": 0.412, "near": []}]

    (word,) = missing_words(make_search(words=words), SCOPE)

    assert word.sentence == (
        "“NoSuchKey” occurs nowhere: 41% of what you asked for by weight; "
        "of its parts kei occurs"
    )


def test_a_missing_word_of_an_old_record_has_no_weight() -> None:
    old = {key: MISSING[key] for key in ("word", "df", "parts")}

    (word,) = missing_words(make_search(words=[old]), SCOPE)

    assert word.sentence == "“NoSuchKey” occurs nowhere; of its parts kei occurs"
    assert word.offers == []


def test_an_offer_searches_for_the_other_spelling_in_the_same_scope() -> None:
    words = [MISSING | {"share": 0.4, "near": ["NoKey"]}]
    scope = Scope("NoSuchKey, NoSuchKeys and xNoSuchKey", ("shop",))

    (word,) = missing_words(make_search(words=words), scope)

    assert word.offers == [
        ("NoKey", "/?q=NoKey%2C+NoSuchKeys+and+xNoSuchKey&repository=shop")
    ]


def test_nothing_here_is_close_leaves_the_hits_visible_but_demoted(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = show(monkeypatch, client, closeness=NOTHING)

    assert "Nothing here is close" in page
    assert "Why this is said" in page
    assert "Least far away" in page
    assert "hit--weak" in page
    assert "format_money" in page


def test_a_close_match_says_why_on_demand(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = judged(
        "close",
        make_evidence("best cosine", 0.7, "present"),
        make_evidence("exact symbol", 1.0, "present"),
    )

    page = show(monkeypatch, client, closeness=close)

    assert "<summary>Why “Close match”</summary>" in page
    assert "hit--weak" not in page


def test_offers_are_links(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [MISSING | {"share": 0.4, "near": ["no_key", "<b>"]}]

    page = show(monkeypatch, client, words=words)

    assert 'href="/?q=no_key+of+a+key&amp;repository=shop"' in page
    assert "&lt;b&gt;" in page
