"""A folder lists what lies in it, with what of it is not indexed and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from indexer import services
from indexer.models import Build
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

HOSTILE: dict[str, str | bytes] = {
    "<img src=x onerror=alert(1)>.py": "a = 1\n",
    "quote\"'<b>&.py": "b = 1\n",
    "turn\u202eyp.py": "c = 1\n",
    ":(top)x.py": "d = 1\n",
    "a#b?c%20.py": "e = 1\n",
    "javascript:alert(1)/x.py": "f = 1\n",
}


def test_the_root_lists_folders_first_with_the_files_below(
    client: Client, shop: Build
) -> None:
    page = client.get(f"/r/shop/tree/{shop.revision}/").content.decode()

    names = ("billing", "locale", "logo.png", "notes.txt")
    places = [page.index(f">{name}") for name in names]
    assert places == sorted(places)
    assert f'href="/r/shop/tree/{shop.revision}/billing">billing/</a>' in page
    assert "2 files" in page
    assert "skipped: binary" in page


def test_a_folder_costs_no_query_for_each_file(
    client: Client,
    shop: Build,
    django_assert_max_num_queries: Any,  # No type of its own.
) -> None:
    with django_assert_max_num_queries(6):
        client.get(f"/r/shop/tree/{shop.revision}/")


def test_a_folder_leads_up_and_to_its_files(client: Client, shop: Build) -> None:
    page = client.get(f"/r/shop/tree/{shop.revision}/billing/").content.decode()

    assert f'<a href="/r/shop/tree/{shop.revision}/">..' in page
    assert f'href="/r/shop/blob/{shop.revision}/billing/money.py">money.py</a>' in page
    assert "python" in page


def test_what_is_no_folder_is_not_shown_as_one(client: Client, shop: Build) -> None:
    file = client.get(f"/r/shop/tree/{shop.revision}/notes.txt")
    nothing = client.get(f"/r/shop/tree/{shop.revision}/nope")

    assert file.status_code == 302
    assert file["Location"] == f"/r/shop/blob/{shop.revision}/notes.txt"
    assert nothing.status_code == 404


def test_a_commit_without_a_build_says_that_it_is_not_indexed(
    client: Client, shop: Build
) -> None:
    Build.objects.update(revision="f" * 40)

    page = client.get(f"/r/shop/tree/{shop.revision}/").content.decode()

    assert ", not indexed" in page
    assert "Not the revision that is searched." in page


@pytest.fixture
def hostile(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Build:
    """The finished build of a repository with names that mean something elsewhere."""
    index = services.register(name="odd", source=str(make_repository(HOSTILE)))
    return services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )


def test_hostile_names_are_text(client: Client, hostile: Build) -> None:
    page = client.get(f"/r/odd/tree/{hostile.revision}/").content.decode()

    assert "<img" not in page
    assert "<b>" not in page
    assert 'href="javascript' not in page
    assert 'data-code="U+202E"' in page


@pytest.mark.parametrize("path", HOSTILE)
def test_a_hostile_name_has_a_page_and_a_raw_text(
    client: Client, hostile: Build, path: str
) -> None:
    page = client.get(f"/r/odd/blob/{hostile.revision}/{quote(path)}")
    raw = client.get(f"/r/odd/raw/{hostile.revision}/{quote(path)}")

    assert page.status_code == 200
    assert b"<img" not in page.content
    assert raw.content.decode() == HOSTILE[path]
    assert raw["Content-Disposition"].startswith("attachment")
