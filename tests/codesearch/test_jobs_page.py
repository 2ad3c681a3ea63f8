"""Jobs: builds at work, waiting and ended, for whom they are in reach of.

A page polls itself while anything is active and ends without a trigger. What changes
something is for staff, by POST, with a token. What is out of reach does not exist.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from codesearch.models import Audit, Experiment
from indexer import services
from indexer.access import ANYONE
from indexer.events import record_event
from indexer.jobs import builds_in_reach
from indexer.leases import LEASE
from indexer.models import Build, File, Repository
from indexer.workers import Worker, last_worker, note_worker
from tests.codesearch.audits.sets import make_set

HTMX = {"HX-Request": "true"}


@pytest.fixture
def member(db: None) -> Client:
    """Return a client that is signed in, and no staff."""
    client = Client()
    client.force_login(User.objects.create_user("reader"))
    return client


def look(client: Client, url: str = "/jobs/", *, status: int = 200, **more: Any) -> str:
    response = client.get(url, **more)
    assert response.status_code == status
    return str(response.content.decode())


def put(build: Build, **fields: Any) -> None:
    """Give a row other fields; at work or waiting, it has not ended."""
    if fields.get("status") in Build.ACTIVE:
        fields = {"finished_at": None, **fields}
    Build.objects.filter(pk=build.pk).update(**fields)


def put_to_work(build: Build, *, heard: float = 0.0, **fields: Any) -> None:
    """Make it one that a worker is at, which was heard `heard` seconds ago."""
    until = timezone.now() - timedelta(seconds=heard) + LEASE
    put(build, status="running", lease_owner="worker", lease_until=until, **fields)


# What is listed


def test_an_ended_build_tells_what_it_cost(client: Client, shop: Build) -> None:
    put(shop, seconds={"reading": 61.5, "lexical": 3.5})

    page = look(client)

    assert f'<a href="/jobs/{shop.pk}/">shop</a>' in page
    assert "1 min 5 s" in page
    assert '<span class="kind">searched</span>' in page
    assert "hx-trigger" not in page


def test_a_build_at_work_shows_bars_rate_and_when_its_worker_was_heard(
    client: Client, shop: Build
) -> None:
    put_to_work(
        shop,
        stage="bodies",
        vectors_done=50,
        vector_count=250,
        attempts=2,
        pace=[[0.0, 0], [10.0, 50]],
    )

    page = look(client)

    assert "50 of 250, 20%, 5.0 texts a second, about 40 s left for bodies" in page
    assert re.search(r"Worker last heard \d+ s ago\.", page)
    assert "Its worker died 2 times at this step; at 5 it is given up." in page
    assert 'hx-get="/jobs/" hx-trigger="every 2s"' in page


def test_a_waiting_build_says_that_no_worker_is_there(
    client: Client, shop: Build, data_dir: Path
) -> None:
    put(shop, status="queued")

    page = look(client)

    assert "No worker is there to take it." in page
    assert "No worker was heard yet: it is not running, or the broker" in page


def test_a_waiting_build_says_that_the_broker_did_not_answer(
    client: Client, shop: Build
) -> None:
    put(shop, status="queued")
    record_event(shop, "The broker does not answer.", level="warning")

    assert '<td class="wrap">The broker does not answer.</td>' in look(client)


def test_a_waiting_build_says_that_the_worker_is_busy(
    client: Client, shop: Build
) -> None:
    put_to_work(shop)
    index = services.register(name="mill", source="https://example.org/mill.git")
    services.request_build(index=index, enqueue=False)

    page = look(client)

    assert "The worker is busy with another job." in page
    assert re.search(r"A worker is at work, last heard \d+ s ago\.", page)


def test_a_build_whose_worker_died_says_that_another_takes_over(
    client: Client, shop: Build
) -> None:
    put_to_work(shop, heard=30)

    page = look(client, f"/jobs/{shop.pk}/")

    assert "Its worker does not answer; after a minute another may take it" in page
    assert re.search(r"It was last heard \d+ s ago\.", page)


def test_a_build_between_two_steps_waits_for_a_busy_worker(
    client: Client, shop: Build
) -> None:
    put_to_work(shop, heard=30)
    put(shop, lease_owner="")
    index = services.register(name="mill", source="https://example.org/mill.git")
    other = services.request_build(index=index, enqueue=False)
    put_to_work(other)

    assert "The worker is busy with another job." in look(client, f"/jobs/{shop.pk}/")


def test_a_worker_that_fell_silent_is_told(client: Client, shop: Build) -> None:
    put_to_work(shop, heard=300, pace=[[0.0, 0], [10.0, 50]], stage="bodies")

    page = look(client)

    assert "No worker was heard for 5 min" in page
    assert "a second" not in page


def test_a_failed_and_a_damaged_build_say_why(client: Client, shop: Build) -> None:
    put(shop, damage="body-0 is damaged")
    failed = Build.objects.create(
        index=shop.index, status="failed", failure="No such branch."
    )

    page = look(client)
    damaged = look(client, "/jobs/?state=damaged")

    assert "No such branch." in page
    assert "body-0 is damaged" in page
    assert f'href="/jobs/{failed.pk}/"' not in damaged
    assert f'href="/jobs/{shop.pk}/"' in damaged


def test_the_list_is_filtered_and_paged(client: Client, shop: Build) -> None:
    for number in range(25):
        Build.objects.create(index=shop.index, status="failed", failure=f"No {number}.")

    second = look(client, "/jobs/?repository=shop&state=failed&page=2")

    assert "No 4." in second
    assert "No 5." not in second
    assert 'href="/jobs/?repository=shop&amp;state=failed&amp;page=1#ended"' in second
    assert "page 2 of 2" in second


def test_audits_and_experiments_at_work_are_listed_with_their_links(
    client: Client, shop: Build
) -> None:
    cases = make_set(shop, [("format money", ["format_money"])])
    audit = Audit.objects.create(case_set=cases, row_count=4, repository_count=1)
    audit.repositories.set([shop.index.repository])
    experiment = Experiment.objects.create(
        kind="windows",
        repository=shop.index.repository,
        profile="symbol",
        header={"builds": []},
        digest="d",
        status="running",
        cases=[1, 2, 3],
        rows=[1],
    )

    page = look(client)

    assert f'href="/audits/{audit.pk}/"' in page
    assert "0 of 4" in page
    assert f'href="/experiments/{experiment.token}/"' in page
    assert "1 of 3" in page
    assert 'hx-trigger="every 2s"' in page


def test_the_list_takes_as_many_queries_for_many_builds_as_for_one(
    staff: Client, shop: Build, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(15):
        Build.objects.create(index=shop.index, status="failed", failure=f"No {number}.")
        index = services.register(name=f"mill-{number}", source="https://e.org/m.git")
        services.request_build(index=index, enqueue=False)

    with django_assert_max_num_queries(20):
        look(staff)


# One build


def test_a_build_tells_its_stages_counts_layers_and_log(
    client: Client, shop: Build
) -> None:
    put(shop, seconds={"reading": 14.0, "lexical": 7.0}, chunk_count=7)
    record_event(
        shop, "is not parsed: it hung", level="warning", path="billing/money.py"
    )

    page = look(client, f"/jobs/{shop.pk}/")

    assert f"<h1>Build {shop.pk} of <a" in page
    assert '<th scope="row">reading</th><td class="num mono">14.0</td>' in page
    assert '<td class="num mono">2,000.00</td>' in page
    assert "<dt>not indexed</dt><dd>1</dd>" in page
    assert '<th scope="row">purpose</th><td class="num">1</td>' in page
    url = f"/r/shop/blob/{shop.revision}/billing/money.py"
    line = 'is not parsed: it hung<span class="fine mono">'
    assert f'{line}<a href="{url}">billing/money.py</a></span>' in page
    assert "hx-trigger" not in page


def test_files_with_errors_are_listed_apart(client: Client, shop: Build) -> None:
    assert 'id="errors"' not in look(client, f"/jobs/{shop.pk}/")
    File.objects.filter(path="billing/money.py").update(reason="parse_crash")
    File.objects.filter(path="logo.png").update(reason="undecodable")

    page = look(client, f"/jobs/{shop.pk}/")

    ledger = "/r/shop/coverage/?reason=parse_crash#files"
    assert f'<a href="{ledger}">1 parse crash</a>' in page
    assert f'href="/r/shop/blob/{shop.revision}/billing/money.py"' in page
    assert f'href="/r/shop/blob/{shop.revision}/logo.png"' not in page


def test_errors_of_a_build_that_is_not_searched_have_no_ledger_to_lead_to(
    client: Client, shop: Build
) -> None:
    File.objects.filter(path="billing/money.py").update(reason="parse_crash")
    newer = services.request_build(index=shop.index, enqueue=False)
    services.finish_build(build=newer)

    page = look(client, f"/jobs/{shop.pk}/")

    assert "1 parse crash" in page
    assert "/coverage/" not in page


def test_a_build_whose_files_were_removed_keeps_its_log_and_its_numbers(
    client: Client, shop: Build
) -> None:
    Repository.objects.update(kept_builds=1)
    newer = services.request_build(index=shop.index, enqueue=False)
    services.finish_build(build=newer)

    page = look(client, f"/jobs/{shop.pk}/")

    assert "were removed for newer builds; its log stays." in page
    assert "<dt>files</dt><dd>5</dd>" in page
    assert "<dt>not indexed</dt>" not in page
    assert "can be searched by words and symbols." in page


def test_the_page_of_a_build_polls_itself_until_it_has_ended(
    client: Client, shop: Build
) -> None:
    url = f"/jobs/{shop.pk}/"
    put_to_work(shop)
    running = look(client, url, headers=HTMX)
    put(shop, status="ready", lease_owner="")
    ended = look(client, url, headers=HTMX)

    assert "<html" not in running
    assert f'<div id="job" hx-get="{url}" hx-trigger="every 2s"' in running
    assert '<div id="job">' in ended
    restored = {**HTMX, "HX-History-Restore-Request": "true"}
    assert "<html" in look(client, url, headers=restored)


def test_the_log_names_no_one(staff: Client, shop: Build) -> None:
    staff.post(f"/jobs/{shop.pk}/again/")

    newest = Build.objects.latest("pk")
    assert list(newest.events.values_list("text", flat=True)) == ["Asked for."]


def test_a_long_log_shows_its_newest_lines(client: Client, shop: Build) -> None:
    for number in range(120):
        record_event(shop, f"line {number:03}")

    page = look(client, f"/jobs/{shop.pk}/")

    assert "line 119" in page
    assert "line 019" not in page
    assert "earlier ones are left out" in page


def test_both_pages_are_given_as_json(client: Client, shop: Build) -> None:
    listed = client.get("/jobs/?format=json").json()
    one = client.get(f"/jobs/{shop.pk}/?format=json").json()

    assert (listed["schema"], listed["active"], listed["others"]) == (1, [], [])
    assert [job["build"] for job in listed["ended"]] == [shop.pk]
    assert one["job"] == listed["ended"][0]
    assert one["counts"]["files"] == 5
    assert [surface["kind"] for surface in one["surfaces"]] == [
        "lexical",
        "summary",
        "purpose",
        "body",
    ]


def test_a_build_is_told_in_few_queries(
    staff: Client, shop: Build, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(18):
        look(staff, f"/jobs/{shop.pk}/")


# Who may see it


def test_what_is_out_of_reach_does_not_exist(
    client: Client, member: Client, shop: Build
) -> None:
    Repository.objects.update(visibility="staff")

    for reader in (client, member):
        assert "shop" not in look(reader)
        look(reader, f"/jobs/{shop.pk}/", status=404)
        look(reader, f"/jobs/{shop.pk}/?format=json", status=404)
        look(reader, "/jobs/?repository=shop", status=404)


def test_staff_see_all(staff: Client, shop: Build) -> None:
    Repository.objects.update(visibility="staff")

    assert "shop" in look(staff)
    assert "Index the newest" in look(staff, f"/jobs/{shop.pk}/")


def test_a_reader_sees_no_button(client: Client, member: Client, shop: Build) -> None:
    put_to_work(shop)
    for reader in (client, member):
        assert "<form action" not in look(reader, f"/jobs/{shop.pk}/").split("<main")[1]
        assert "/cancel/" not in look(reader)


@pytest.mark.parametrize("action", ["cancel", "retry", "again"])
def test_only_staff_may_change_builds_and_only_by_post(
    client: Client, member: Client, shop: Build, action: str
) -> None:
    put(shop, status="cancelled")
    url = f"/jobs/{shop.pk}/{action}/"
    keeper = User.objects.create_user("keeper", is_staff=True)

    assert client.post(url).status_code == 403
    assert member.post(url).status_code == 403
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(keeper)
    assert strict.post(url).status_code == 403
    client.force_login(keeper)
    assert client.get(url).status_code == 405
    assert client.post(f"/jobs/99999/{action}/").status_code == 404
    assert Build.objects.count() == 1


# What it does


def test_a_build_is_cancelled(staff: Client, shop: Build) -> None:
    put_to_work(shop)

    response = staff.post(f"/jobs/{shop.pk}/cancel/")

    assert response["Location"] == f"/jobs/{shop.pk}/"
    assert Build.objects.get().status == "cancelled"


def test_a_retry_is_of_what_was_wanted(staff: Client, shop: Build) -> None:
    put(shop, status="failed", failure="No network.", wanted="stable")

    response = staff.post(f"/jobs/{shop.pk}/retry/")

    made = Build.objects.latest("pk")
    assert response["Location"] == f"/jobs/{made.pk}/"
    assert (made.index, made.wanted, made.status) == (shop.index, "stable", "queued")
    assert list(made.events.values_list("text", flat=True)) == [
        "Asked for: stable.",
        f"A retry of build {shop.pk}.",
    ]


def test_a_retry_beside_an_active_build_is_refused(staff: Client, shop: Build) -> None:
    put(shop, status="cancelled")
    active = services.request_build(index=shop.index, enqueue=False)

    page = staff.post(f"/jobs/{shop.pk}/retry/", follow=True).content.decode()

    assert f"Build {active.pk} of this index is at work already." in page
    assert f'href="/jobs/{active.pk}/">Build {active.pk} is at work' in page
    assert Build.objects.count() == 2


def test_a_build_that_did_not_fail_is_not_retried(staff: Client, shop: Build) -> None:
    page = staff.post(f"/jobs/{shop.pk}/retry/", follow=True).content.decode()

    assert "has not failed; index again instead." in page
    assert Build.objects.count() == 1


# Ways that lead here


def test_pages_lead_to_jobs(client: Client, shop: Build) -> None:
    assert 'href="/jobs/">Jobs</a>' in look(client, "/repositories/")
    repository = look(client, "/r/shop/")
    assert 'href="/jobs/?repository=shop"' in repository
    assert f'href="/jobs/{shop.pk}/"' in repository


def test_an_audit_that_has_to_wait_leads_to_what_it_waits_for(
    staff: Client, shop: Build
) -> None:
    cases = make_set(shop, [("format money", ["format_money"])])
    put_to_work(shop)

    page = staff.post("/audits/request/", {"set": cases.pk}).content.decode()

    assert f'<a href="/jobs/{shop.pk}/">How far they are</a>' in page


def test_the_admin_leads_to_the_log(client: Client, shop: Build) -> None:
    client.force_login(User.objects.create_superuser("root"))

    assert f'href="/jobs/{shop.pk}/"' in look(client, "/admin/indexer/build/")


# Workers


def test_a_worker_that_left_a_trace_is_alive_and_idle(db: None, data_dir: Path) -> None:
    assert last_worker([Build]) == Worker(None, is_alive=False, is_busy=False)
    note_worker()

    found = last_worker([Build])

    assert (found.is_alive, found.is_busy) == (True, False)


def test_an_old_trace_is_no_worker(db: None, data_dir: Path) -> None:
    note_worker()
    os.utime(data_dir / "run" / "worker-heard", (0, 0))

    found = last_worker([Build])

    assert found.heard_at == datetime(1970, 1, 1, tzinfo=UTC)
    assert not found.is_alive


def test_a_lease_that_is_renewed_is_a_worker(shop: Build) -> None:
    put_to_work(shop, heard=2.0)

    found = last_worker([Build, Audit])

    assert (found.is_alive, found.is_busy) == (True, True)


def test_builds_in_reach_are_the_newest_first(shop: Build) -> None:
    newer = services.request_build(index=shop.index, enqueue=False)

    assert list(builds_in_reach(ANYONE)) == [newer, shop]
