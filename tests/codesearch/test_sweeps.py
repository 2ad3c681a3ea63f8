"""Sweeps: each phrasing is a trace of its own, and the summary is of the fair ones."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from codesearch import services
from codesearch.config_forms import read_settings
from codesearch.errors import AmbiguousTarget, UnknownRepository, UnreadableQuery
from codesearch.funnel.phrasings import LIMIT
from codesearch.payloads import Payload
from codesearch.sweeps import sweep
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build, Index, Repository
from tests.small_models import save_cross_encoder

QUERY = "format money for a locale"


@pytest.fixture(autouse=True)
def indexed(shop: Build) -> Build:
    return shop


def ask(target: str = "format_money", query: str = QUERY, **wish: Any) -> Payload:
    return sweep(viewer=ANYONE, query=query, target=target, **wish)


def texts(found: Payload) -> list[str]:
    return [row["text"] for row in found["phrasings"]]


@pytest.mark.parametrize("knobs", [[], ["depth=2", "weight.bm25=3"], ["off=body"]])
@pytest.mark.parametrize("query", [QUERY, "send lang:py -is:test"])
def test_each_phrasing_stands_where_its_own_trace_puts_it(
    query: str, knobs: list[str]
) -> None:
    config = read_settings(knobs)
    found = ask("Invoice.send", query, phrasings=["mail a bill"], config=config)

    assert len(found["phrasings"]) > 3
    for row in found["phrasings"]:
        traced = services.trace(
            viewer=ANYONE, query=row["query"], targets=["Invoice.send"], config=config
        )
        (target,) = traced["targets"]
        kept = ("chunk", "fused", "pool", "rank", "card", "death")
        assert {key: row[key] for key in kept} == {key: target[key] for key in kept}
        assert row["closeness"] == traced["closeness"]["band"]
        for name, leg in row["legs"].items():
            told = target["legs"][name]
            floor = traced["legs"][name]["floor"]
            wanted = {key: told[key] for key in leg if key != "floor"} if told else None
            assert leg == (wanted and {**wanted, "floor": floor})


def test_the_traced_query_comes_first_then_the_typed_then_the_variants() -> None:
    found = ask(phrasings=["print a price", " ", QUERY, "print  a price"])

    assert [(row["source"], row["origin"]) for row in found["phrasings"]] == [
        ("traced", "as traced"),
        ("typed", "typed"),
        ("variant", "without “format”"),
        ("variant", "without “money”"),
        ("variant", "without “locale”"),
        ("variant", "words joined to a name"),
        ("variant", "words joined to a name"),
        ("variant", "stop words dropped"),
        ("variant", "its name added"),
        ("variant", "first sentence of its docs: upper bound"),
        ("variant", "its name alone: control, a lookup by name"),
    ]
    assert texts(found)[-2:] == [
        "Format an amount of money for a locale",
        "format_money",
    ]


def test_variants_can_be_left_out() -> None:
    assert texts(ask(phrasings=["a price"], with_variants=False)) == [QUERY, "a price"]


def test_the_words_of_the_target_do_not_count() -> None:
    found = ask("format_money", "locale", phrasings=["zebra quagga"])

    leaking = [row for row in found["phrasings"] if row["leaks"]]
    assert len(leaking) == 3
    assert found["summary"]["phrasings"] == len(found["phrasings"]) - 3
    bm25 = found["summary"]["ranks"]["bm25"]
    assert (bm25["found"], bm25["absent"]) == (1, 1)


def test_the_cosines_are_those_of_the_legs_and_their_difference() -> None:
    for row in ask()["phrasings"]:
        cosines, legs = row["cosines"], row["legs"]
        for surface in ("purpose", "body"):
            assert cosines[surface]["raw"] == legs[surface]["raw"]
            assert cosines[surface]["in_leg"] == legs[surface]["in_leg"]
        expected = legs["purpose"]["raw"] - legs["body"]["raw"]
        assert cosines["difference"] == expected


def test_a_leg_that_is_off_has_no_cosine() -> None:
    row = ask(config=read_settings(["off=body"]))["phrasings"][0]

    assert row["cosines"]["body"] is None
    assert row["cosines"]["difference"] is None


def test_a_target_that_some_phrasings_lose_is_sensitive() -> None:
    config = read_settings(["depth=1", "off=symbol"])
    found = ask(
        phrasings=["send the report"], with_variants=False, config=config
    )["summary"]  # fmt: skip

    assert (found["sensitive"], found["on_page"], found["in_pool"]) == (True, 1, 1)
    assert found["ends"] == "on page one for 1, lost before the pool for 1 of 2"


def test_filters_of_the_query_hold_for_all_and_others_for_none() -> None:
    query = f"path:billing {QUERY}"
    found = ask(query=query, phrasings=["lang:go print a price", "lang:go"])

    assert found["phrasings"][0]["query"] == query
    assert found["phrasings"][1]["query"] == "print a price path:billing"
    assert found["notes"] == [
        "“lang:go” of a phrasing was left out: those of the query hold for all."
    ]
    (refused,) = found["refused"]
    assert refused["text"] == "lang:go"
    assert refused["reason"].startswith("“lang:go” says where to look;")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a\x00b", "It holds a NUL."),
        ("x" * 5000, "The query has 5,000 characters; 2,000 are read."),
        ("is:tests a", "“is:tests” at character 1: no mark is called tests;"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(text: str, reason: str) -> None:
    found = ask(phrasings=[text, "a price"], with_variants=False)

    assert texts(found) == [QUERY, "a price"]
    (refused,) = found["refused"]
    assert refused["reason"].startswith(reason)
    assert refused["text"] == text[:80]


def test_a_sweep_has_a_limit_and_says_what_it_left_out() -> None:
    found = ask(phrasings=[f"price {n}" for n in range(500)], with_variants=False)

    assert len(found["phrasings"]) == LIMIT
    assert found["unswept"] == 501 - LIMIT


@pytest.mark.parametrize("target", ["logo.png", "locale/de.po", "nowhere"])
def test_a_target_without_a_chunk_has_no_phrasings(target: str) -> None:
    found = ask(target)

    assert found["phrasings"] == []
    assert found["target"]["death"]["stage"] == "corpus"
    assert found["summary"]["ranks"] == {
        name: {"found": 0, "absent": 0, "least": None, "median": None, "most": None}
        for name in ("fused", "final")
    }


def test_a_target_out_of_scope_has_no_phrasings() -> None:
    found = ask(query=f"-path:billing {QUERY}")

    assert found["phrasings"] == []
    assert found["target"]["death"]["reason"] == "filter:path"


def test_a_path_stands_for_its_best_chunk_in_each_phrasing() -> None:
    found = ask("billing/money.py", phrasings=["add the lines up of an invoice"])

    named = {row["text"]: row["symbol"] for row in found["phrasings"]}
    assert named[QUERY] == "format_money"
    assert named["add the lines up of an invoice"] == "Invoice.total"


def test_a_name_of_several_symbols_is_ambiguous() -> None:
    with pytest.raises(AmbiguousTarget):
        ask("send")


def test_nobody_sweeps_what_they_may_not_read() -> None:
    Repository.objects.update(visibility="staff")

    with pytest.raises(UnknownRepository):
        ask(repositories=["shop"])


def test_docs_that_may_hold_secrets_are_no_variant_once_secrets_are_off() -> None:
    Repository.objects.update(index_secrets=True)
    index = Index.objects.get()
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))
    of_docs = "first sentence of its docs: upper bound"
    assert of_docs in [row["origin"] for row in ask()["phrasings"]]

    Repository.objects.update(index_secrets=False)

    assert of_docs not in [row["origin"] for row in ask()["phrasings"]]


def test_an_empty_query_is_refused() -> None:
    with pytest.raises(UnreadableQuery):
        ask(query=" ")


def test_a_cross_encoder_is_not_asked_for_each_phrasing(
    settings: Settings, tmp_path: Path
) -> None:
    settings.CROSS_ENCODER = save_cross_encoder(tmp_path)

    found = ask(with_variants=False)

    assert found["rerank"]["kind"] == "structural"
    assert "a cross-encoder is not asked" in found["notes"][0]


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("sweep", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_prints_ranks_end_and_phrasing(tmp_path: Path) -> None:
    file = tmp_path / "more.txt"
    file.write_bytes(b"print a price\n\nprint \xff money\n")

    lines = run(
        QUERY, "--target", "format_money", "--file", str(file), "--no-variants",
        "--phrasing", "a locale",
    ).splitlines()  # fmt: skip

    assert lines[0].split() == (
        ["purpose", "body", "bm25", "symbol", "fused", "rank", "ends", "at", "phrasing"]
    )
    assert lines[1].split() == f"1 1 1 – 1 1 page one {QUERY} (as traced)".split()
    assert [line.rpartition("page one")[2].strip() for line in lines[2:5]] == [
        "a locale (typed)",
        "print a price (typed)",
        "print \ufffd money (typed)",
    ]
    assert lines[8] == "Not phrasing-sensitive. On page one for 4 of 4 phrasings."


def test_the_command_gives_the_payload_as_json() -> None:
    found = json.loads(run(QUERY, "--target", "format_money", "--json"))

    assert found.keys() == ask().keys()
    assert found["phrasings"] == ask()["phrasings"]


def test_the_command_says_why_there_is_no_table() -> None:
    assert run(QUERY, "--target", "logo.png") == (
        "logo.png: no phrasing can find it. logo.png was skipped: binary.\n"
    )


def test_an_ambiguous_target_exits_with_2_and_an_unread_file_with_1() -> None:
    with pytest.raises(CommandError) as several:
        run(QUERY, "--target", "send")
    with pytest.raises(CommandError, match="cannot be read: No such file") as missing:
        run(QUERY, "--target", "format_money", "--file", "/nowhere.txt")

    assert (several.value.returncode, missing.value.returncode) == (2, 1)
