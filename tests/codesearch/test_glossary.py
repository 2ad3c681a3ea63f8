"""The glossary: each number of a trace says what it means, without a script."""

from __future__ import annotations

import re

import pytest
from django.template import Context, Template
from django.test import Client
from django.urls import reverse

from codesearch.pages.glossary import GLOSSARY, GROUPS
from indexer.models import Build

WISH = {"q": "format money for a locale", "target": "Invoice.send"}

pytestmark = pytest.mark.django_db


def trace_pages(client: Client) -> dict[str, str]:
    """A trace and the two of its parts that are pages without a script."""
    return {
        name: client.get(reverse(name), WISH).content.decode()
        for name in ("trace", "whatif", "phrasings")
    }


def test_each_button_of_a_page_has_its_text_there_once(
    client: Client, shop: Build
) -> None:
    for name, page in trace_pages(client).items():
        asked = set(re.findall(r'popovertarget="([^"]+)"', page))
        told = re.findall(r'id="([^"]+)" popover>', page)

        assert asked, name
        assert asked <= set(told), name
        assert len(told) == len(set(told)), name


def test_the_columns_of_the_leg_table_are_explained(
    client: Client, shop: Build
) -> None:
    page = client.get("/trace/", WISH).content.decode()
    heads = page.partition('aria-label="Leg table, scrollable"')[2]
    heads = heads.partition("</thead>")[0]

    assert re.findall(r'popovertarget="about-(\w+)"', heads) == [
        "leg",
        "rank",
        "raw",
        "floor",
        "margin",
        "percentile",
        "within",
        "ordinal",
        "contribution",
    ]


def test_a_margin_is_told_in_plain_words(client: Client, shop: Build) -> None:
    page = client.get("/trace/", WISH).content.decode()

    told = page.partition('<div class="about" id="about-margin" popover>')[2]

    assert told.startswith("<p><b>margin</b>: Raw score minus floor: by how much")
    assert '<a href="/help/#margin">All terms</a>' in told.partition("</div>")[0]


def test_a_term_that_nobody_wrote_down_is_an_error() -> None:
    page = Template('{% load codesearch %}{% term "mystery" "Mystery" %}')

    with pytest.raises(KeyError, match="mystery"):
        page.render(Context())


def test_the_help_page_has_every_term(client: Client) -> None:
    page = client.get("/help/").content.decode()

    assert len(GLOSSARY) == sum(len(entries) for _, entries in GROUPS)
    for key in GLOSSARY:
        assert f'<dt id="{key}">' in page
    assert page.count('href="/help/"') == 1
