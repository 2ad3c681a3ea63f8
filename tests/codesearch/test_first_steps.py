"""An empty installation says what is due: register, index, search, trace."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from codesearch.examples import find_example
from indexer import services
from indexer.access import ANYONE
from indexer.models import Build
from tests.codesearch.conftest import build_of
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

pytestmark = pytest.mark.django_db


def step(client: Client) -> str:
    """The step that is marked as due, "" where none is."""
    page = client.get("/").content.decode()
    _, mark, rest = page.partition('<li aria-current="step">')
    return " ".join(rest.partition("</li>")[0].split()) if mark else ""


def test_without_a_repository_one_is_registered(
    client: Client, admin_client: Client
) -> None:
    assert 'href="/repositories/add/"' in step(admin_client)
    assert "manage.py demo" in step(admin_client)
    assert "ask your administrator" in step(client)
    assert "/repositories/add/" not in step(client)


def test_one_that_is_registered_is_indexed_by_staff(client: Client) -> None:
    services.register(name="shop", source="https://example.org/shop.git")

    assert "Ask your administrator." in step(client)
    client.force_login(User.objects.create_user("keeper", is_staff=True))
    assert 'action="/repositories/shop/build/"' in step(client)


def test_what_can_be_searched_needs_no_steps(client: Client, shop: Build) -> None:
    assert step(client) == ""
    assert "Ask in words, or name a symbol" in client.get("/").content.decode()


def test_what_is_indexed_gives_the_example(client: Client, shop: Build) -> None:
    page = client.get("/").content.decode()
    _, _, told = page.partition('<p id="example">')
    asked, traced = re.findall(r'href="(/[^"]*)"', told)[0], trace_link(page)

    found = client.get(html.unescape(asked)).content.decode()

    assert "in <b>shop</b>" in told
    assert 'href="/trace/?q=' in found
    assert "Expected something else?" in found
    assert 'class="verdict' in client.get(traced).content.decode()


def trace_link(page: str) -> str:
    (link,) = re.findall(r'href="([^"]*)">the example traced', page)
    return html.unescape(link)


def test_an_example_is_a_sentence_of_the_documentation(shop: Build) -> None:
    found = find_example(ANYONE, (), None)

    assert found is not None
    assert found.repository == "shop"
    assert found == find_example(ANYONE, ("shop",), None)
    assert found.sentence == "Mail the report to its readers"
    assert found.name == "Report.send"
    assert found.target == "shop:billing/exports.py#Report.send@97"


def test_without_documentation_a_name_is_the_example(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> None:
    text = "def _hidden():\n    return 1\n\n\ndef shown():\n    return 2\n"
    build_of("bare", make_repository({"a.py": text}))

    found = find_example(ANYONE, (), None)

    assert found is not None
    assert (found.sentence, found.query) == ("", "shown")


def test_where_nothing_is_indexed_there_is_no_example(db: None) -> None:
    assert find_example(ANYONE, (), None) is None
    assert find_example(ANYONE, ("nowhere",), None) is None


def test_a_repository_that_is_ready_leads_on(client: Client, shop: Build) -> None:
    link = "/?repository=shop"

    for address in ("/repositories/", "/r/shop/", f"/jobs/{shop.pk}/"):
        assert client.get(address).content.decode().count(f'href="{link}"') == 1


def test_one_button_indexes_what_is_tracked(staff: Client, shop: Build) -> None:
    page = staff.get("/r/shop/").content.decode()

    assert page.count(">Index now</button>") == 1
    assert page.count(">Index it</button>") == 1
    assert re.search(r'<input[^>]*name="revision"[^>]* required', page)
