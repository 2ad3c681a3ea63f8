"""The payload of an audit: counts that add up, and null for what is not known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from codesearch.audits.headlines import headline
from codesearch.audits.summaries import summarise_lists
from codesearch.funnel.audit.types import Stage, StageKind
from codesearch.models import AuditRow
from codesearch.payloads import Payload
from codesearch.payloads.audit import audit_payload
from indexer.models import Repository
from tests.codesearch.audits.made import Asked, make_audit, random_queries

pytestmark = pytest.mark.django_db

SHOWN = {
    stage: ["a", "b", "c", "d", "e", "f"]
    for stage in ("body", "bm25", "pool", "result", "page")
}
KEYS = {
    *("schema", "audit", "set", "system", "note", "status", "failure", "created_at"),
    *("started_at", "finished_at", "seconds", "created_by", "repositories", "profile"),
    *("settings", "builds", "config", "stages", "only", "queries", "wanted"),
    *("measures", "losses", "deaths", "misses", "topics", "iou", "reading"),
    *("retrievability", "control"),
}


def numbers(told: Any) -> Iterator[float]:  # Any: JSON
    """Yield every number of a payload."""
    if isinstance(told, dict):
        told = list(told.values())
    if isinstance(told, list):
        for one in told:
            yield from numbers(one)
    elif isinstance(told, int | float):
        yield told


def test_it_is_json_of_the_agreed_keys() -> None:
    audit = make_audit(random_queries(6))
    audit.refresh_from_db()

    payload = audit_payload(audit)

    assert set(payload) == KEYS
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    assert list(payload["measures"]) == ["body", "bm25", "pool", "result", "page"]
    assert list(payload["measures"]["pool"]["recall"]) == ["1", "5", "10", "20"]
    assert set(payload["measures"]["pool"]["recall"]["10"]) == {
        *("mean", "low", "high", "n")
    }


def test_it_is_the_same_at_every_call() -> None:
    audit = make_audit(random_queries(20), chunks=60)
    audit.summary = summarise_lists(audit)

    first, second = audit_payload(audit), audit_payload(audit)

    assert first == second
    assert audit.summary == summarise_lists(audit)


def test_targets_are_counted_once_everywhere() -> None:
    payload = audit_payload(make_audit(random_queries(40)))

    losses = payload["losses"]
    lost = sum(step["lost"] for step in losses["steps"])
    assert losses["total"] == payload["wanted"] > 20
    assert losses["steps"][-1]["kept"] == losses["total"] - lost > 0
    assert sum(one["count"] for one in payload["deaths"]) == lost
    assert len(payload["misses"]) == payload["control"]["misses"] == lost
    shares = sum(step["share"] for step in losses["steps"])
    assert shares == pytest.approx(lost / losses["total"])


def test_only_the_written_or_the_synthetic_queries_are_measured() -> None:
    audit = make_audit(random_queries(30))

    every, written, synthetic = (
        audit_payload(audit, only) for only in ("all", "written", "synthetic")
    )

    assert every["queries"]["asked"] == 30
    assert (written["queries"]["asked"], synthetic["queries"]["asked"]) == (20, 10)
    assert written["queries"]["synthetic"] == every["queries"]["synthetic"] == 10
    assert written["wanted"] + synthetic["wanted"] == every["wanted"]
    assert not any(miss["is_synthetic"] for miss in written["misses"])


def test_what_failed_or_has_no_answer_is_counted_and_in_no_mean() -> None:
    audit = make_audit(
        [Asked("good", SHOWN, {"b": 1}), Asked("none", SHOWN, {}), Asked("bad", {}, {})]
    )
    audit.rows.filter(key="bad").update(
        result={"failure": "The query has no words.", "targets": []}
    )

    payload = audit_payload(audit)

    assert payload["queries"] == {
        "asked": 3,
        "answered": 2,
        "failed": 1,
        "unjudged": 1,
        "synthetic": 0,
        "written": 3,
    }
    assert payload["measures"]["page"]["mrr"] == {
        "mean": 0.5,
        "low": 0.5,
        "high": 0.5,
        "n": 1,
    }


def test_before_any_query_is_answered_nothing_is_claimed() -> None:
    audit = make_audit(random_queries(3))
    AuditRow.objects.update(result=None, lists=None)

    payload = audit_payload(audit)

    assert payload["queries"]["asked"] == 3
    assert payload["queries"]["answered"] == 0
    assert payload["measures"]["pool"]["recall"] == {}
    assert payload["measures"]["pool"]["mrr"] is None
    assert payload["reading"]["lines"] == {"median": None, "p90": None, "n": 0}
    assert payload["control"]["found_by_name"] is None


def test_a_miss_has_the_address_of_its_trace() -> None:
    audit = make_audit(
        [Asked("q&1", SHOWN, {"zé": 1})], profile="symbol", knobs=[["pool", "60"]]
    )
    for name in ("web", "api"):
        audit.repositories.add(Repository.objects.create(name=name))

    (miss,) = audit_payload(audit)["misses"]

    assert miss["trace"] == (
        "q=words+of+q%261&repository=api&repository=web&profile=symbol"
        "&target=target+of+z%C3%A9&pool=60"
    )
    assert miss["death"] == {"stage": "page", "reason": "beyond_page"}
    assert miss["stages"]["pool"] is None


def test_reading_is_counted_where_there_is_an_answer() -> None:
    costs = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100]
    queries = [
        Asked(f"q{cost}", SHOWN, {"a": 1}, reading={"lines": cost, "tokens": 2 * cost})
        for cost in costs
    ]
    payload = audit_payload(make_audit([*queries, Asked("lost", SHOWN, {"z": 1})]))

    assert payload["reading"] == {
        "lines": {"median": 5, "p90": 9, "n": 10},
        "tokens": {"median": 10, "p90": 18, "n": 10},
        "without": 1,
    }


def test_lines_are_met_above_nothing_and_by_shares() -> None:
    audit = make_audit([Asked("a", SHOWN, {"a": 1}), Asked("b", SHOWN, {"z": 1})])

    assert audit_payload(audit)["iou"] == {
        "0": 0.5,
        "0.1": 0.5,
        "0.3": 0.5,
        "0.5": 0.0,
        "n": 2,
    }


def topics(payload: Payload) -> list[Any]:  # Any: JSON
    keys = ("topic", "found", "in_pool", "best", "median", "worst", "absent", "overlap")
    return [tuple(one[key] for key in keys) for one in payload["topics"]]


def test_a_topic_says_how_many_of_its_phrasings_find_it() -> None:
    other = {**SHOWN, "result": ["x", "y", "c", "d", "e"], "page": ["x", "y"]}
    nothing = {stage: ["z"] for stage in SHOWN}
    audit = make_audit(
        [
            Asked("1", SHOWN, {"c": 1}, topic="some"),
            Asked("2", other, {"c": 1}, topic="some"),
            Asked("3", SHOWN, {"a": 1}, topic="alone"),
            Asked("4", SHOWN, {"a": 1}, topic="all"),
            Asked("5", SHOWN, {"b": 1}, topic="all"),
            Asked("6", SHOWN, {"b": 1, "a": 0}, topic="all"),
            Asked("7", nothing, {"a": 1}, topic="none"),
            Asked("8", nothing, {"a": 1}, topic="none"),
        ]
    )
    audit.summary = summarise_lists(audit)

    assert topics(audit_payload(audit)) == [
        ("some", "some", "all", 3, 3, 3, 0, 3 / 7),
        ("all", "all", "all", 1, 2, 2, 0, 1.0),
        ("none", "none", "none", None, None, None, 2, 1.0),
    ]


def test_an_overlap_is_of_all_phrasings_or_not_told() -> None:
    queries = [
        Asked("1", SHOWN, {"a": 1}, topic="t"),
        Asked("2", SHOWN, {"a": 1}, topic="t"),
        Asked("3", SHOWN, {"a": 1}, topic="t", is_synthetic=True),
    ]
    audit = make_audit(queries)
    audit.summary = summarise_lists(audit)

    assert topics(audit_payload(audit, "all"))[0][-1] == 1.0
    assert topics(audit_payload(audit, "written"))[0][-1] is None


def test_retrievability_counts_the_pools_of_all_queries() -> None:
    one = {**SHOWN, "pool": ["a", "b"]}
    other = {**SHOWN, "pool": ["a", "c", "a"]}
    audit = make_audit(
        [Asked("1", one, {"a": 1}), Asked("2", other, {"a": 1})], chunks=5
    )
    audit.summary = summarise_lists(audit)

    assert audit_payload(audit)["retrievability"] == {
        "chunks": 5,
        "never": 2,
        "share": 0.4,
        "gini": pytest.approx(0.5),
        "hubs": [
            {"document": "a", "pools": 2, "share": 1.0},
            {"document": "b", "pools": 1, "share": 0.5},
            {"document": "c", "pools": 1, "share": 0.5},
        ],
    }


def test_a_target_of_several_chunks_is_no_chunk_of_a_pool() -> None:
    lists = {**SHOWN, "pool": ["a.py", "b", "c"]}
    audit = make_audit([Asked("1", lists, {"a.py": 1})], chunks=5)
    row = audit.rows.get()
    assert row.result
    row.result["targets"][0]["target"] = "a.py"
    row.save()

    found = summarise_lists(audit)["retrievability"]

    assert [hub["document"] for hub in found["hubs"]] == ["b", "c"]
    assert (found["chunks"], found["never"]) == (5, 3)


def test_of_shared_places_only_what_has_a_meaning_is_told() -> None:
    stages = [Stage("union", StageKind.UNION)]
    audit = make_audit([Asked("1", {"union": ["a"]}, {"a": 1})], stages=stages)

    measured = audit_payload(audit)["measures"]["union"]

    known = {name for name, by_k in measured.items() if by_k}
    assert known == {"recall", "recall_whole", "success", "mrr", "mrr_at"}


def test_recall_of_a_whole_list_counts_what_lies_below_every_k() -> None:
    stages = [Stage("body", StageKind.LEG)]
    listed = {"body": [str(n) for n in range(250)]}
    audit = make_audit([Asked("1", listed, {"249": 1, "0": 1})], stages=stages)

    payload = audit_payload(audit)

    measured = payload["measures"]["body"]
    assert measured["recall"]["200"]["mean"] == 0.5
    assert measured["recall_whole"]["mean"] == 1.0
    assert payload["losses"]["steps"][0]["kept"] == 2
    assert headline(audit).union == 1.0


def test_of_a_corpus_of_unknown_size_retrievability_is_not_told() -> None:
    audit = make_audit(random_queries(4))

    assert summarise_lists(audit)["retrievability"] is None
    assert audit_payload(audit)["retrievability"] is None


def test_another_system_has_what_its_stages_tell() -> None:
    stages = [Stage("dense", StageKind.LEG, 10), Stage("top", StageKind.RERANK, 5)]
    lists = {"dense": ["a", "b", "c"], "top": ["b"]}
    audit = make_audit(
        [Asked("1", lists, {"b": 1, "c": 2})], stages=stages, system="ours"
    )
    row = audit.rows.get()
    assert row.result
    for target in row.result["targets"]:
        target |= dict.fromkeys(("death", "legs", "lookup", "iou", "symbol"))
    row.save()

    payload = audit_payload(audit)

    assert payload["deaths"] == [
        {"stage": "top", "count": 1, "reasons": [{"reason": "not_listed", "count": 1}]}
    ]
    assert [step["name"] for step in payload["losses"]["steps"]] == ["legs", "top"]
    assert payload["misses"][0]["trace"] is None
    assert payload["control"] == {"misses": 1, "found_by_name": None}
    assert payload["iou"]["n"] == 0
    assert payload["measures"]["top"]["recall"]["5"]["mean"] == 0.5


def test_every_share_is_one() -> None:
    measured = audit_payload(make_audit(random_queries(25)))["measures"]

    assert all(0 <= one <= 1 for stage in measured.values() for one in shares(stage))


def shares(stage: Payload) -> Iterator[float]:
    for name, by_k in stage.items():
        for mean in [by_k] if name in ("mrr", "recall_whole") else by_k.values():
            yield from (
                numbers({**mean, "n": 0}) if isinstance(mean, dict) else numbers(mean)
            )
