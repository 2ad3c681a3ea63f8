"""Links to a host and into an editor go to whom they may, and where they are set."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from indexer.access import ANYONE, COMMAND_LINE
from indexer.forms import RepositoryForm
from indexer.models import Repository
from indexer.outside import Outside, outside_of

EDITOR = "vscode://file/{path}:{line}"


@pytest.fixture(autouse=True)
def editor(settings: Settings) -> None:
    """An editor is set."""
    settings.EDITOR_URL = EDITOR


def test_the_host_is_known_by_the_source_unless_it_is_set_or_switched_off() -> None:
    known = Repository(name="shop", source="git@github.com:team/shop.git")
    own = Repository(
        name="shop", source="/srv/shop", host_url="https://x.example/{path}?{revision}"
    )
    off = Repository(name="shop", source=known.source, host_url="none")

    urls = [
        outside_of(ANYONE, one, "abc", "a.py").host_url for one in (known, own, off)
    ]

    assert urls == [
        "https://github.com/team/shop/blob/abc/a.py#L{line}",
        "https://x.example/a.py?abc",
        "",
    ]


def test_a_folder_on_desks_is_for_everyone_and_one_of_this_machine_for_staff() -> None:
    desks = Repository(name="shop", source="/srv/shop", local_root="/home/me/shop")
    here = Repository(name="shop", source="/srv/shop")

    assert outside_of(ANYONE, desks, "abc", "a.py").editor_url == (
        "vscode://file//home/me/shop/a.py:{line}"
    )
    assert outside_of(ANYONE, here, "abc", "a.py") == Outside()
    assert outside_of(COMMAND_LINE, here, "abc", "a.py").editor_url == (
        "vscode://file//srv/shop/a.py:{line}"
    )


def test_without_a_setting_there_is_no_link(settings: Settings) -> None:
    settings.EDITOR_URL = ""
    desks = Repository(name="shop", source="/srv/shop", local_root="/home/me/shop")

    assert outside_of(ANYONE, desks, "abc", "a.py") == Outside()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("host_url", "javascript:alert({path})", "begins with https://"),
        ("local_root", "src", "Write an absolute folder"),
    ],
)
def test_the_form_refuses_what_is_no_such_address(
    field: str, value: str, sentence: str
) -> None:
    repository = Repository.objects.create(name="shop", source="/srv/shop")

    form = RepositoryForm({field: value}, instance=repository)

    assert sentence in str(form.errors[field])


@pytest.mark.django_db
def test_the_admin_offers_both_fields(admin_client: Client) -> None:
    repository = Repository.objects.create(name="shop", source="/srv/shop")

    page = admin_client.get(f"/admin/indexer/repository/{repository.pk}/change/")

    assert 'name="host_url"' in page.content.decode()
    assert 'name="local_root"' in page.content.decode()
