"""Two audits are compared query by query; what does not pair is said, not guessed.

Losses are shown like wins, and whoever may not see one of the two sees nothing.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from codesearch.audits.foreign.bringing import Wanted, bring
from codesearch.audits.foreign.gathering import BroughtFile
from codesearch.audits.foreign.types import Report
from codesearch.audits.running import finish_audit, request_audit
from codesearch.cases import save_case
from codesearch.config_forms import read_settings
from codesearch.models import Audit, CaseSet
from codesearch.pages.comparison import sort_rows
from codesearch.payloads.comparison import comparison_payload, without_revision
from codesearch.plots.slope import draw_slope
from indexer.access import COMMAND_LINE
from indexer.models import Build, Repository

STAGES = [
    {"name": "dense", "kind": "leg", "depth": 3},
    {"name": "pool", "kind": "pool", "depth": 2},
]
WANTED = {"q1": "a", "q2": "b", "q3": "c"}


def told(lists: dict[str, list[str]], **queries: Any) -> bytes:  # Any: JSON
    entries = [
        {
            "id": key,
            "text": f"find {target}",
            "judgments": {target: 1},
            "lists": {"dense": lists[key], "pool": lists[key][:2]},
            **queries.get(key, {}),
        }
        for key, target in WANTED.items()
        if key in lists
    ]
    return json.dumps({"system": "s", "stages": STAGES, "queries": entries}).encode()


def brought(
    lists: dict[str, list[str]], owner: int | None = None, **queries: Any
) -> Audit:
    file = BroughtFile("a.json", told(lists, **queries))
    return bring(Wanted(owner=owner, document=file), Report())


BEFORE = {"q1": ["x", "a", "y"], "q2": ["b", "x"], "q3": ["x", "y", "c"]}
AFTER = {"q1": ["a", "x", "y"], "q2": ["x", "b"], "q3": ["x", "y"]}


@pytest.fixture
def pair(db: None) -> tuple[Audit, Audit]:
    return brought(BEFORE), brought(AFTER)


def test_ranks_are_compared_by_target_and_absent_is_worse(
    pair: tuple[Audit, Audit],
) -> None:
    payload = comparison_payload(*pair, "dense")

    rows = {row["key"]: row for row in payload["rows"]}
    assert {key: row["outcome"] for key, row in rows.items()} == {
        "q1": "worse",
        "q2": "better",
        "q3": "better",
    }
    assert {key: row["rank_shift"] for key, row in rows.items()} == {
        "q1": -1,
        "q2": 1,
        "q3": None,
    }
    assert payload["ranks"] == {"better": 2, "equal": 0, "worse": 1, "p_sign": 1.0}
    assert payload["first"] == {"k": 10, "a": 3, "b": 2}
    assert payload["pool"] == {"depth": {"a": 2, "b": 2}, "a": 2, "b": 2}
    assert payload["overlap"] == {"mean": pytest.approx((1 + 1 + 2 / 3) / 3), "n": 3}


def test_metrics_are_tested_and_corrected_together(pair: tuple[Audit, Audit]) -> None:
    rows = comparison_payload(*pair, "dense")["metrics"]

    named = {(row["metric"], row["k"], row["stage"]): row for row in rows}
    mrr = named["mrr", None, "dense"]
    assert (mrr["mean_a"], mrr["mean_b"]) == (
        pytest.approx((1 / 2 + 1 + 1 / 3) / 3),
        pytest.approx((1 + 1 / 2) / 3),
    )
    assert (mrr["wins"], mrr["ties"], mrr["losses"]) == (2, 0, 1)
    assert mrr["difference"] == pytest.approx(1 / 9)
    assert named["recall", None, "pool"]["difference"] == 0
    assert all(row["p_holm"] >= row["p_randomisation"] for row in rows)


def test_the_largest_shift_comes_first_and_losses_have_their_list(
    pair: tuple[Audit, Audit],
) -> None:
    rows = comparison_payload(*pair, "dense")["rows"]

    assert [row["key"] for row in sort_rows(rows, "")] == ["q1", "q2", "q3"]
    assert [row["key"] for row in sort_rows(rows, "shift")] == ["q3", "q1", "q2"]
    assert [row["key"] for row in sort_rows(rows, "better")] == ["q3", "q2"]
    assert [row["key"] for row in sort_rows(rows, "worse")] == ["q1"]


def test_swapping_both_changes_every_sign(pair: tuple[Audit, Audit]) -> None:
    a, b = pair
    there, back = comparison_payload(a, b, "dense"), comparison_payload(b, a, "dense")

    assert there["ranks"]["better"] == back["ranks"]["worse"]
    for one, other in zip(there["metrics"], back["metrics"], strict=True):
        assert one["difference"] == pytest.approx(-other["difference"])
        assert one["p_randomisation"] == other["p_randomisation"]


def test_an_audit_with_itself_has_no_difference(pair: tuple[Audit, Audit]) -> None:
    payload = comparison_payload(pair[0], pair[0])

    assert payload["ranks"] == {"better": 0, "equal": 3, "worse": 0, "p_sign": 1.0}
    assert payload["overlap"]["mean"] == 1
    assert payload["differences"] == []
    assert {row["p_randomisation"] for row in payload["metrics"]} == {1.0}


def test_what_does_not_pair_is_counted_and_named(db: None) -> None:
    first = brought(BEFORE)
    second = brought(
        {"q1": ["a"], "q2": ["b"]},
        q1={"judgments": {"a": 1, "z": 1}},
        q2={"text": "look for b"},
    )

    payload = comparison_payload(first, second, "dense")

    assert payload["queries"] == {
        "compared": 1,
        "only_a": 1,
        "only_b": 0,
        "failed": 0,
        "unjudged": 0,
        "other_targets": ["q1"],
        "other_texts": ["q2"],
    }
    assert [row["key"] for row in payload["rows"]] == ["q2"]
    cautions = " ".join(payload["cautions"])
    assert "They are of two sets" in cautions
    assert "Queries asked in A alone: 1, in B alone: 0" in cautions
    assert "Queries that want other targets in A than in B: 1; left out: q1" in cautions
    assert "Queries worded otherwise in A than in B: 1: q2" in cautions
    assert "Raw scores of dense are shown and not subtracted" in cautions


def test_audits_of_nothing_in_common_are_compared_to_nothing(db: None) -> None:
    payload = comparison_payload(brought({"q1": ["a"]}), brought({"q2": ["b"]}))

    assert payload["rows"] == []
    assert payload["metrics"] == []
    assert payload["overlap"] is None


@pytest.fixture
def own(shop: Build) -> tuple[Audit, Audit]:
    """Two audits of the shop, the second without its purpose leg."""
    for query, target in (("format money", "format_money"), ("bill", "Invoice.send")):
        save_case(
            viewer=COMMAND_LINE,
            user=User(),
            query=query,
            targets=[target],
        )
    asked = {"viewer": COMMAND_LINE, "user": None, "enqueue": False}
    case_set = CaseSet.objects.get()
    first, second = (
        request_audit(case_set=case_set, config=read_settings(knobs), **asked)  # type: ignore[arg-type] # as given
        for knobs in ((), ("off=purpose",))
    )
    return finish_audit(audit=first), finish_audit(audit=second)


def test_cosines_of_one_embedder_are_subtracted_and_settings_told(
    own: tuple[Audit, Audit],
) -> None:
    payload = comparison_payload(*own, "body")

    assert payload["differences"] == [
        {"what": "off", "a": "as shipped", "b": "purpose"}
    ]
    assert [row["raw_shift"] for row in payload["rows"]] == [0.0, 0.0]
    assert all("q=" in row["b"]["trace"] for row in payload["rows"])
    assert all("off=purpose" in row["b"]["trace"] for row in payload["rows"])
    assert payload["chunks"]["a"] == payload["chunks"]["b"] > 0
    assert "purpose" not in [stage["name"] for stage in payload["stages"]]


def test_scores_of_two_builds_are_not_subtracted(own: tuple[Audit, Audit]) -> None:
    a, b = own
    b.header["builds"][0]["id"] += 1

    bm25 = comparison_payload(a, b, "bm25")["rows"]
    body = comparison_payload(a, b, "body")["rows"]
    b.header["builds"][0]["fingerprint"] = "another"
    other = comparison_payload(a, b, "body")["rows"]

    assert {row["raw_shift"] for row in bm25} == {None}
    assert {row["raw_shift"] for row in body} == {0.0}
    assert {row["raw_shift"] for row in other} == {None}


def test_the_page_shows_wins_and_losses(
    client: Client, pair: tuple[Audit, Audit]
) -> None:
    CaseSet.objects.update(is_open=True)
    address = f"/compare/?a={pair[0].pk}&b={pair[1].pk}&stage=dense"

    page = client.get(address).content.decode()

    assert "▲ 1 by A" in page
    assert "▼ 1 by A" in page
    assert "▼ only in A" not in page
    assert "▲ only in A" in page
    worse = client.get(f"{address}&sort=worse").content.decode()
    assert "find a" in worse
    assert "find b" not in worse


def test_the_page_without_two_audits_offers_the_newest_of_a_set(
    client: Client, pair: tuple[Audit, Audit]
) -> None:
    assert "no finished audit" in client.get("/compare/").content.decode()

    CaseSet.objects.update(is_open=True)

    page = client.get("/compare/").content.decode()
    assert f"/compare/?a={pair[1].pk}&amp;b={pair[0].pk}" in page


def test_the_form_holds_two_of_one_set_at_first(
    client: Client, pair: tuple[Audit, Audit]
) -> None:
    old, new = pair
    brought({"q1": ["a"]})
    CaseSet.objects.update(is_open=True)

    def chosen(more: str) -> list[int]:
        answer = client.get(f"/compare/{more}")
        assert answer.content.decode().count(" selected>") == 2
        found: list[int] = answer.context["chosen"]
        return found

    assert chosen(f"?a={new.pk}") == [new.pk, old.pk]
    assert chosen(f"?a={old.pk}") == [old.pk, new.pk]
    assert chosen("") == [new.pk + 1, new.pk]


def test_one_audit_alone_leads_to_another_run_of_its_set(
    client: Client, db: None
) -> None:
    only = brought(BEFORE)
    CaseSet.objects.update(is_open=True)

    answer = client.get(f"/compare/?a={only.pk}")

    assert answer.context["chosen"] == [only.pk, only.pk]
    assert "It is the only one yet" in answer.content.decode()


def test_who_may_not_see_one_of_them_sees_neither(client: Client, db: None) -> None:
    ada, ben = User.objects.create_user("ada"), User.objects.create_user("ben")
    mine, yours = brought(BEFORE, ada.pk), brought(BEFORE, ben.pk)
    client.force_login(ada)

    for a, b in ((mine, yours), (yours, mine), (yours, yours)):
        for form in ("", "&format=csv", "&format=json"):
            answer = client.get(f"/compare/?a={a.pk}&b={b.pk}{form}")
            assert answer.status_code == 404
    assert client.get(f"/compare/?a={yours.pk}").status_code == 404
    assert client.get(f"/compare/?a={mine.pk}&b={mine.pk}").status_code == 200
    choices = client.get("/compare/").context["choices"]
    assert [pk for pk, _ in choices] == [mine.pk]


def test_an_audit_of_a_hidden_repository_is_not_there(
    client: Client, own: tuple[Audit, Audit]
) -> None:
    address = f"/compare/?a={own[0].pk}&b={own[1].pk}"
    assert client.get(address).status_code == 200

    Repository.objects.update(visibility="staff")

    assert client.get(address).status_code == 404


def test_csv_and_json_have_every_row(client: Client, pair: tuple[Audit, Audit]) -> None:
    CaseSet.objects.update(is_open=True)
    address = f"/compare/?a={pair[0].pk}&b={pair[1].pk}&stage=dense&format="

    rows = list(
        csv.DictReader(io.StringIO(client.get(f"{address}csv").content.decode()))
    )
    payload = client.get(f"{address}json").json()

    assert [row["outcome"] for row in rows] == ["worse", "better", "better"]
    assert [row["a_rank"] for row in rows] == ["2", "1", "3"]
    assert rows[2]["b_death"] == "leg: in no leg’s list"
    assert [row["outcome"] for row in payload["rows"]] == ["worse", "better", "better"]


@pytest.mark.parametrize("query", ["a=x", "a=0", "sort=else", f"a={10**30}"])
def test_parameters_that_cannot_be_are_refused(
    client: Client, db: None, query: str
) -> None:
    assert client.get(f"/compare/?{query}").status_code == 400


def test_a_chunk_is_the_same_in_another_revision() -> None:
    assert without_revision("shop@1f:a/b.py#Cart.add@120") == "shop:a/b.py#Cart.add"
    assert without_revision("doc:7@3") == "doc:7@3"
    assert without_revision("plain") == "plain"


def test_a_line_is_drawn_from_rank_to_rank_on_a_log_scale() -> None:
    line = draw_slope(1, 100, last=100, pool=10)

    assert (line.a, line.b, line.pool) == (4.0, 26.0, 15.0)
    assert draw_slope(None, 1, last=100, pool=200).pool is None
    assert draw_slope(None, None, last=10).line == ""
    assert draw_slope(None, 1, last=10).a is None
