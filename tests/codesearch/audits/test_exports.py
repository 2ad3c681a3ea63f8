"""What is exported of an audit tells other tools what the audit tells."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

import ir_measures
import pytest
from django.contrib.auth.models import User
from django.test import Client
from ir_measures import RR, Judged, P, R, Success, nDCG

from codesearch.audits.exports import audit_qrels, audit_run
from codesearch.funnel.audit.types import Stage, StageKind
from codesearch.models import Audit, AuditRow
from codesearch.payloads import Payload
from codesearch.payloads.audit import Only, audit_payload
from codesearch.runs import UnknownStage
from codesearch.spreadsheets import write_csv
from indexer.models import Repository
from tests.codesearch.audits.made import LISTED, Asked, make_audit, random_queries

pytestmark = pytest.mark.django_db

LISTS = {
    "body": ["b 1", "a"],
    "bm25": ["a"],
    "pool": ["a", "b 1"],
    "result": ["a", "b 1"],
    "page": ["a"],
}


def evaluate(qrels: str, run: str, measures: list[Any]) -> Mapping[Any, float]:
    """Return the means of ir_measures; Any: it has no types."""
    read: Any = ir_measures
    found: Mapping[Any, float] = read.calc_aggregate(
        measures, read.read_trec_qrels(qrels), read.read_trec_run(run)
    )
    return found


def assert_equal_to_ir_measures(audit: Audit, stage: str, only: Only = "all") -> None:
    """Check every mean of a stage against its exported run and qrels."""
    measured: Payload = audit_payload(audit, only)["measures"][stage]
    qrels = "".join(audit_qrels(audit, only))
    run = "".join(audit_run(audit, stage, only))
    expected: dict[Any, float] = {RR: measured["mrr"]["mean"]}
    for k, mean in measured["mrr_at"].items():
        expected[RR @ int(k)] = mean["mean"]
    for name, theirs in (
        *(("recall", R), ("success", Success), ("precision", P)),
        ("ndcg", nDCG),
    ):
        for k, mean in measured[name].items():
            expected[theirs @ int(k)] = mean["mean"]

    assert len(expected) > 10
    assert evaluate(qrels, run, list(expected)) == pytest.approx(expected)


@pytest.mark.parametrize("only", ["all", "written", "synthetic"])
@pytest.mark.parametrize("stage", [stage.name for stage in LISTED])
def test_run_and_qrels_give_our_figures(stage: str, only: Only) -> None:
    assert_equal_to_ir_measures(make_audit(random_queries(40)), stage, only)


def test_the_judged_share_of_full_lists_is_that_of_ir_measures() -> None:
    audit = make_audit(random_queries(40))
    found = audit_payload(audit)["measures"]["pool"]["judged"]
    qrels, run = "".join(audit_qrels(audit)), "".join(audit_run(audit, "pool"))
    measures = {Judged @ int(k): share for k, share in found.items()}

    assert evaluate(qrels, run, list(measures)) == pytest.approx(measures)


def test_a_query_without_hits_counts_in_both() -> None:
    audit = make_audit(
        [
            Asked("hit", LISTS, {"a": 1}),
            Asked("none", dict.fromkeys(LISTS, []), {"a": 2}),
            Asked("unjudged", LISTS, {}),
            Asked("no answer", LISTS, {"a": 0}),
        ]
    )

    assert_equal_to_ir_measures(audit, "body")
    assert audit_payload(audit)["measures"]["body"]["recall"]["5"]["mean"] == 0.5


def test_a_target_without_a_document_is_missed_in_both() -> None:
    audit = make_audit([Asked("q", LISTS, {"a": 1, "gone": 1})])
    row = audit.rows.get()
    assert row.result
    row.result["targets"][1]["document"] = None
    row.save()

    assert "".join(audit_qrels(audit)) == (
        "q 0 a 1\nq 0 no-document:target%20of%20gone 1\n"
    )
    assert_equal_to_ir_measures(audit, "pool")


def test_scores_fall_strictly_and_a_document_is_one_word() -> None:
    audit = make_audit(
        [Asked("q", {**LISTS, "pool": ["a", "b c", "d", "e"]}, {"a": 1})]
    )

    text = "".join(audit_run(audit, "pool"))

    assert text == (
        "q Q0 a 1 1.0 codesearch-pool\n"
        "q Q0 b%20c 2 0.9999999403953552 codesearch-pool\n"
        "q Q0 d 3 0.5 codesearch-pool\n"
        "q Q0 e 4 0.4999999701976776 codesearch-pool\n"
    )


def test_shared_places_have_no_run() -> None:
    stages = [*LISTED, Stage("union", StageKind.UNION, 30)]
    audit = make_audit([Asked("q", LISTS, {"a": 1})], stages=stages)

    for stage in ("union", "other"):
        with pytest.raises(
            UnknownStage, match="those of body, bm25, pool, result, page"
        ):
            audit_run(audit, stage)


def get(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    return answer.getvalue().decode()


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_has_a_line_for_each_target(client: Client) -> None:
    audit = make_audit([Asked("q", LISTS, {"a": 1, "z": 2}, topic="t")])

    first, second = table(get(client, f"/audits/{audit.pk}.csv"))

    assert first == {
        "key": "q",
        "topic": "t",
        "query": "words of q",
        "synthetic": "",
        "target": "target of a",
        "grade": "1",
        "body": "2",
        "bm25": "1",
        "pool": "1",
        "result": "1",
        "page": "1",
        "body ordinal": "2",
        "body raw": "0.5",
        "bm25 ordinal": "1",
        "bm25 raw": "0.5",
        "died at": "",
        "reason": "",
        "failure": "",
    }
    assert (
        second["pool"],
        second["bm25 raw"],
        second["died at"],
        second["reason"],
    ) == (*("", "", "page", "beyond_page"),)


def test_a_query_that_failed_keeps_its_lines(client: Client) -> None:
    audit = make_audit([Asked("q", {}, {"a": 1}), Asked("later", {}, {"b": 1})])
    rows = AuditRow.objects.order_by("number")
    rows.filter(key="q").update(result={"failure": "It has no words.", "targets": []})
    rows.filter(key="later").update(result=None)

    first, second = table(get(client, f"/audits/{audit.pk}.csv"))

    assert (first["target"], first["failure"]) == ("a", "It has no words.")
    assert (second["target"], second["failure"], second["pool"]) == ("b", "", "")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-path:x", "@a", "\t=1", "\r=1"])
def test_a_text_of_a_table_is_no_formula(text: str) -> None:
    ((found, number),) = csv.reader(io.StringIO(write_csv([[text, -0.5]]), newline=""))

    assert found == f"'{text}"
    assert number == "-0.5"


def test_the_json_is_the_payload_with_every_result(client: Client) -> None:
    audit = make_audit(random_queries(4))

    told = json.loads(get(client, f"/audits/{audit.pk}.json?only=written"))

    rows = told.pop("rows")
    audit.refresh_from_db()
    assert told == audit_payload(audit, "written")
    assert [row["key"] for row in rows] == ["q1", "q2"]
    assert rows[0]["result"] == AuditRow.objects.get(key="q1").result


def test_downloads_are_files_with_safe_names(client: Client) -> None:
    stages = [Stage('le"g:1\n', StageKind.LEG, 5)]
    audit = make_audit([Asked("q", {stages[0].name: ["a"]}, {"a": 1})], stages=stages)

    answer = client.get(f"/audits/{audit.pk}/run/", {"stage": stages[0].name})

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Content-Disposition"] == (
        f'attachment; filename="audit-{audit.pk}-le-g-1-.run"'
    )
    assert answer.headers["Cache-Control"].startswith("max-age=0")
    assert answer.getvalue() == b'q Q0 a 1 1.0 codesearch-le"g:1%0A\n'
    assert get(client, f"/audits/{audit.pk}/qrels/") == "q 0 a 1\n"


def test_what_cannot_be_exported_is_refused_in_words(client: Client) -> None:
    audit = make_audit([Asked("q", LISTS, {"a": 1})])
    address = f"/audits/{audit.pk}"

    assert "those of body, bm25" in get(client, f"{address}/run/?stage=x", 400)
    assert "those of body, bm25" in get(client, f"{address}/run/", 400)
    for name in (".json", ".csv", "/run/", "/qrels/"):
        assert "only: " in get(client, f"{address}{name}?only=x", 400)


@pytest.mark.parametrize("name", [".json", ".csv", "/run/?stage=pool", "/qrels/"])
def test_an_audit_out_of_reach_is_not_there(client: Client, name: str) -> None:
    audit = make_audit([Asked("q", LISTS, {"a": 1})], repository_count=1)
    audit.repositories.add(Repository.objects.create(name="shut", visibility="private"))

    assert client.get(f"/audits/{audit.pk}{name}").status_code == 404
    assert client.get(f"/audits/{audit.pk + 1}{name}").status_code == 404

    client.force_login(User.objects.create_superuser("root"))

    assert client.get(f"/audits/{audit.pk}{name}").status_code == 200
