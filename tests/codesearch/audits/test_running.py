"""An audit asks each case once, of the same layers, whoever works on it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User

from codesearch.audits import asking, running
from codesearch.audits.rows import answered, stages_of
from codesearch.audits.running import (
    advance_audit,
    cancel_audit,
    finish_audit,
    request_audit,
    resume_audits,
)
from codesearch.config_forms import read_settings
from codesearch.errors import NothingIndexed, UnaskableSet, UnknownRepository
from codesearch.models import Audit, AuditRow, CaseSet
from codesearch.pages.audits.history import past_audits
from codesearch.payloads.audit import audit_payload
from indexer import removal
from indexer import services as indexing
from indexer.access import ANYONE, COMMAND_LINE, viewer_of
from indexer.leases import MAX_ATTEMPTS, Lease
from indexer.models import Build, Repository
from tests.codesearch.audits.sets import lists_of, make_set, result_of

CASES: list[tuple[str, list[str]]] = [
    ("format an amount of money", ["format_money"]),
    ("mail the report", ["Report.send", "Invoice.send"]),
    ("night", ["notes.txt"]),
]


@pytest.fixture
def cases(shop: Build) -> CaseSet:
    return make_set(shop, CASES)


def ask(cases: CaseSet, **more: Any) -> Audit:
    audit = request_audit(
        viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False, **more
    )
    return finish_audit(audit=audit)


def told(audit: Audit) -> list[Any]:
    """Return the results and the lists of an audit, without the times."""
    rows = []
    for row in audit.rows.all():
        timeless = {k: v for k, v in result_of(row).items() if k != "milliseconds"}
        rows.append((row.key, timeless, lists_of(row)))
    return rows


def test_a_request_keeps_the_cases_and_what_they_are_asked_of(
    cases: CaseSet, shop: Build
) -> None:
    ada = User.objects.create_user("ada")
    config = read_settings(["pool=40", "off=symbol"])

    audit = request_audit(
        viewer=ANYONE,
        user=ada,
        case_set=cases,
        config=config,
        note="A smaller pool.",
        enqueue=False,
    )

    assert (audit.status, audit.row_count, audit.note) == (
        "queued",
        3,
        "A smaller pool.",
    )
    assert audit.created_by == ada
    assert [one.name for one in audit.repositories.all()] == ["shop"]
    assert audit.knobs == [("pool", "40"), ("off", "symbol")]
    assert [stage.name for stage in stages_of(audit)] == [
        *("purpose", "body", "bm25", "union", "fusion", "pool", "rerank"),
        *("result", "card", "page"),
    ]
    assert audit.header["builds"][0]["id"] == shop.pk
    assert audit.header["config"]["pool"] == 40
    assert [(row.number, row.key, row.result) for row in audit.rows.all()] == [
        *((0, "q0", None), (1, "q1", None), (2, "q2", None))
    ]


def test_every_row_has_its_result_and_its_lists(cases: CaseSet) -> None:
    audit = ask(cases)

    assert (audit.status, audit.failure) == ("done", "")
    assert audit.started_at is not None
    assert audit.finished_at is not None
    first = audit.rows.get(number=0)
    (target,) = result_of(first)["targets"]
    assert (target["symbol"], target["path"]) == ("format_money", "billing/money.py")
    assert target["stages"]["result"] == target["stages"]["page"] == 1
    assert target["death"] is None
    lists = lists_of(first)
    assert lists["result"][0].document == target["document"]
    found = answered(first)
    assert found is not None
    assert found.wanted[0].places["union"] == 1
    assert found.judged_at is not None
    assert found.judged_at["page"] == {1: 1, 5: 1, 10: 1, 20: 1, 30: 1}


def test_a_case_that_cannot_be_asked_says_so_and_the_others_go_on(
    shop: Build,
) -> None:
    cases = make_set(
        shop,
        [
            ("lang:python", ["format_money"]),
            ("mail", ["send"]),
            ("money repo:vault", ["format_money"]),
            ("money", ["format_money"]),
        ],
    )

    audit = ask(cases)

    failures = [result_of(row)["failure"] for row in audit.rows.all()]
    assert audit.status == "done"
    assert failures == [
        "“lang:python” says where to look; say what to look for as well.",
        "send stands for 2 chunks or files; choose one",
        "“repo:vault” names a repository that this audit does not search.",
        "",
    ]
    assert [answered(row) is None for row in audit.rows.all()] == [
        *(True, True, True, False)
    ]


@pytest.mark.parametrize(
    ("more", "error", "sentence"),
    [
        ({"repositories": ["vault"]}, UnknownRepository, "no repository called vault"),
        ({"profile": "window"}, NothingIndexed, "shop has no window index yet."),
    ],
)
def test_what_cannot_be_audited_is_refused(
    cases: CaseSet, more: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        ask(cases, **more)
    assert not Audit.objects.exists()


def test_a_set_without_cases_and_a_foreign_one_are_refused(cases: CaseSet) -> None:
    cases.is_foreign = True
    with pytest.raises(UnaskableSet, match="of another system"):
        ask(cases)
    cases.is_foreign = False
    cases.cases.all().delete()
    with pytest.raises(UnaskableSet, match="has no cases yet"):
        ask(cases)


def test_a_repository_that_is_out_of_reach_does_not_exist(cases: CaseSet) -> None:
    Repository.objects.update(visibility="staff")

    with pytest.raises(UnknownRepository, match="no repository called shop"):
        request_audit(viewer=ANYONE, user=None, case_set=cases, enqueue=False)


def test_an_index_whose_vectors_are_being_made_is_not_audited(
    cases: CaseSet, shop: Build
) -> None:
    Build.objects.filter(pk=shop.pk).update(status="running")

    with pytest.raises(NothingIndexed, match="vectors of shop are still being made"):
        ask(cases)


def test_batch_after_batch_comes_to_what_one_would(
    cases: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ask(cases)
    monkeypatch.setattr(running, "BATCH_SECONDS", 0.0)

    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)
    more = [advance_audit(audit_id=audit.pk) for _ in range(3)]
    audit.refresh_from_db()

    assert more == [True, True, False]
    assert audit.status == "done"
    assert told(audit) == told(whole)


def test_an_audit_counts_as_its_set_did_when_it_was_asked_for(
    cases: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ask(cases)
    monkeypatch.setattr(running, "BATCH_SECONDS", 0.0)
    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)
    advance_audit(audit_id=audit.pk)

    cases.unit = "file"
    cases.save()
    audit = finish_audit(audit=audit)

    assert (audit.status, told(audit)) == ("done", told(before))
    assert audit_payload(audit)["set"]["unit"] == "chunk"
    assert past_audits(COMMAND_LINE, ask(cases)) == [Audit.objects.first()]


def test_a_row_is_written_once(cases: CaseSet, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = count_asked(monkeypatch)
    monkeypatch.setattr(running, "BATCH_SECONDS", 0.0)
    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)

    advance_audit(audit_id=audit.pk)
    first = audit.rows.get(number=0).result
    finish_audit(audit=audit)

    assert asked == ["q0", "q1", "q2"]
    assert audit.rows.get(number=0).result == first
    assert not advance_audit(audit_id=audit.pk)


def count_asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the key of every case that is asked."""
    asked = []
    ask_case = asking.ask_case

    def count(row: AuditRow, what: Any) -> Any:
        asked.append(row.key)
        return ask_case(row, what)

    monkeypatch.setattr("codesearch.audits.running.ask_case", count)
    return asked


def test_what_another_worker_holds_is_left_alone(
    cases: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = count_asked(monkeypatch)
    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)

    with Lease(Audit(pk=audit.pk)):
        assert not advance_audit(audit_id=audit.pk)

    assert asked == []
    assert finish_audit(audit=audit).status == "done"


def test_a_row_of_a_worker_that_lost_its_lease_is_not_written(
    cases: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)

    def lose(row: AuditRow, what: Any) -> Any:
        Audit.objects.update(lease_owner="another")
        return {"failure": "by the first"}, {}

    monkeypatch.setattr("codesearch.audits.running.ask_case", lose)

    assert not advance_audit(audit_id=audit.pk)
    assert not audit.rows.filter(result__isnull=False).exists()


def test_a_cancelled_audit_keeps_what_was_done(
    cases: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "BATCH_SECONDS", 0.0)
    ada, bob = (User.objects.create_user(name) for name in ("ada", "bob"))
    audit = request_audit(viewer=ANYONE, user=ada, case_set=cases, enqueue=False)
    advance_audit(audit_id=audit.pk)

    assert not cancel_audit(viewer=viewer_of(bob), audit=audit)
    assert cancel_audit(viewer=viewer_of(ada), audit=audit)
    assert not cancel_audit(viewer=viewer_of(ada), audit=audit)

    audit = finish_audit(audit=audit)
    assert audit.status == "cancelled"
    assert audit.finished_at is not None
    assert audit.rows.filter(result__isnull=False).count() == 1


def test_a_cancel_between_asking_and_writing_holds(
    cases: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)

    def cancel(row: AuditRow, what: Any) -> Any:
        cancel_audit(viewer=COMMAND_LINE, audit=audit)
        return {"failure": ""}, {}

    monkeypatch.setattr("codesearch.audits.running.ask_case", cancel)

    assert finish_audit(audit=audit).status == "cancelled"
    assert not audit.rows.filter(result__isnull=False).exists()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"vectors_done": 3}, "The index of shop changed while the audit ran"),
        (None, "The index of shop changed while the audit ran"),
    ],
)
def test_an_audit_of_other_layers_ends(
    cases: CaseSet,
    shop: Build,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, int] | None,
    sentence: str,
) -> None:
    monkeypatch.setattr(running, "BATCH_SECONDS", 0.0)
    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)
    advance_audit(audit_id=audit.pk)

    if change:
        Build.objects.filter(pk=shop.pk).update(**change)
    else:
        shop.delete()
    audit = finish_audit(audit=audit)

    assert audit.status == "failed"
    assert sentence in audit.failure
    assert audit.rows.filter(result__isnull=False).count() == 1


def test_a_leg_that_does_not_run_ends_it(
    cases: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "indexer.encoders.encoder_of", lambda *build: (None, "the model is gone")
    )

    audit = ask(cases)

    assert audit.status == "failed"
    assert audit.failure.startswith("The purpose leg did not run: the model is gone.")


def test_a_query_that_kills_its_worker_is_given_up(cases: CaseSet) -> None:
    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)
    Audit.objects.filter(pk=audit.pk).update(attempts=MAX_ATTEMPTS)

    audit = finish_audit(audit=audit)

    assert audit.status == "failed"
    assert "died 5 times at the same query" in audit.failure


def test_deaths_at_different_queries_do_not_add_up(
    cases: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "BATCH_SECONDS", 0.0)
    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)
    Audit.objects.filter(pk=audit.pk).update(attempts=MAX_ATTEMPTS - 1)

    advance_audit(audit_id=audit.pk)

    audit.refresh_from_db()
    assert audit.attempts == 0


def test_what_no_worker_is_at_is_queued_again(
    cases: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued: list[Sequence[int]] = []
    monkeypatch.setattr(
        "codesearch.tasks.advance_audit.apply_async",
        lambda args, retry: queued.append(args),
    )
    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)

    assert resume_audits() == 0
    assert resume_audits(everything=True) == 1
    with Lease(Audit(pk=audit.pk)):
        running.release_audits()
    assert resume_audits(everything=True) == 1
    finish_audit(audit=audit)

    assert resume_audits(everything=True) == 0
    assert queued == [(audit.pk,), (audit.pk,)]


def test_a_result_is_json(cases: CaseSet) -> None:
    row = ask(cases).rows.get(number=1)

    assert json.loads(json.dumps(row.result)) == row.result


def test_the_builds_of_an_audit_stay_until_it_has_ended(cases: CaseSet) -> None:
    build = Build.objects.get()
    audit = request_audit(viewer=COMMAND_LINE, user=None, case_set=cases, enqueue=False)
    Repository.objects.update(kept_builds=1)
    for _ in range(2):
        newer = indexing.request_build(index=build.index, enqueue=False)
        indexing.finish_build(build=newer)

    ended = finish_audit(audit=audit)
    while_held = build.layers.exists()
    removal.drop_old_builds(index=build.index)

    assert (ended.status, ended.failure) == ("done", "")
    assert while_held
    assert not build.layers.exists()
