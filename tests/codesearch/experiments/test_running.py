"""An experiment is a job: known ones are given back, none asks a case twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from codesearch import tasks
from codesearch.errors import SearchError
from codesearch.experiments import running
from codesearch.experiments.findings import FINDINGS
from codesearch.models import Experiment
from codesearch.reach import experiments_in_reach
from indexer import removal
from indexer import services as indexing
from indexer.access import ANYONE, COMMAND_LINE, Viewer, viewer_of
from indexer.models import Build, Repository
from indexer.pipeline.loading import ModelError
from tests.codesearch.experiments.conftest import request

Json = dict[str, Any]
STAFF = Viewer(user_id=None, sees_all=True)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Json]:
    """Takes down each case that the phrasings are asked; every case is a step."""
    found: list[Json] = []
    finding = FINDINGS["phrasings"]

    def ask(bench: Any, case: Json) -> Json:
        found.append(case)
        return finding.ask(bench, case)

    monkeypatch.setitem(FINDINGS, "phrasings", replace(finding, ask=ask))
    monkeypatch.setattr(running, "STEP_SECONDS", 0.0)
    return found


def advance(experiment: Experiment) -> bool:
    return running.advance_experiment(experiment_id=experiment.pk)


def refusal(kind: str = "guarantees", repository: str = "mill", **more: Any) -> str:
    with pytest.raises(SearchError) as caught:
        running.request_experiment(
            **{"viewer": COMMAND_LINE, "user": None, "enqueue": False} | more,
            kind=kind,
            repository=repository,
        )
    return str(caught.value)


def test_the_same_wish_is_the_same_experiment_until_the_builds_change(
    mill: Build,
) -> None:
    first = running.finish_experiment(experiment=request("drift"))

    assert request("drift") == first
    assert request("drift", profile="symbol") == first
    assert request("dilution") != first
    indexing.finish_build(build=indexing.request_build(index=mill.index, enqueue=False))
    assert request("drift") != first


def test_a_target_is_part_of_the_wish_where_one_is_taken(mill: Build) -> None:
    assert request("drift", target="grind_teff") == request("drift")
    assert request("whole-files", target="grind_teff") != request("whole-files")


def test_a_failed_and_a_cancelled_one_are_made_anew(mill: Build) -> None:
    failed = request("whole-files", target="nowhere")
    assert not advance(failed)
    failed.refresh_from_db()
    assert failed.failure == "No documented function of mill is called nowhere."

    cancelled = request("drift")
    assert running.cancel_experiment(viewer=STAFF, token=cancelled.token)

    assert request("whole-files", target="nowhere") != failed
    assert request("drift") != cancelled


def test_two_of_the_same_cannot_be_active_or_done(mill: Build) -> None:
    known = request("drift")

    with pytest.raises(IntegrityError), transaction.atomic():
        Experiment.objects.create(
            kind="drift",
            repository=known.repository,
            header=known.header,
            digest=known.digest,
        )


def test_each_step_keeps_its_rows_and_none_is_asked_twice(
    mill: Build, asked: list[Json]
) -> None:
    experiment = request("phrasings")
    for _ in range(3):
        assert advance(experiment)

    experiment.refresh_from_db()
    assert len(experiment.rows) == len(asked) == 3
    cases = experiment.cases
    running.finish_experiment(experiment=experiment)
    assert asked == cases
    done = Experiment.objects.get(pk=experiment.pk)
    assert (done.status, done.rows, done.cases) == ("done", [], None)


def test_a_dead_worker_is_followed_by_another_after_its_lease(
    mill: Build, asked: list[Json], monkeypatch: pytest.MonkeyPatch
) -> None:
    queued: list[int] = []
    monkeypatch.setattr(running, "_enqueue", queued.append)
    experiment = request("phrasings")
    advance(experiment)
    rows = Experiment.objects.filter(pk=experiment.pk)
    late = timezone.now() - timedelta(seconds=1)
    rows.update(lease_owner="dead:1", lease_until=late, status="running")

    assert running.resume_experiments() == 1
    assert queued == [experiment.pk]
    ended = running.finish_experiment(experiment=experiment)

    assert ended.status == "done"
    assert len(asked) == 60
    assert not advance(experiment)


def test_one_that_someone_else_is_at_is_left_alone(
    mill: Build, asked: list[Json]
) -> None:
    experiment = request("phrasings")
    soon = timezone.now() + timedelta(seconds=60)
    Experiment.objects.filter(pk=experiment.pk).update(
        lease_owner="other:1", lease_until=soon
    )

    assert not advance(experiment)
    assert running.resume_experiments() == 0
    assert asked == []


def test_a_cancelled_one_stays_so_though_a_worker_is_at_it(
    mill: Build, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = FINDINGS["drift"]
    experiment = request("drift")

    def cancel_then_ask(bench: Any, case: Json) -> Json:
        assert running.cancel_experiment(viewer=STAFF, token=experiment.token)
        return finding.ask(bench, case)

    monkeypatch.setitem(FINDINGS, "drift", replace(finding, ask=cancel_then_ask))

    assert not advance(experiment)
    experiment.refresh_from_db()
    assert (experiment.status, experiment.result) == ("cancelled", None)


def test_only_who_asked_and_staff_may_cancel(mill: Build, ada: User) -> None:
    own = running.request_experiment(
        viewer=viewer_of(ada), user=ada, kind="drift", repository="mill", enqueue=False
    )
    bob = User.objects.create_user("bob")

    assert not running.cancel_experiment(viewer=ANYONE, token=own.token)
    assert not running.cancel_experiment(viewer=viewer_of(bob), token=own.token)
    assert running.cancel_experiment(viewer=viewer_of(ada), token=own.token)


def test_a_task_advances_until_there_is_no_more(
    mill: Build, asked: list[Json], monkeypatch: pytest.MonkeyPatch
) -> None:
    queued: list[int] = []
    monkeypatch.setattr(tasks.advance_experiment, "delay", queued.append)
    experiment = request("phrasings")

    tasks.advance_experiment(experiment.pk)

    assert queued == [experiment.pk]


def test_what_is_missing_is_said_in_a_sentence(mill: Build) -> None:
    assert refusal("luck") == (
        "There is no experiment “luck”; there are windows, whole-files, dilution, "
        "truncation, guarantees, absence, phrasings, drift."
    )
    assert refusal(repository="nowhere") == "There is no repository called nowhere."
    assert refusal("windows").startswith("mill has no index by window. Make one: ")
    assert refusal(profile="other") == "mill has no other index yet."


def test_windows_of_another_revision_are_not_compared(windows: Build) -> None:
    Build.objects.filter(pk=windows.pk).update(revision="0" * 40)

    assert "is indexed by window at 000000000000" in refusal("windows")
    assert "choose one" in refusal("drift", profile="window")


def test_a_build_that_is_being_made_is_waited_for(mill: Build) -> None:
    Build.objects.filter(pk=mill.pk).update(status="running")

    assert refusal() == (
        "The index of mill is still being made; try again when it is complete."
    )


def test_vectors_are_needed_only_where_they_are_compared(mill: Build) -> None:
    Build.objects.filter(pk=mill.pk).update(fingerprint="")

    assert refusal("dilution") == "mill has no vectors, which this compares."
    assert running.finish_experiment(experiment=request("guarantees")).status == "done"


def test_a_model_that_cannot_run_ends_it_with_its_sentence(
    mill: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = request("dilution")

    def fail(bench: Any, case: Json) -> Json:
        raise ModelError("the model is gone")

    finding = replace(FINDINGS["dilution"], ask=fail)
    monkeypatch.setitem(FINDINGS, "dilution", finding)

    ended = running.finish_experiment(experiment=experiment)
    assert (ended.status, ended.failure) == ("failed", "the model is gone")


def test_a_build_that_was_removed_meanwhile_is_named(mill: Build) -> None:
    experiment = request("guarantees")
    removal.remove_build(build=mill)

    ended = running.finish_experiment(experiment=experiment)

    assert ended.failure == (
        "A build that was asked has been replaced meanwhile; start it again."
    )


def test_texts_that_are_hidden_are_neither_asked_nor_shown(
    mill: Build,
) -> None:
    repository = mill.index.repository
    Repository.objects.filter(pk=repository.pk).update(index_secrets=True)
    mill.index.refresh_from_db()
    indexing.finish_build(build=indexing.request_build(index=mill.index, enqueue=False))
    made = running.finish_experiment(experiment=request("drift"))
    assert made.holds_secrets
    assert made in experiments_in_reach(ANYONE)

    Repository.objects.filter(pk=repository.pk).update(index_secrets=False)

    assert made not in experiments_in_reach(COMMAND_LINE)
    assert refusal("drift").startswith("The texts of mill are hidden")
