"""The coverage page lists the ledger; its addresses are complete without scripts."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from indexer import ledger, services
from indexer.models import Build, Repository
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

pytestmark = pytest.mark.django_db

FILES: dict[str, str | bytes] = {
    "app.py": "def pay():\n    return 1\n",
    "logo.js": f"var logo = '{'QUJD' * 600}';\nfunction draw() {{ return logo; }}\n",
    "tests/<b>&.py": "def test_pay():\n    assert 1\n",
    "logo.png": b"\x89PNG\x00",
    "empty.py": "",
}


@pytest.fixture
def shop(
    data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Build:
    index = services.register(name="shop", source=str(make_repository(FILES)))
    build = services.request_build(index=index, enqueue=False)
    return services.finish_build(build=build)


def page(client: Client, query: str = "", status: int = 200) -> str:
    response = client.get(f"/r/shop/coverage/{query}")
    assert response.status_code == status
    return response.content.decode()


def test_every_file_is_listed_with_what_became_of_it(
    client: Client, shop: Build
) -> None:
    text = page(client)

    assert "2 indexed" in text
    assert "1 partial" in text
    assert "2 skipped" in text
    assert "long line: line 1 left out" in text
    assert f'href="/r/shop/blob/{shop.revision}/tests/%3Cb%3E%26.py"' in text
    assert "tests/&lt;b&gt;&amp;.py" in text
    assert "<b>&" not in text
    assert "style=" not in text


def test_a_filter_lists_its_files_only(client: Client, shop: Build) -> None:
    text = page(client, "?outcome=skipped&reason=binary")

    assert "1 of 5" in text
    assert "logo.png" in text
    assert "empty.py" not in text


def test_a_filter_without_files_says_so(client: Client, shop: Build) -> None:
    assert "No file passes this filter." in page(client, "?path=nowhere")


def test_a_wrong_filter_is_said(client: Client, shop: Build) -> None:
    text = page(client, "?reason=because", status=400)
    data = client.get("/r/shop/coverage/?reason=because&format=json")

    assert "It was left out of the filter." in text
    assert data.status_code == 400
    assert list(data.json()["errors"]) == ["reason"]


def test_the_same_is_there_as_json(client: Client, shop: Build) -> None:
    data = client.get("/r/shop/coverage/?outcome=partial&format=json").json()

    assert data["counts"]["files"] == 5
    assert [file["path"] for file in data["files"]] == ["logo.js"]
    assert data["files"][0]["partial"] == [[1, 1]]


def test_a_long_list_has_pages(
    client: Client, shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "PAGE", 2)

    first, last = page(client), page(client, "?page=3")

    assert 'href="/r/shop/coverage/?page=2#files" rel="next"' in first
    assert 'rel="prev"' not in first
    assert 'href="/r/shop/coverage/?page=2#files" rel="prev"' in last
    assert 'rel="next"' not in last


def test_each_row_of_the_repository_page_leads_to_its_files(
    client: Client, shop: Build
) -> None:
    text = client.get("/r/shop/").content.decode()

    url = "/r/shop/coverage/?outcome=partial&amp;mode=symbol&amp;reason=long_line"
    assert f'href="{url}"' in text
    assert "1 of 5" in page(client, "?outcome=partial&mode=symbol&reason=long_line")


def test_an_empty_result_says_what_it_does_not_speak_for(
    client: Client, shop: Build, encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.encoders.encoder_of", lambda *build: (None, "none"))

    text = client.get("/?q=zebra").content.decode()

    assert (
        "2 files are not indexed and 1 is indexed in part, so this does not speak "
        "for them."
    ) in text
    assert 'href="/r/shop/coverage/"' in text


def test_what_may_not_be_read_is_not_found(client: Client, shop: Build) -> None:
    Repository.objects.update(visibility=Repository.Visibility.STAFF)

    page(client, status=404)


def test_a_page_beyond_the_last_is_the_last(client: Client, shop: Build) -> None:
    assert "app.py" in page(client, "?page=2")
    assert "app.py" in page(client, f"?page={10**20}")
