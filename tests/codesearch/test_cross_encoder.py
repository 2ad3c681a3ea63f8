"""A configured cross-encoder reorders the pool, says how deep it went, and may fail."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from codesearch import services
from codesearch.chunk_texts import body_text
from codesearch.corpora import open_corpus
from codesearch.pages.scores import rerank_depth
from codesearch.pages.search import silent_legs
from codesearch.payloads import Payload
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build
from indexer.pipeline.cross_encoder import CrossEncoderScorer, load_cross_encoder
from indexer.pipeline.loading import ModelError
from tests.codesearch.example_payload import make_trace
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder
from tests.small_models import save_cross_encoder

QUERY = "send the report"


@pytest.fixture
def scorer(settings: Settings, tmp_path: Path) -> str:
    """A small cross-encoder with time enough, configured."""
    folder = save_cross_encoder(tmp_path, activation="Sigmoid")
    settings.CROSS_ENCODER = folder
    settings.RERANK_SECONDS = 600.0
    return folder


def search() -> Payload:
    return services.search(viewer=ANYONE, query=QUERY)


def test_raw_logits_decide_the_order(shop: Build, scorer: str) -> None:
    found = search()

    logits = [hit["rerank"]["logit"] for hit in found["hits"]]
    assert found["rerank"]["kind"] == "cross_encoder"
    assert logits == sorted(logits, reverse=True)
    assert any(not 0 <= logit <= 1 for logit in logits)


def test_a_logit_is_that_of_the_query_with_the_chunks_body(
    shop: Build, scorer: str
) -> None:
    searched = open_corpus([shop], viewer=ANYONE)

    hit = search()["hits"][0]

    text = body_text(searched, hit["ordinal"])
    (logit,) = load_cross_encoder(scorer).score(QUERY, [text])
    assert hit["rerank"]["logit"] == pytest.approx(logit, abs=1e-4)


def test_equal_depth_gives_equal_logits_to_the_last_bit(
    shop: Build, scorer: str
) -> None:
    first, second = search(), search()

    assert first["rerank"]["scored"] == first["rerank"]["pairs"] == len(first["hits"])
    assert [hit["rerank"] for hit in first["hits"]] == [
        hit["rerank"] for hit in second["hits"]
    ]


def test_the_time_that_is_set_bounds_the_depth(
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
    settings: Settings,
    scorer: str,
) -> None:
    functions = [f"def send_{n}(x):\n    return x\n" for n in range(30)]
    source = make_repository({"mail.py": "\n".join(functions)})
    index = indexing.register(name="mail", source=str(source))
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))
    settings.RERANK_SECONDS = 1e-9

    found = search()

    assert found["rerank"]["scored"] == 8  # One step: the least that is done.
    assert found["rerank"]["pairs"] == 30
    assert found["rerank"]["budget_seconds"] == 1e-9
    assert sum(hit["rerank"]["logit"] is not None for hit in found["hits"]) == 8


def test_pairs_longer_than_the_model_reads_are_counted(
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
    scorer: str,
) -> None:
    lines = "".join(f"    send(report_{n}, {n})\n" for n in range(200))
    files: dict[str, str | bytes] = {
        "long.py": f"def send_all(report):\n{lines}",
        "short.py": "def send(report, n):\n    return n\n",
    }
    index = indexing.register(name="mail", source=str(make_repository(files)))
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))

    found = search()

    unread = {hit["symbol"]: hit["rerank"]["truncated_tokens"] for hit in found["hits"]}
    assert unread["send"] == 0
    assert unread["send_all"] > 1000
    assert found["rerank"]["truncated_pairs"] == 1
    assert found["rerank"]["truncated_tokens"] == unread["send_all"]


@pytest.mark.parametrize("labels", [0, 3])
def test_one_that_cannot_be_used_is_named_and_the_search_goes_on(
    shop: Build, settings: Settings, tmp_path: Path, client: Client, labels: int
) -> None:
    folder = tmp_path / "other"
    settings.CROSS_ENCODER = str(folder)
    reason = f"model {folder} cannot be loaded: there is no such folder"
    if labels:
        save_cross_encoder(folder, labels=labels)
        reason = (
            f"cross-encoder {folder} has 3 labels, and a reranker has one; "
            "choose a reranking model"
        )
    printed = StringIO()

    found = search()
    call_command("search", QUERY, stdout=printed)

    assert found["hits"]
    assert found["rerank"]["failure"] == reason
    assert found["rerank"]["scored"] == 0
    assert f"The cross-encoder did not run: {reason}." in silent_legs(found)
    assert f"The cross-encoder did not run: {reason}." in printed.getvalue()


def test_one_that_fails_on_a_query_is_named_and_the_search_goes_on(
    shop: Build, scorer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, query: str, texts: Sequence[str]) -> list[float]:
        raise ModelError("a logit is not finite")

    monkeypatch.setattr(CrossEncoderScorer, "score", fail)

    found = search()

    assert found["hits"]
    assert found["rerank"]["kind"] == "structural"
    assert found["rerank"]["truncated_pairs"] == 0
    assert "The cross-encoder did not run: a logit is not finite." in silent_legs(found)


def test_pages_and_commands_say_how_deep_it_went(
    shop: Build, scorer: str, client: Client
) -> None:
    printed = StringIO()

    page = client.get("/", {"q": QUERY}).content.decode()
    traced = client.get("/trace/", {"q": QUERY, "target": "Report.send"})
    call_command("search", QUERY, stdout=printed)

    for text in (page, traced.content.decode(), printed.getvalue()):
        assert "9 of 9 pairs scored in " in text


def test_the_depth_in_words() -> None:
    payload = make_trace()
    payload["timings_ms"]["rerank"] = 2049.0
    payload["rerank"] |= {"kind": "cross_encoder", "scored": 24, "pairs": 200}

    plain = rerank_depth(payload)
    payload["rerank"] |= {"truncated_pairs": 3, "truncated_tokens": 1412}
    cut = rerank_depth(payload)

    assert plain == "24 of 200 pairs scored in 2.0 s"
    assert cut == (
        "24 of 200 pairs scored in 2.0 s; 3 of them longer than the model reads, "
        "1,412 tokens unread"
    )
    assert rerank_depth(make_trace()) == ""


def test_what_if_says_that_a_run_may_score_fewer_pairs(
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
    scorer: str,
    settings: Settings,
) -> None:
    source = make_repository(
        {f"m{n}.py": f"def send_{n}():\n    return {n}\n" for n in range(30)}
    )
    index = indexing.register(name="many", source=str(source))
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))
    wish = {"q": QUERY, "target": "send_3"}

    whole = Client().get("/trace/whatif/", wish | {"pool": "20"}).content.decode()
    settings.RERANK_SECONDS = 0.0
    short = Client().get("/trace/whatif/", wish | {"q": "send it"}).content.decode()

    assert "a run in the same time may score fewer" in short
    assert "may score fewer" not in whole
