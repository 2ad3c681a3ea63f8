"""An empty installation says what is due: register, index, search."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from indexer import services
from indexer.models import Build

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
