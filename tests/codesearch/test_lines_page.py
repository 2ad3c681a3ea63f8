"""The lines page: code with what each line adds, as a section and as a page."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from codesearch.pages.scores import signed
from codesearch.pages.trace import lines as page_rows
from codesearch.plots.heat import draw_heat, make_scale
from indexer.models import Build
from tests.encoders import WordEncoder

WISH = {"q": "format money for a locale", "target": "format_money"}
HTMX = {"HX-Request": "true"}

pytestmark = pytest.mark.usefixtures("shop")


def read(client: Client, headers: dict[str, str] | None = None, **more: str) -> str:
    return client.get("/trace/lines/", WISH | more, headers=headers).content.decode()


def payload(client: Client, **more: str) -> dict[str, Any]:  # Any: JSON
    found: dict[str, Any] = client.get(
        "/trace/lines/", WISH | more | {"format": "json"}
    ).json()
    return found


def test_a_trace_loads_the_lines_when_they_come_into_view(client: Client) -> None:
    trace = client.get("/trace/", WISH).content.decode()

    (url,) = re.findall(r'hx-get="(/trace/lines/[^"]+)" hx-trigger="revealed"', trace)
    alone = re.sub("of=[0-9a-f]{16}&amp;", "", url)
    assert f'<a href="{alone}">What each line adds to its cosines</a>' in trace
    section = client.get(url.replace("&amp;", "&"), headers=HTMX).content.decode()
    assert section.lstrip().startswith('<section class="card"')
    assert "format_money" in section


def test_the_settings_of_a_trace_hold_for_its_lines(client: Client) -> None:
    trace = client.get("/trace/", WISH | {"off": "body"}).content.decode()

    assert re.search(r'hx-get="/trace/lines/[^"]+off=body"', trace)
    assert "The body leg did not run: off in this config." in read(client, off="body")


def test_without_a_script_it_is_a_page(client: Client) -> None:
    page = read(client)

    assert "<h1>Lines of <code>format_money</code></h1>" in page
    assert '<th scope="col" class="heat">purpose</th>' in page
    assert '<td class="code__no">6</td>' in page
    assert "<mark>format_money</mark>" in page


def test_every_contribution_on_the_page_is_in_the_payload(client: Client) -> None:
    page, found = read(client), payload(client)

    shown = re.findall(r'<td class="heat">([+−]?0\.\d+)', page)
    told = {
        signed(line["contribution"])
        for surface in found["surfaces"]
        for part in surface["parts"]
        for line in part["lines"]
        if line["contribution"] is not None
    }
    assert len(shown) >= 6
    assert set(shown) == told


def test_the_braces_say_which_lines_are_the_purpose(client: Client) -> None:
    rows = page_rows.lines_view(payload(client)).rows

    assert [(row.line.number, row.brace) for row in rows if row.line] == [
        (0, ""),
        (6, "purpose"),
        (7, "purpose"),
        (8, "body"),
    ]
    assert [row.css for row in rows[1:]] == [
        "brace brace--purpose brace--start",
        "brace brace--purpose brace--end",
        "brace brace--body brace--start brace--end",
    ]


def test_members_and_the_lines_between_are_named(client: Client) -> None:
    page = read(client, target="Invoice")

    assert '<span class="kind">member</span> def total(self)' in page
    assert '<span class="kind">context line</span>' in page


def test_a_split_says_where_and_why(client: Client, encoder: WordEncoder) -> None:
    encoder.max_tokens = 10

    page = read(client, target="billing/exports.py:1")

    assert "tokens, the model reads 10. Split here: part 1 has" in page
    assert page.count("gap--split") == 2
    assert "body, part 3" in page
    assert "The others have cosine" in page


def test_what_is_not_measured_is_said(client: Client) -> None:
    assert "It has no purpose: windows have none." in read(client, target="notes.txt")
    assert "so nothing of it was encoded" in read(client, target="logo.png")


def test_many_rows_are_folded(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_rows, "MOST_SHOWN", 2)

    page = read(client)

    assert "<summary>2 more rows</summary>" in page
    assert '<td class="code__no">8</td>' in page


@pytest.mark.parametrize(
    ("wish", "status", "sentence"),
    [
        ({"target": []}, 200, "Name a query and a target to see its lines."),
        ({"target": ["a", "b"]}, 400, "The lines of one target are shown; name one."),
        ({"target": ["send"]}, 200, "stands for 2 chunks. Which one?"),
        ({"q": "lang:python"}, 400, "say what to look for"),
        ({"pool": "x"}, 400, "pool: "),
    ],
)
def test_what_cannot_be_shown_is_a_sentence(
    client: Client, wish: dict[str, Any], status: int, sentence: str
) -> None:
    response = client.get("/trace/lines/", WISH | wish)

    assert response.status_code == status
    assert sentence in response.content.decode()


def test_a_repository_that_one_may_not_read_has_no_lines(
    client: Client, shop: Build
) -> None:
    repository = shop.index.repository
    repository.visibility = "private"
    repository.save()

    response = client.get("/trace/lines/", WISH | {"format": "json"})

    assert response.status_code == 404
    assert "format_money" not in response.content.decode()


def test_a_record_has_no_lines_and_says_so(client: Client) -> None:
    shared = client.post("/share/", WISH | {"kind": "trace"}, follow=True)

    page = shared.content.decode()
    assert "is measured when it is asked for, and is no part of a record" in page
    assert "/trace/lines/" not in page


def test_bars_share_a_scale_and_negative_ones_stand_left_of_the_axis() -> None:
    scale = make_scale([0.3, -0.1, 0.0])

    more, less = draw_heat(0.3, scale, "f-dense"), draw_heat(-0.1, scale, "f-dense")

    assert (more.axis, more.x, more.width) == (16.5, 16.5, 43.5)
    assert (less.x, less.width, less.css) == (2.0, 14.5, "f-bm25")
    assert (more.text, less.text) == ("+0.300", "−0.100")
    assert (signed(-0.0001), signed(0.0)) == ("0.000", "0.000")
