"""A search whose build is damaged, or gone, is answered from the next, and says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from django.test import Client

from codesearch import recovery, services
from codesearch.corpora import current_builds, open_corpus
from codesearch.errors import NothingIndexed
from codesearch.inquiry import inquire
from indexer import removal
from indexer import services as indexing
from indexer.access import ANYONE, COMMAND_LINE
from indexer.models import Build, Index, Repository
from indexer.places import folder_of


def build_again(build: Build) -> Build:
    return indexing.finish_build(
        build=indexing.request_build(index=build.index, enqueue=False)
    )


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def test_the_same_search_reads_the_build_before(shop: Build) -> None:
    second = build_again(shop)
    flip(folder_of(second) / "lexical-0" / "body.txt")

    found = services.search(viewer=ANYONE, query="format money")

    day = shop.finished_at
    assert day is not None
    assert [build["id"] for build in found["builds"]] == [shop.pk]
    assert found["hits"][0]["symbol"] == "format_money"
    assert found["left_out"] == [
        f"shop: build {second.pk} is damaged: lexical-0/body.txt is missing or "
        f"altered. Build {shop.pk} of {day:%-d %b %Y} is searched instead; a new one "
        "is being made."
    ]


def test_it_is_said_until_it_is_repaired(shop: Build) -> None:
    second = build_again(shop)
    flip(folder_of(second) / "body-0" / "vectors.faiss")
    services.search(viewer=ANYONE, query="money", repositories=["shop"])

    before = services.search(viewer=ANYONE, query="money", repositories=["shop"])
    indexing.finish_build(build=Build.objects.get(cause="damage"))
    after = services.search(viewer=ANYONE, query="money", repositories=["shop"])

    assert len(before["left_out"]) == 1
    assert after["left_out"] == []
    assert after["builds"][0]["id"] > second.pk


@pytest.mark.parametrize("repositories", [[], ["shop"]])
def test_without_another_build_it_is_said_why(
    shop: Build, repositories: list[str]
) -> None:
    shutil.rmtree(folder_of(shop) / "lexical-0")

    for _ in range(2):
        with pytest.raises(NothingIndexed) as refused:
            services.search(viewer=ANYONE, query="money", repositories=repositories)
        assert str(refused.value) == (
            f"shop: build {shop.pk} is damaged: lexical-0 is missing or altered. "
            "Nothing is searched of it; a new one is being made."
        )


def test_the_page_says_so(shop: Build, client: Client) -> None:
    second = build_again(shop)
    flip(folder_of(second) / "lexical-0" / "body.txt")

    page = client.get("/", {"q": "format money"}).content.decode()

    assert f"build {second.pk} is damaged: lexical-0/body.txt" in page
    assert "format_money" in page


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a minute without an error."""
    monkeypatch.setattr(recovery, "_due", 0.0)


@pytest.mark.usefixtures("unchecked")
def test_a_page_over_files_that_went_meanwhile_is_asked_for_again(
    shop: Build, client: Client
) -> None:
    second = build_again(shop)
    address = "/r/shop/coverage/"
    assert client.get("/", {"q": "format money"}).status_code == 200
    (folder_of(second) / "body-0" / "numbers.npy").write_bytes(b"short")
    assert client.get("/", {"q": "another"}).status_code == 200  # It is open already.

    page = client.get(address, follow=True)

    assert page.redirect_chain == [(address, 302)]
    assert page.status_code == 200
    assert Index.objects.get().current_build == shop


@pytest.mark.usefixtures("unchecked")
def test_a_page_that_reads_an_altered_length_is_asked_for_again(
    shop: Build, client: Client
) -> None:
    second = build_again(shop)
    address = f"/r/shop/inspect/{second.revision}/billing/money.py"
    assert client.get(address).status_code == 200
    offsets = folder_of(second) / "lexical-0" / "body_offsets.npy"
    altered = np.load(offsets)
    altered[1:] = 1 << 60
    np.save(offsets, altered)

    page = client.get(address, follow=True)

    assert page.redirect_chain == [(address, 302)]
    assert page.status_code == 200


@pytest.mark.usefixtures("unchecked")
def test_an_error_over_sound_files_stays_an_error(
    shop: Build, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(services, "search", fail)

    with pytest.raises(ValueError, match="a bug"):
        client.get("/", {"q": "money"})


def test_the_repositories_page_says_so(shop: Build, client: Client) -> None:
    second = build_again(shop)
    flip(folder_of(second) / "lexical-0" / "body.txt")
    services.search(viewer=ANYONE, query="money")

    page = client.get("/repositories/").content.decode()

    assert f"build {second.pk} is damaged" in page


def test_a_build_that_went_before_it_was_opened_is_replaced(shop: Build) -> None:
    Repository.objects.update(kept_builds=1)
    builds = current_builds(ANYONE, [], None)
    second = build_again(shop)

    searched = open_corpus(builds, viewer=ANYONE)

    assert builds == [shop]
    assert not folder_of(shop).exists()
    assert searched.builds == (second,)
    assert searched.left_out == ()


def test_a_pinned_build_is_not_replaced(shop: Build) -> None:
    pinned = current_builds(ANYONE, [], None)
    build_again(shop)
    shutil.rmtree(folder_of(shop))

    with pytest.raises(NothingIndexed) as refused:
        open_corpus(pinned, viewer=COMMAND_LINE, is_pinned=True)

    gone = f"the folder of build {shop.pk} is gone"
    assert str(refused.value) == (
        f"The index of shop cannot be read: {gone}: index it again."
    )


def test_a_build_stays_while_its_answer_is_made(shop: Build) -> None:
    Repository.objects.update(kept_builds=1)
    inquiry = inquire(ANYONE, "money")

    build_again(shop)
    while_open = folder_of(shop).exists()
    del inquiry
    removal.drop_old_builds(index=Index.objects.get())

    assert while_open
    assert not folder_of(shop).exists()  # What is kept for "what if" does not hold it.
