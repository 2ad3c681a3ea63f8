"""What the lines of a target add stands beside the leg's raw score, or why not."""

from __future__ import annotations

import pytest

from codesearch import services
from codesearch.forms import read_settings
from codesearch.lines import trace_lines
from codesearch.payloads import Payload
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build, Index, Repository
from tests.codesearch.conftest import MONEY

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


def test_a_text_in_parts_has_lines_in_each(shop: Build, encoder: object) -> None:
    encoder.max_tokens = 10  # type: ignore[attr-defined] # The stand-in's.

    _, body = lines_of("billing/exports.py:1")["surfaces"]

    assert [part["part"] for part in body["parts"]] == [1, 2, 3]
    assert body["left_out"] == 0


def test_what_is_no_chunk_has_no_lines(shop: Build) -> None:
    found = lines_of("logo.png")

    assert (found["chunk"], found["surfaces"]) == (None, [])


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
