"""What if, as pages and as JSON: the same numbers as a trace with these settings."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from codesearch import cases, exploring, services
from codesearch.config_forms import read_settings
from codesearch.exploring import JUDGED
from indexer import services as indexing
from indexer.access import COMMAND_LINE
from indexer.models import Build

WISH = {"q": "format an amount of money", "target": "Invoice.total"}
ASKED: dict[str, Any] = {
    "viewer": COMMAND_LINE,
    "query": WISH["q"],
    "targets": [WISH["target"]],
}
SETTINGS = [
    [],
    ["pool=20", "guarantee=0", "weight.bm25=2.5"],
    ["depth=2"],
    ["off=bm25", "k=0"],
    ["points.coverage=-3", "points.file-bm25=9.25"],
    ["reranker=identity", "cards=1", "chunks=1"],
]


@pytest.mark.parametrize("knobs", SETTINGS)
def test_what_if_says_where_a_trace_with_the_settings_ends(
    shop: Build, knobs: list[str]
) -> None:
    config = read_settings(knobs)

    found = exploring.what_if(**ASKED, config=config)

    traced = services.trace(**ASKED, config=config)
    assert found["targets"][0]["now"] == end(traced)
    assert found["settings"] == traced["settings"]
    assert (found["now"]["union"], found["now"]["pool"]) == (
        traced["union"],
        traced["pool"]["filled"],
    )
    assert found["targets"][0]["shipped"] == end(services.trace(**ASKED))


def end(traced: dict[str, Any]) -> dict[str, Any]:
    """The end of the first target of a trace, as what-if says it."""
    target = traced["targets"][0]
    return {
        "stage": target["death"] and target["death"]["stage"],
        "fused": target["fused"] and target["fused"]["ordinal"],
        "via": target["pool"]["via"],
        "rank": target["rank"],
        "card": target["card"],
    }


@pytest.mark.parametrize("section", ["whatif", "changes", "phrasings", "lines"])
def test_a_section_says_that_the_index_changed_since_its_page(
    shop: Build, client: Client, section: str
) -> None:
    page = client.get("/trace/", WISH).content.decode()
    address = re.search(rf'hx-get="(/trace/{section}/\?[^"]*of=[^"]*)"', page)
    assert address
    before = client.get(html.unescape(address[1])).content.decode()

    build = indexing.request_build(index=shop.index, enqueue=False)
    indexing.finish_build(build=build)

    after = client.get(html.unescape(address[1])).content.decode()
    alone = client.get(f"/trace/{section}/", WISH).content.decode()
    assert "The index has changed" in after
    assert "The index has changed" not in before + alone


def test_the_panel_that_is_turned_remembers_of_what_its_page_was_made(
    shop: Build, client: Client
) -> None:
    other = client.get("/trace/whatif/", WISH | {"of": "0" * 16}).content.decode()
    wrong = client.get("/trace/whatif/", WISH | {"of": "'x"})

    assert f'"of": "{"0" * 16}"' in other
    assert wrong.status_code == 400


def test_what_if_and_changes_name_the_builds_they_asked(shop: Build) -> None:
    builds = services.trace(**ASKED)["builds"]

    assert exploring.what_if(**ASKED)["builds"] == builds
    assert exploring.changes(**ASKED)["builds"] == builds


def test_the_panel_has_an_input_for_each_setting_and_says_what_it_can_do(
    shop: Build, admin_client: Client
) -> None:
    html = admin_client.get("/trace/whatif/", WISH).content.decode()

    for name in ("pool", "depth", "k", "guarantee", "weight.bm25", "points.coverage"):
        assert f'name="{name}"' in html
    assert 'action="/trace/"' in html
    assert "It is in the pool with every value." in html
    assert "every setting as shipped" in html
    assert "style=" not in html


def test_every_number_of_the_table_is_in_the_json(
    shop: Build, admin_client: Client
) -> None:
    html = admin_client.get("/trace/whatif/", WISH).content.decode()
    found = admin_client.get("/trace/whatif/", {**WISH, "format": "json"}).json()

    table = html[html.index('id="whatif-table"') :]
    seats = {
        int(n) for n in re.findall(r'<td class="num">(\d+)</td><td>(?:in|out)', table)
    }
    steps = [step for knob in found["knobs"] for step in knob["steps"]]
    assert seats == {step["seat"] for step in steps if step["seat"] is not None}
    assert seats


def test_htmx_gets_the_panel_alone_and_the_address_of_the_trace(
    shop: Build, admin_client: Client
) -> None:
    asked = {**WISH, "pool": "230", "k": "60", "turned": "1"}

    answer = admin_client.get("/trace/whatif/", asked, headers={"HX-Request": "true"})

    html = answer.content.decode()
    assert html.lstrip().startswith('<section class="card" id="whatif"')
    assert answer["HX-Push-Url"].startswith("/trace/?q=format")
    assert answer["HX-Push-Url"].endswith("target=Invoice.total&pool=230")
    first = admin_client.get("/trace/whatif/", WISH, headers={"HX-Request": "true"})
    assert "HX-Push-Url" not in first


def test_the_trace_says_which_settings_are_not_as_shipped(
    shop: Build, admin_client: Client
) -> None:
    plain = admin_client.get("/trace/", WISH).content.decode()
    turned = admin_client.get("/trace/", {**WISH, "pool": "214"}).content.decode()

    assert "instead of the shipped settings" not in plain
    assert "<code>pool 214</code> instead of the shipped settings" in turned
    assert "/trace/whatif/?q=format+an+amount+of+money" in plain
    assert "target=Invoice.total&amp;pool=214" in turned


def test_changes_are_links_to_traces_that_admit_the_target(
    shop: Build, admin_client: Client
) -> None:
    asked = {**WISH, "target": "Report.send", "cards": "1"}

    html = admin_client.get("/trace/changes/", asked).content.decode()
    found = admin_client.get("/trace/changes/", {**asked, "format": "json"}).json()

    row = found["targets"][0]
    configs = [one for one in row["changes"] if one["kind"] == "config"]
    links = re.findall(r'<li>.*?<a href="([^"]+)"><b>', html)
    assert (row["goal"], len(links)) == ("page", len(configs))
    assert configs
    for link in links:
        url = link.replace("&amp;", "&") + "&format=json"
        assert admin_client.get(url).json()["targets"][0]["death"] is None
    assert "what a change breaks is not known" in html


def test_changes_say_what_they_break_and_mend_among_judged_cases(
    shop: Build, admin_client: Client, admin_user: User
) -> None:
    wish = {**WISH, "target": "Report.send", "cards": "1"}
    first, other = "Invoice.total", "Report.send"
    for query, target in ((WISH["q"], first), (WISH["q"], other), ("gone", "nothing")):
        cases.save_case(
            viewer=COMMAND_LINE, user=admin_user, query=query, targets=[target]
        )

    lazy = admin_client.get("/trace/changes/", wish).content.decode()
    html = admin_client.get("/trace/changes/", {**wish, "judge": "1"}).content.decode()
    found = admin_client.get(
        "/trace/changes/", {**wish, "judge": "1", "format": "json"}
    ).json()

    [row] = found["targets"]
    configs = [one for one in row["changes"] if one["kind"] == "config"]
    for one in configs[:JUDGED]:
        config = read_settings([f"{name}={value}" for name, value in one["settings"]])
        lost = end(services.trace(**{**ASKED, "targets": [first]}, config=config))
        expected = {"run": 3, "broken": int(lost["stage"] is not None), "mended": 1}
        assert one["cases"] == expected
    assert configs
    assert "Try them on the judged cases" in lazy
    assert "Of 3 judged cases it breaks " in html
    assert "judge=1" not in html


def test_a_filter_that_leaves_the_target_out_can_go(
    shop: Build, admin_client: Client
) -> None:
    asked = {**WISH, "q": "format an amount of money kind:class"}

    html = admin_client.get("/trace/changes/", asked).content.decode()
    panel = admin_client.get("/trace/whatif/", asked).content.decode()

    assert "Search without “kind:class”" in html
    assert "Cannot help: it acts at the pool, after the scope where this died." in panel
    assert "Without “kind:class” it is in the pool." in panel


@pytest.mark.parametrize("page", ["whatif", "changes"])
def test_a_wish_that_cannot_be_met_is_answered_in_words(
    shop: Build, admin_client: Client, page: str
) -> None:
    lost = admin_client.get(f"/trace/{page}/", {**WISH, "target": "logo.png"})
    none = admin_client.get(f"/trace/{page}/")
    wrong = admin_client.get(f"/trace/{page}/", {**WISH, "pool": "3"})
    hidden = admin_client.get(f"/trace/{page}/", {**WISH, "repository": "secret"})

    assert (lost.status_code, none.status_code) == (200, 200)
    assert (wrong.status_code, hidden.status_code) == (400, 400)
    assert "lost at the corpus" in lost.content.decode()
    assert "Name a query and a target" in none.content.decode()


def test_what_if_of_a_repository_that_may_not_be_read_says_nothing(
    shop: Build, client: Client
) -> None:
    repository = shop.index.repository
    repository.visibility = repository.Visibility.STAFF
    repository.save()

    answer = client.get("/trace/whatif/", {**WISH, "format": "json"})

    assert answer.status_code == 404
