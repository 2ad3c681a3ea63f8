"""`repo:` and `rev:` choose the builds of a query, within what its viewer may read."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from codesearch import services
from codesearch.choosing import choose_builds
from codesearch.errors import NothingIndexed, UnknownRepository, UnreadableQuery
from codesearch.funnel.query import read_query
from codesearch.inquiry import inquire
from codesearch.knobs import AS_SHIPPED
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build, FormerName, Index, Repository
from indexer.places import folder_of
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder


@pytest.fixture
def shops(shop: Build, encoder: WordEncoder, make_repository: MakeRepository) -> Build:
    """Three repositories: shop, shop-web and blog, which is for staff only."""
    for name in ("shop-web", "blog"):
        source = make_repository({f"{name}/main.ts": "export function pay() {}\n"})
        index = indexing.register(name=name, source=str(source))
        build = indexing.request_build(index=index, enqueue=False)
        indexing.finish_build(build=build)
    Repository.objects.filter(name="blog").update(
        visibility=Repository.Visibility.STAFF
    )
    return shop


def names(typed: str, repositories: tuple[str, ...] = ()) -> list[str]:
    chosen = choose_builds(ANYONE, read_query(typed), repositories, None)
    return [build.index.repository.name for build in chosen.builds]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("pay", ["shop", "shop-web"]),
        ("pay repo:shop", ["shop"]),
        ("pay repo:SHOP", ["shop", "shop-web"]),
        ("pay r:web$", ["shop-web"]),
        ("pay r:^shop -r:web", ["shop"]),
        ("pay -repo:shop", ["shop-web"]),
        ("pay repo:shop repo:web", ["shop", "shop-web"]),
        ("pay repo:shop-web@HEAD", ["shop-web"]),
    ],
)
def test_a_name_or_an_expression_chooses_repositories(
    shops: Build, typed: str, found: list[str]
) -> None:
    assert names(typed) == found


def test_those_of_the_page_are_searched_as_well(shops: Build) -> None:
    assert names("pay repo:web", ("shop",)) == ["shop", "shop-web"]


@pytest.mark.parametrize("typed", ["pay repo:blog", "pay -repo:blog", "pay r:bl.g"])
def test_what_a_viewer_may_not_read_is_not_there(shops: Build, typed: str) -> None:
    with pytest.raises(UnknownRepository, match="There is no repository called bl.g"):
        names(typed)


def test_a_name_that_is_nearly_right_is_offered(shops: Build) -> None:
    with pytest.raises(UnknownRepository, match="shopp. Is shop or shop-web meant?"):
        names("pay repo:shopp")


@pytest.mark.parametrize("typed", ["pay rev:HEAD", "pay repo:sh.p"])
def test_one_that_cannot_be_read_is_named_and_the_others_are_searched(
    shops: Build, typed: str
) -> None:
    make_old("shop-web")

    searched = inquire(ANYONE, typed).searched

    assert [build.index.repository.name for build in searched.builds] == ["shop"]
    assert searched.left_out == (
        "The index of shop-web cannot be read: lexical-0 is of an earlier version; "
        "index the repository again.",
    )


@pytest.mark.parametrize(
    "typed", ["pay repo:shop-web repo:shop", "pay repo:web rev:HEAD"]
)
def test_one_that_was_asked_for_has_to_be_read(shops: Build, typed: str) -> None:
    make_old("shop-web")

    with pytest.raises(NothingIndexed, match="The index of shop-web cannot be read"):
        inquire(ANYONE, typed)


def make_old(name: str) -> None:
    """Leave of an index what an earlier version wrote."""
    build = Build.objects.get(index__repository__name=name)
    lexical = build.layers.get(kind="lexical")
    shutil.rmtree(folder_of(build) / "lexical-0" / "catalogue")
    lexical.files = {n: s for n, s in lexical.files.items() if "catalogue" not in n}
    lexical.save()


@pytest.fixture
def renamed(shops: Build) -> None:
    """The repository shop is called market now; shop-web is still there."""
    Repository.objects.filter(name="shop").update(name="market")
    repository = Repository.objects.get(name="market")
    FormerName.objects.create(name="shop", repository=repository)


@pytest.mark.usefixtures("renamed")
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("pay repo:shop", ["market"]),
        ("pay repo:shop@HEAD", ["market"]),
        ("pay repo:shop -repo:market repo:web", ["shop-web"]),
        ("pay -repo:shop", ["shop-web"]),
        ("pay repo:SHOP", ["shop-web"]),
    ],
)
def test_a_former_name_leads_to_the_repository(typed: str, found: list[str]) -> None:
    assert names(typed) == found


@pytest.mark.usefixtures("renamed")
def test_a_name_that_is_not_that_of_now_is_told() -> None:
    inquiry = inquire(ANYONE, "pay (repo:shop OR path:nowhere)", again=True)

    outcome = inquiry.answer(AS_SHIPPED)

    corpus = inquiry.searched.corpus
    inside = np.flatnonzero(outcome.scope.chunks).tolist()
    builds = inquiry.searched.builds
    found = {builds[corpus.locate(one)[0]].index.repository.name for one in inside}
    assert found == {"market"}
    assert inquiry.searched.left_out == ("shop is called market now.",)
    assert inquiry.query.typed == "pay (repo:shop OR path:nowhere)"


def test_a_query_that_leaves_no_repository_is_refused(shops: Build) -> None:
    with pytest.raises(UnreadableQuery, match="no repository is left to search") as no:
        names("pay repo:web -repo:shop-web")

    assert no.value.span == (14, 27)


def test_repositories_in_an_or_are_a_condition_on_chunks(shops: Build) -> None:
    inquiry = inquire(ANYONE, "pay (repo:web OR path:exports.py)")

    scope = inquiry.answer(AS_SHIPPED).scope

    repositories = [build.index.repository.name for build in inquiry.searched.builds]
    corpus = inquiry.searched.corpus
    inside = [
        corpus.locate(chunk)[0] for chunk in np.flatnonzero(scope.chunks).tolist()
    ]
    assert repositories == ["shop", "shop-web"]
    assert 1 in inside
    assert 0 < inside.count(0) < corpus.builds[0].chunk_count
    assert inside.count(1) == corpus.builds[1].chunk_count


def test_a_revision_chooses_a_build_that_is_kept(shop: Build) -> None:
    newer = build_again(shop)

    def revision(typed: str) -> list[str]:
        chosen = choose_builds(ANYONE, read_query(typed), (), None)
        return [build.revision for build in chosen.builds]

    assert revision("total") == [newer.revision]
    assert revision(f"total rev:{shop.revision[:8]}") == [shop.revision]
    assert revision(f"total repo:sh.p@{shop.revision}") == [shop.revision]
    assert revision("total branch:HEAD") == [newer.revision]
    assert revision("total rev:stable") == [newer.revision]


def test_a_revision_that_is_not_indexed_is_refused_with_those_that_are(
    shop: Build,
) -> None:
    with pytest.raises(UnreadableQuery) as refused:
        names("total rev:v9")

    assert str(refused.value) == (
        f"No indexed revision is called v9; there are shop {shop.revision[:10]}."
    )
    with pytest.raises(UnreadableQuery, match="only one revision can be asked for"):
        names("total rev:a rev:b")


def test_a_revision_that_was_indexed_again_is_told_once(shop: Build) -> None:
    newer = build_again(shop)
    Build.objects.filter(pk=newer.pk).update(revision=shop.revision, wanted="")

    with pytest.raises(UnreadableQuery) as refused:
        names("total rev:v9")

    assert str(refused.value).count(shop.revision[:10]) == 1


def test_a_search_of_an_older_revision_reads_that_one(shop: Build) -> None:
    build_again(shop)

    inquiry = inquire(ANYONE, f"night rev:{shop.revision[:10]}")

    (build,) = inquiry.searched.builds
    assert build.pk == shop.pk


def build_again(shop: Build) -> Build:
    """Build a second commit, on a branch called stable, and keep the first."""
    Repository.objects.update(kept_builds=3)
    source = Path(shop.index.repository.source)
    (source / "more.py").write_text("def more(): pass\n")
    run_git(source, "checkout", "--quiet", "-b", "stable")
    run_git(source, "add", "--all")
    run_git(source, "commit", "--quiet", "--message=Two")
    index = Index.objects.get(pk=shop.index_id)
    build = indexing.request_build(index=index, revision="stable", enqueue=False)
    return indexing.finish_build(build=build)


def test_only_places_or_only_chunks_can_be_asked_for(shop: Build) -> None:
    places = services.search(viewer=ANYONE, query="money type:place")
    code = services.search(viewer=ANYONE, query="money type:code")
    docs = services.search(viewer=ANYONE, query="money type:doc")

    assert places["places"]
    assert (places["hits"], places["without"]) == ([], [])
    assert code["hits"]
    assert code["places"] == docs["places"] == docs["hits"] == []
