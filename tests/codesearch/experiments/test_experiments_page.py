"""The page shows each finding as a button and its result to who may read the code."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from codesearch.experiments import running
from codesearch.experiments.findings import FINDINGS
from codesearch.models import Experiment
from indexer.models import Build, Repository
from tests.codesearch.experiments.conftest import request, result_of, run

PAGE = "/experiments/"
WISH = {"kind": "drift", "repository": "mill"}


@pytest.fixture
def done(mill: Build) -> Experiment:
    return running.finish_experiment(experiment=request("drift"))


@pytest.fixture
def own(ada: User) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def read(client: Client, address: str, **more: Any) -> str:
    answer = client.get(address, more)
    assert answer.status_code == 200
    return answer.content.decode()


def address(experiment: Experiment) -> str:
    return f"{PAGE}{experiment.token}/"


def hide() -> None:
    Repository.objects.filter(name="mill").update(visibility="staff")


def test_all_findings_stand_there_with_their_claims(mill: Build, own: Client) -> None:
    page = read(own, PAGE)

    for finding in FINDINGS.values():
        assert finding.title in page
        assert f'name="kind" value="{finding.kind}"' in page or finding.needs
    assert "mill has no index by window. Make one" in page


def test_a_button_starts_an_experiment_once(
    mill: Build, own: Client, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_enqueue", lambda pk: None)

    first = own.post(f"{PAGE}start/", WISH)
    second = own.post(f"{PAGE}start/", WISH)

    (made,) = Experiment.objects.all()
    assert first.headers["Location"] == second.headers["Location"] == address(made)
    assert made.created_by == ada
    page = read(own, address(made))
    assert f'hx-get="{address(made)}" hx-trigger="every 2s"' in page
    assert "Waiting for a worker" in page


def test_who_is_not_signed_in_reads_and_does_not_start(
    done: Experiment, client: Client
) -> None:
    assert client.post(f"{PAGE}start/", WISH).status_code == 403
    assert 'name="kind"' not in read(client, PAGE)
    assert result_of(done)["sentence"] in read(client, PAGE)
    assert result_of(done)["sentence"] in read(client, address(done))


def test_who_may_not_read_the_repository_finds_nothing(
    done: Experiment, own: Client, admin_client: Client
) -> None:
    hide()

    assert own.get(address(done)).status_code == 404
    assert own.get(address(done), {"format": "json"}).status_code == 404
    assert own.post(f"{address(done)}cancel/").status_code == 404
    assert "mill" not in read(own, PAGE)
    assert own.post(f"{PAGE}start/", WISH).status_code == 400
    assert result_of(done)["sentence"] in read(admin_client, address(done))


def test_figures_stand_beside_those_of_the_report(
    done: Experiment, client: Client
) -> None:
    page = read(client, address(done))

    assert "12 of 41 in the file of 1,066 lines" in page
    assert "not expected to be equal" in page
    assert "hx-trigger" not in page.partition('id="experiment"')[2].partition(">")[0]
    for figure in result_of(done)["figures"]:
        assert figure["name"] in page


def test_a_row_opens_its_lines_and_its_trace(windows: Build, client: Client) -> None:
    row = run("windows")["rows"][0]
    page = read(client, address(Experiment.objects.get()))

    where = row["where"]
    lines = f"#L{where['start_line']}-L{where['end_line']}"
    assert f"/r/mill/blob/{where['revision']}/{where['path_url']}{lines}" in page
    assert f"/trace/?q={row['query']}&amp;repository=mill" in page


def test_htmx_gets_the_part_that_is_polled(done: Experiment, client: Client) -> None:
    answer = client.get(address(done), headers={"HX-Request": "true"})

    assert answer.content.lstrip().startswith(b'<div id="experiment">')


def test_a_failed_one_says_why_and_can_be_run_again(mill: Build, own: Client) -> None:
    made = request("whole-files", target="nowhere")
    running.finish_experiment(experiment=made)

    page = read(own, address(made))

    assert "No documented function of mill is called nowhere." in page
    assert 'name="target" value="nowhere"' in page
    assert "Run again" in page


def test_one_may_cancel_ones_own(
    mill: Build, own: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_enqueue", lambda pk: None)
    started = own.post(f"{PAGE}start/", WISH).headers["Location"]

    assert "Cancel" in read(own, started)
    own.post(f"{started}cancel/")

    assert "It was cancelled before it was done." in read(own, started)


def test_the_json_is_that_of_the_command(done: Experiment, client: Client) -> None:
    told = StringIO()
    call_command("experiment", "drift", "mill", "--json", stdout=told)

    payload = client.get(address(done), {"format": "json"}).json()

    assert json.loads(told.getvalue()) == payload
    assert payload["schema"] == 1
    assert payload["result"]["rows"] == result_of(done)["rows"]
    assert [one["profile"] for one in payload["builds"]] == ["symbol"]


def test_links_follow_a_repository_that_was_renamed(
    windows: Build, client: Client
) -> None:
    run("windows")
    Repository.objects.filter(name="mill").update(name="millstone")

    page = read(client, address(Experiment.objects.get()))

    assert "/r/millstone/blob/" in page
    assert "/r/mill/" not in page


def test_the_command_prints_the_outcome_or_what_is_missing(mill: Build) -> None:
    told = StringIO()
    call_command("experiment", "truncation", "mill", stdout=told)

    lines = told.getvalue().splitlines()
    assert lines[2].startswith("On this repository the split text comes before")
    assert any("reported: 53: from rank 3 to 56" in line for line in lines)
    with pytest.raises(CommandError, match="no index by window"):
        call_command("experiment", "windows", "mill")
    with pytest.raises(CommandError, match="There is no experiment"):
        call_command("experiment", "luck", "mill")


@pytest.mark.parametrize("name", ["../x", "nowhere", "a" * 300])
def test_an_unknown_repository_is_said_not_to_be_here(
    mill: Build, client: Client, name: str
) -> None:
    assert "There is no repository" in read(client, PAGE, repository=name)
