"""An address shows the lines that were linked, or leads to them, or says why not."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from indexer import services
from indexer.models import Build, RemovedRepository, Repository
from indexer.pipeline.git_command import run_git
from indexer.places import mirror_of
from indexer.removal import remove_repository
from tests.conftest import MakeRepository
from tests.conftest import run_git as git_in

PATH = "billing/money.py"


@pytest.mark.parametrize("name", ["main", "shop/next"])
@pytest.mark.parametrize("page", ["blob", "raw", "inspect", "map"])
def test_the_name_of_what_is_indexed_leads_to_its_commit(
    client: Client, shop: Build, name: str, page: str
) -> None:
    Repository.objects.update(branch=name)

    response = client.get(f"/r/shop/{page}/{name}/{PATH}?chunks=1")

    assert response.status_code == 302
    assert response["Location"] == f"/r/shop/{page}/{shop.revision}/{PATH}?chunks=1"


@pytest.mark.parametrize("branch", ["main", ""])
def test_head_is_what_the_repository_tracks(
    client: Client, shop: Build, branch: str
) -> None:
    Repository.objects.update(branch=branch)

    file = client.get(f"/r/shop/blob/HEAD/{PATH}")
    folder = client.get("/r/shop/tree/HEAD/")

    assert file["Location"] == f"/r/shop/blob/{shop.revision}/{PATH}"
    assert folder["Location"] == f"/r/shop/tree/{shop.revision}/"


def test_a_tag_that_was_indexed_leads_to_its_commit(
    client: Client, shop: Build
) -> None:
    Build.objects.update(wanted="v1.0")

    response = client.get(f"/r/shop/blob/v1.0/{PATH}")

    assert response["Location"] == f"/r/shop/blob/{shop.revision}/{PATH}"


def test_a_branch_that_is_not_indexed_leads_nowhere(
    client: Client, shop: Build
) -> None:
    mirror = mirror_of(shop.index.repository)
    run_git(["update-ref", "refs/heads/other", shop.revision], mirror)

    response = client.get(f"/r/shop/blob/other/{PATH}")

    assert response.status_code == 404
    assert b"No such revision" in response.content


@pytest.mark.parametrize("digits", [7, 12])
def test_the_beginning_of_a_hash_leads_to_the_whole(
    client: Client, shop: Build, digits: int
) -> None:
    response = client.get(f"/r/shop/blob/{shop.revision[:digits]}/{PATH}")

    assert response["Location"] == f"/r/shop/blob/{shop.revision}/{PATH}"


def test_a_folder_leads_to_its_page(client: Client, shop: Build) -> None:
    response = client.get(f"/r/shop/blob/{shop.revision}/billing")

    assert response["Location"] == f"/r/shop/tree/{shop.revision}/billing"


def test_a_file_that_a_commit_lacks_is_said_and_what_searches_read_is_offered(
    client: Client, shop: Build, make_repository: MakeRepository
) -> None:
    source = Path(shop.index.repository.source)
    git_in(source, "rm", "--quiet", PATH)
    git_in(source, "commit", "--quiet", "--message=Two")
    newer = services.finish_build(
        build=services.request_build(index=shop.index, enqueue=False)
    )

    gone = client.get(f"/r/shop/blob/{newer.revision}/{PATH}")
    kept = client.get(f"/r/shop/blob/{shop.revision}/{PATH}")

    assert gone.status_code == 404
    assert f'<a href="/r/shop/blob/{shop.revision}/{PATH}">' in gone.content.decode()
    assert kept.status_code == 200
    assert "Not the revision that is searched." in kept.content.decode()
    assert "not in it" in kept.content.decode()


def test_a_commit_that_was_indexed_and_is_gone_is_410(
    client: Client, shop: Build
) -> None:
    lost = "f" * 40
    Build.objects.update(revision=lost)

    response = client.get(f"/r/shop/blob/{lost}/{PATH}")

    assert response.status_code == 410
    assert b"This commit is gone" in response.content
    assert b"its history was rewritten" in response.content


def test_an_unknown_commit_is_404_and_names_the_searched_one(
    client: Client, shop: Build
) -> None:
    response = client.get(f"/r/shop/blob/{'e' * 40}/{PATH}")

    assert response.status_code == 404
    link = f'<a href="/r/shop/blob/{shop.revision}/{PATH}">a file at this path</a>'
    assert link in response.content.decode()


@pytest.mark.parametrize("visibility", ["staff", "public"])
def test_a_repository_out_of_reach_is_as_one_that_was_renamed(
    client: Client, shop: Build, visibility: str
) -> None:
    Repository.objects.update(visibility=visibility)
    name = "shop" if visibility == "staff" else "shop-of-before"

    response = client.get(f"/r/{name}/blob/{shop.revision}/{PATH}")

    assert response.status_code == 404
    assert b"It may have been renamed or removed" in response.content
    assert b"Searches read" not in response.content


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "%2e%2e/etc/passwd",
        "..%2f..%2fetc/passwd",
        "/etc/passwd",
        "C:%5Cx",
        ".git/config",
        ":(top)billing/money.py",
        "billing/*.py",
    ],
)
@pytest.mark.parametrize("page", ["blob", "raw", "tree", "inspect", "map"])
def test_a_path_is_never_more_than_a_name_in_the_tree(
    client: Client, shop: Build, page: str, path: str
) -> None:
    response = client.get(f"/r/shop/{page}/{shop.revision}/{path}")

    assert response.status_code == 404


def test_a_removed_repository_is_410_to_those_who_could_read_it(
    client: Client, shop: Build
) -> None:
    remove_repository(repository=shop.index.repository)

    told = client.get(f"/r/shop/blob/{shop.revision}/{PATH}")
    RemovedRepository.objects.update(visibility="staff")
    untold = client.get(f"/r/shop/blob/{shop.revision}/{PATH}")

    assert told.status_code == 410
    assert b"This repository was removed" in told.content
    assert untold.status_code == 404
    assert b"was removed on" not in untold.content
