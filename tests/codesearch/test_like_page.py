"""More like this: a page of a chunk that can be linked, for who may read it."""

from __future__ import annotations

import pytest
from django.test import Client

from codesearch import alike
from indexer.models import Build, Index, Repository

TARGET = "shop:billing/money.py#Invoice.send"


def test_the_page_ranks_other_chunks_and_leaves_the_chunk_out(
    client: Client, shop: Build
) -> None:
    answer = client.get("/like/", {"target": TARGET, "format": "json"}).json()

    assert answer["chunk"]["symbol"] == "Invoice.send"
    symbols = [hit["symbol"] for hit in answer["hits"]]
    assert symbols
    assert "Invoice.send" not in symbols
    bodies = [hit["legs"]["body"] for hit in answer["hits"] if hit["legs"]["body"]]
    scores = [hit["fused"] for hit in answer["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert all(-1 <= one["raw"] <= 1.0001 for one in bodies)


def test_the_page_shows_scores_with_their_kind_and_leads_on(
    client: Client, shop: Build
) -> None:
    page = client.get("/like/", {"target": TARGET})

    body = page.content.decode()
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    assert "More like <code>Invoice.send</code>" in body
    assert "cosine 0." in body
    assert '<a class="button button--quiet" href="/like/?target=shop%3A' in body


def test_the_ranks_are_in_pages(
    client: Client, shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = client.get("/like/", {"target": TARGET, "format": "json"}).json()
    monkeypatch.setattr(alike, "SHOWN", 3)

    first, second, beyond = (
        client.get("/like/", {"target": TARGET, "page": n, "format": "json"}).json()
        for n in ("1", "2", "99")
    )
    page = client.get("/like/", {"target": TARGET, "page": "2"}).content.decode()

    assert whole["pages"] == 1
    assert first["hits"] + second["hits"] == whole["hits"][:6]
    assert beyond["page"] == beyond["pages"] == -(-whole["found"] // 3)
    assert f"Ranks 4 to 6 of {whole['found']}" in page
    assert 'aria-current="page">2</a>' in page
    assert '&amp;page=3" rel="next"' in page


def test_chunks_lead_to_it_from_the_file_the_index_and_the_list(
    client: Client, shop: Build
) -> None:
    path = f"{shop.revision}/billing/money.py"
    link = 'href="/like/?target=shop%3Abilling%2Fmoney.py%23Invoice.send%40'

    pages = [
        client.get(f"/r/shop/blob/{path}?chunks=1"),
        client.get(f"/r/shop/inspect/{path}"),
        client.get("/", {"q": "send", "view": "list"}),
    ]

    assert [link in page.content.decode() for page in pages] == [True] * 3
    Index.objects.update(current_build=None)
    assert link not in client.get(f"/r/shop/inspect/{path}").content.decode()
    assert link not in client.get(f"/r/shop/blob/{path}?chunks=1").content.decode()


def test_a_hit_of_a_search_leads_to_it(client: Client, shop: Build) -> None:
    page = client.get("/", {"q": "format money", "repository": "shop"})

    assert b'href="/like/?repository=shop&amp;target=shop%3A' in page.content


@pytest.mark.parametrize("target", ["shop:nowhere.py#x", "billing/money.py"])
def test_what_is_not_one_chunk_is_not_found(
    client: Client, shop: Build, target: str
) -> None:
    page = client.get("/like/", {"target": target})

    assert page.status_code == 404
    assert b"is no chunk of what is searched" in page.content


def test_a_private_repository_is_not_compared_with(client: Client, shop: Build) -> None:
    Repository.objects.update(visibility=Repository.Visibility.STAFF)

    page = client.get("/like/", {"target": TARGET})

    assert page.status_code == 404
    assert b"post(self)" not in page.content


def test_a_page_without_a_target_says_what_is_missing(
    client: Client, shop: Build
) -> None:
    assert client.get("/like/").status_code == 400
