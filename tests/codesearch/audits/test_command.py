"""`manage.py audit` runs a set here, prints its figures, and guards them."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from codesearch.audits.gates import Gate, UnreadableGate, read_gate
from codesearch.funnel.audit.measures import Metric
from codesearch.models import Audit, CaseSet
from indexer.models import Build
from tests.codesearch.audits.sets import make_set


@pytest.fixture
def cases(shop: Build) -> CaseSet:
    return make_set(
        shop, [("format money", ["format_money"]), ("mail a report", ["Report.send"])]
    )


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("audit", *arguments, stdout=out)
    return out.getvalue()


def fails(*arguments: str) -> CommandError:
    with pytest.raises(CommandError) as raised:
        run(*arguments)
    return raised.value


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("recall@pool:-0.01", (Metric.RECALL, None, "pool", -0.01)),
        ("success@10@card:-.05", (Metric.SUCCESS, 10, "card", -0.05)),
        ("mrr@purpose:1a2b3c4d:0", (Metric.RECIPROCAL, None, "purpose:1a2b3c4d", 0.0)),
        ("ndcg@20@bm25:+0.02", (Metric.NDCG, 20, "bm25", 0.02)),
    ],
)
def test_a_gate_is_read(text: str, gate: tuple[Metric, int | None, str, float]) -> None:
    assert read_gate(text) == Gate(text, *gate)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("recall@pool", "METRIC"),
        ("recall:-0.01", "METRIC"),
        ("recall@0@pool:-1", "METRIC"),
        ("recall@pool:-", "METRIC"),
        ("recall@pool:1.2.3", "METRIC"),
        ("f1@pool:-0.1", "there are recall, success, precision, ndcg, mrr"),
        ("precision@pool:-0.1", "lacks a k"),
    ],
)
def test_what_is_no_gate_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(UnreadableGate, match=sentence):
        read_gate(text)


def test_it_prints_every_stage_and_where_targets_were_lost(cases: CaseSet) -> None:
    printed = run("tests", "--note", "First.")

    assert "2 of 2 queries, 2 wanted targets" in printed
    for stage in ("purpose", "union", "pool", "rerank", "page"):
        assert f"\n{stage} " in printed
    assert "lost at: no stage" in printed
    assert Audit.objects.get().note == "First."


def test_it_prints_the_payload_as_json(cases: CaseSet) -> None:
    told = json.loads(run(str(cases.pk), "--json", "--set", "pool=40"))

    assert told["settings"] == [["pool", "40"]]
    assert told["measures"]["pool"]["recall"]["40"]["mean"] == 1.0
    assert told["against"] is None


def test_a_fall_beyond_a_gate_exits_with_1(cases: CaseSet) -> None:
    run("tests")
    worse = ("--set", "off=purpose", "--set", "off=body", "--set", "off=bm25")

    error = fails(
        *("tests", "--against", "LAST", *worse),
        *("--fail-on", "recall@pool:-0.01", "--fail-on", "mrr@union:-1"),
    )

    assert error.returncode == 1
    assert str(error) == "worse than allowed: recall@pool:-0.01"


def test_what_did_not_fall_passes_and_the_difference_is_told(cases: CaseSet) -> None:
    run("tests")

    printed = run("tests", "--against", "LAST", "--fail-on", "recall@pool:0")
    told = json.loads(run("tests", "--against", "1", "--json"))

    assert "against audit 1\nrecall@pool: 1.000 to 1.000 (+0.000" in printed
    assert told["against"]["audit"] == 1
    assert [row["gate"] for row in told["against"]["compared"]] == [
        *("recall@pool:0", "mrr@result:0", "success@10@card:0")
    ]


def test_only_queries_of_both_are_compared(cases: CaseSet) -> None:
    run("tests")
    cases.cases.filter(key="q1").update(key="q9", query="nothing", targets=["logo.png"])

    told = json.loads(
        run("tests", "--against", "LAST", "--json", "--fail-on", "recall@pool:0")
    )

    (row,) = told["against"]["compared"]
    assert (row["n"], row["difference"], row["passes"]) == (1, 0.0, True)


def test_a_query_that_is_not_answered_any_more_is_no_pass(cases: CaseSet) -> None:
    run("tests")
    cases.cases.filter(key="q1").update(query="repo:gone money")

    error = fails("tests", "--against", "LAST", "--fail-on", "recall@pool:-1")

    assert error.returncode == 1
    assert str(error) == "1 that audit 1 answered could not be asked."


def test_a_gate_over_no_query_is_no_pass(cases: CaseSet) -> None:
    run("tests")
    cases.cases.update(targets=["logo.png"])

    error = fails("tests", "--against", "LAST", "--fail-on", "recall@pool:0")

    assert error.returncode == 2
    assert str(error) == "No query was answered in both with the same targets."


def test_the_first_has_nothing_to_be_compared_with(cases: CaseSet) -> None:
    gate = ("--against", "LAST", "--fail-on", "recall@pool:-0.01")

    without_gate = run("tests", "--against", "LAST")
    Audit.objects.all().delete()
    error = fails("tests", *gate)
    Audit.objects.all().delete()
    allowed = run("tests", *gate, "--allow-first")

    assert "There is no finished audit of the same before it" in without_gate
    assert error.returncode == 2
    assert "With --allow-first the first one passes" in str(error)
    assert "There is no finished audit of the same before it" in allowed


def test_last_is_of_the_same_repositories_and_profile(
    cases: CaseSet, shop: Build
) -> None:
    run("tests")
    run("tests", "--profile", "symbol")

    told = json.loads(run("tests", "--against", "LAST", "--json"))

    assert told["against"]["audit"] == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "There is no set nowhere; `cases list` prints them."),
        (["tests", "--fail-on", "recall@pool:0"], "say --against LAST"),
        (["tests", "--against", "7"], "There is no finished audit 7; or say LAST."),
        (["tests", "--set", "pool=1"], "pool"),
        (["tests", "--repository", "vault"], "no repository called vault"),
        (
            ["tests", "--against", "LAST", "--fail-on", "recall@attic:0"],
            "has no stage “attic”; it has purpose, ",
        ),
        (
            ["tests", "--against", "LAST", "--fail-on", "ndcg@10@union:0"],
            "ndcg has no meaning at union",
        ),
    ],
)
def test_what_cannot_be_run_leaves_no_audit(
    cases: CaseSet, arguments: list[str], sentence: str
) -> None:
    assert sentence in str(fails(*arguments))
    assert not Audit.objects.exists()


def test_an_audit_that_fails_is_an_error(
    cases: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_encoder(*build: Any) -> tuple[None, str]:
        return None, "the model is gone"

    monkeypatch.setattr("indexer.encoders.encoder_of", no_encoder)

    assert "The purpose leg did not run: the model is gone" in str(fails("tests"))


def test_an_audit_that_is_interrupted_is_cancelled(
    cases: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(row: Any, asked: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("codesearch.audits.running.ask_case", interrupt)

    with pytest.raises(KeyboardInterrupt):
        run("tests")

    assert Audit.objects.get().status == "cancelled"


def test_sets_of_one_name_are_chosen_by_number(cases: CaseSet, shop: Build) -> None:
    make_set(shop, [("total", ["total"])])

    assert "Several sets are called tests: " in str(fails("tests"))
    assert "2 of 2 queries" in run(str(cases.pk))
