"""What the lines of a target add stands beside the leg's raw score, or why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from codesearch import lines, services
from codesearch.config_forms import read_settings
from codesearch.funnel.types import Leg, Outcome
from codesearch.lines import trace_lines
from codesearch.payloads import Payload
from indexer import encoders, files
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build, Index, Repository
from indexer.pipeline.sentence_models import load_encoder
from tests.codesearch.conftest import FILES, MONEY
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

QUERY = "format money for a locale"


def lines_of(target: str) -> Payload:
    return trace_lines(viewer=ANYONE, query=QUERY, target=target)


def test_each_surface_is_measured_again_beside_the_score_of_its_leg(
    shop: Build,
) -> None:
    found = lines_of("format_money")

    traced = services.trace(viewer=ANYONE, query=QUERY, targets=["format_money"])
    (target,) = traced["targets"]
    for surface in found["surfaces"]:
        (part,) = surface["parts"]
        assert surface["raw"] == target["legs"][surface["surface"]]["raw"]
        assert part["recomputed"] == pytest.approx(surface["raw"], abs=1e-6)
        assert part["method"] == "occlusion"  # The stand-in has no tokens.


def test_the_lines_of_a_body_are_those_of_the_file(shop: Build) -> None:
    _, body = lines_of("Invoice")["surfaces"]

    source = MONEY.split("\n")
    told = [line for part in body["parts"] for line in part["lines"]]
    numbered = [line for line in told if line["line"]]
    assert numbered
    for line in numbered:
        assert source[line["line"] - 1] == line["text"]
    assert {line["label"] for line in told} == {"context", "members", ""}


def test_a_text_in_parts_has_lines_in_each(shop: Build, encoder: WordEncoder) -> None:
    encoder.max_tokens = 10

    _, body = lines_of("billing/exports.py:1")["surfaces"]

    assert [part["part"] for part in body["parts"]] == [1, 2, 3]
    assert body["left_out"] == 0


def test_what_is_no_chunk_has_no_lines(shop: Build) -> None:
    found = lines_of("logo.png")

    assert (found["chunk"], found["surfaces"]) == (None, [])


def test_what_lies_beyond_the_measured_parts_is_counted_and_the_best_is_measured(
    shop: Build, encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder.max_tokens = 10
    monkeypatch.setattr(lines, "MOST_PARTS", 1)
    monkeypatch.setattr(lines, "_leg_of", best_in_part(3))

    _, body = lines_of("billing/exports.py:1")["surfaces"]

    assert [part["part"] for part in body["parts"]] == [1, 3]
    assert body["left_out"] == 1
    assert body["recomputed"] == body["parts"][1]["recomputed"]
    assert body["tokens"] > body["limit"] == 10


def best_in_part(number: int) -> Callable[..., Leg | None]:
    """Return legs of the outcome, where one part of each body is the best."""
    found = lines._leg_of

    def leg_of(outcome: Outcome, surface: str, chunk: int) -> Leg | None:
        leg = found(outcome, surface, chunk)
        if leg is None or leg.parts is None or surface != "body":
            return leg
        return replace(leg, parts=np.full_like(leg.parts, number - 1))

    return leg_of


def test_the_purpose_is_shown_where_it_stands_in_the_file(shop: Build) -> None:
    found = lines_of("format_money")

    assert found["purpose_lines"] == [6, 7]
    assert found["source"] == [
        {"line": n, "text": MONEY.split("\n")[n - 1]} for n in (6, 7, 8)
    ]
    purpose = found["surfaces"][0]["parts"][0]["lines"]
    assert [line["line"] for line in purpose] == [None, 6, 7]


def test_a_file_that_is_gone_is_shown_as_it_was_encoded(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "read_texts", lambda viewer, wanted: {})

    found = lines_of("Invoice.total")

    assert [one["text"].strip() for one in found["source"]] == [
        "def total(self):",
        '"""Add the lines up."""',
        "return sum(self.lines)",
    ]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The packaged model in fp32, in place of every model."""
    packaged = load_encoder(dtype="fp32")
    monkeypatch.setattr(encoders, "encoder_of", lambda *build: (packaged, ""))


def test_the_groups_of_a_part_sum_to_the_cosine_of_its_leg(
    model: None, data_dir: Path, db: None, make_repository: MakeRepository
) -> None:
    index = indexing.register(name="shop", source=str(make_repository(FILES)))
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))

    purpose, body = lines_of("format_money")["surfaces"]

    for surface in (purpose, body):
        (part,) = surface["parts"]
        told = sum(group["contribution"] for group in part["groups"])
        assert part["method"] == "additive"
        assert told == pytest.approx(part["recomputed"], abs=1e-9)
        assert abs(surface["difference"]) < 1e-5
    assert [group["label"] for group in body["parts"][0]["groups"]] == [
        "context line",
        "purpose lines",
        "other lines",
        "special tokens",
    ]


def test_a_window_has_no_purpose(shop: Build) -> None:
    purpose, body = lines_of("notes.txt")["surfaces"]

    assert purpose["note"] == "It has no purpose: windows have none."
    assert body["parts"]


def test_a_leg_that_is_off_has_no_lines(shop: Build) -> None:
    found = trace_lines(
        viewer=ANYONE,
        query=QUERY,
        target="format_money",
        config=read_settings(["off=body"]),
    )

    assert found["surfaces"][1]["note"] == (
        "The body leg did not run: off in this config."
    )


def test_secrets_that_are_off_now_are_not_shown(shop: Build) -> None:
    Repository.objects.update(index_secrets=True)
    index = Index.objects.get()
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))
    assert lines_of("format_money")["surfaces"][1]["parts"]

    Repository.objects.update(index_secrets=False)

    for surface in lines_of("format_money")["surfaces"]:
        assert surface["parts"] == []
        assert surface["note"] == (
            "Hidden: it was indexed with secrets, which are off now."
        )
