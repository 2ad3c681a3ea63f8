"""The phrasings of a trace: a section that comes later, and a page by itself."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from codesearch.pages.trace.phrasings import ADDRESS
from indexer.models import Build, Repository

PAGE = "/trace/phrasings/"
ASK = "/trace/phrasings/ask/"
WISH = {"q": "format money for a locale", "target": "format_money"}


@pytest.fixture(autouse=True)
def indexed(shop: Build) -> Build:
    return shop


def read(client: Client, address: str = PAGE, **more: Any) -> str:
    return client.get(address, WISH | more).content.decode()


def heat(page: str) -> list[str]:
    """Return the rows of the heat table as text, without tags."""
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = [re.sub(r"<[^>]+>", " ", row) for row in body.split("</tr>")[:-1]]
    return [unescape(" ".join(row.split())) for row in rows]


def test_the_trace_leads_to_its_phrasings_and_loads_them_when_seen(
    client: Client,
) -> None:
    page = read(client, "/trace/", depth="7")

    address = (
        "/trace/phrasings/?q=format+money+for+a+locale&amp;target=format_money"
        "&amp;depth=7"
    )
    found = re.search(r'hx-get="(/trace/phr[^"]*)" hx-trigger="revealed"', page)
    assert found
    assert re.sub("of=[0-9a-f]{16}&amp;", "", found[1]) == address
    assert f'<a href="{address}">Ask in other words</a>' in page
    assert client.get(unescape(address)).status_code == 200


def test_htmx_gets_the_section_and_others_the_page(client: Client) -> None:
    section = client.get(PAGE, WISH, headers={"HX-Request": "true"})

    assert section.content.lstrip().startswith(b'<section class="card section"')
    assert "<!doctype html>" in read(client)


def test_each_phrasing_has_its_ranks_its_end_and_a_trace(client: Client) -> None:
    page = read(client, phrasing=["add the lines up", "zebra"], variants="off")

    assert heat(page)[0] == (
        "format money for a locale as traced 1 1 1 – 1 1 page one uncalibrated"
    )
    assert 'class="cell cell--1">1</td>' in page
    assert 'href="/trace/?q=add+the+lines+up&amp;target=format_money"' in page


def test_every_number_of_the_page_is_in_the_json(client: Client) -> None:
    wish: dict[str, Any] = {"phrasing": ["add the lines up"], "depth": "3"}
    rows = heat(read(client, **wish))
    found = client.get(PAGE, WISH | wish | {"format": "json"}).json()

    assert len(rows) == len(found["phrasings"])
    for shown, row in zip(rows, found["phrasings"], strict=True):
        ranks = [leg["rank"] if leg else "–" for leg in row["legs"].values()]
        fused = row["fused"]["ordinal"] if row["fused"] else "–"
        told = " ".join(map(str, [*ranks, fused, row["rank"] or "–"]))
        assert f"{row['text']} {row['origin']} {told} " in shown


def test_settings_and_filters_hold_for_all_phrasings(client: Client) -> None:
    wish = {"q": "lang:py money", "phrasing": "price", "off": "body"}
    page = read(client, **wish)
    found = client.get(PAGE, WISH | wish | {"format": "json"}).json()

    assert found["settings"] == [["off", "body"]]
    assert {row["legs"]["body"] is None for row in found["phrasings"]} == {True}
    assert "/trace/?q=price+lang%3Apy&amp;target=format_money&amp;off=body" in page


def test_a_target_without_a_chunk_gets_a_sentence(client: Client) -> None:
    page = read(client, target="logo.png")

    assert "No phrasing can find it. logo.png was skipped: binary." in page
    assert "<table" not in page


def test_of_several_targets_one_is_swept_and_the_others_are_links(
    client: Client,
) -> None:
    page = read(client, target=["format_money", "Invoice"], phrasing="a bill")

    other = "q=format+money+for+a+locale&amp;target=Invoice&amp;target=format_money"
    assert f'href="/trace/phrasings/?{other}&amp;phrasing=a+bill"' in page


def test_a_name_of_several_symbols_offers_the_sweep_of_each(client: Client) -> None:
    page = read(client, target="send", phrasing="mail it")

    assert "“send” stands for 2 chunks. Which one?" in page
    assert "%23Invoice.send%40" in page
    assert page.count("&amp;phrasing=mail+it") == 2


@pytest.mark.parametrize(
    ("wish", "status"),
    [
        ({"q": ""}, 200),
        ({"q": "is:nothing money"}, 400),
        ({"pool": "0"}, 400),
        ({"repository": "attic"}, 400),
        ({"given": "x"}, 400),
    ],
)
def test_what_cannot_be_swept_is_said(
    client: Client, wish: dict[str, str], status: int
) -> None:
    assert client.get(PAGE, WISH | wish).status_code == status
    assert client.get(PAGE, WISH | wish | {"format": "json"}).status_code == 400


def test_what_a_viewer_may_not_read_is_not_swept(client: Client) -> None:
    Repository.objects.update(visibility="staff")

    assert client.get(PAGE, WISH | {"format": "json"}).status_code == 404


def test_hostile_phrasings_are_shown_as_text_and_refused_one_by_one(
    client: Client,
) -> None:
    lines = ["<b>bold</b> money", "a\x00b", "x" * 5000, "is:tests", "\u202eevil"]
    page = read(client, phrasing="\n\n".join(lines), variants="off")

    assert "<b>bold</b>" not in page
    assert "&lt;b&gt;bold&lt;/b&gt; money" in page
    assert "It holds a NUL." in page
    assert "The query has 5,000 characters; 2,000 are read." in page
    assert "“is:tests” at character 1: no mark is called tests" in page
    assert len(heat(page)) == 3


def test_typed_phrasings_become_an_address(client: Client) -> None:
    typed = "a price\r\n\r\n a bill \r\na price"
    sent = client.post(ASK, WISH | {"phrasing": typed, "variants": "off", "pool": "50"})

    assert sent.status_code == 302
    assert sent["Location"] == (
        "/trace/phrasings/?q=format+money+for+a+locale&target=format_money&pool=50"
        "&phrasing=a+price&phrasing=a+bill&variants=off"
    )


@pytest.mark.parametrize("line", ["price {}", "ü" * 300 + "{}"])
def test_more_than_an_address_holds_is_cut_and_said(client: Client, line: str) -> None:
    typed = "\n".join(line.format(n) for n in range(500))
    sent = client.post(ASK, WISH | {"phrasing": typed})

    page = client.get(sent["Location"]).content.decode()
    kept = sent["Location"].count("&phrasing=")
    assert 0 < kept < 30
    assert len(sent["Location"]) < ADDRESS + 40
    told = f"Of the 500 phrasings that were given the first {kept} fit into one sweep"
    assert told in page


def test_a_form_that_asks_for_what_is_not_there_goes_nowhere(client: Client) -> None:
    sent = client.post(ASK, WISH | {"phrasing": "a", "repository": "attic"})

    assert sent.status_code == 400
    assert "There is no repository “attic” here." in sent.content.decode()
