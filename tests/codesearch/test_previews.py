"""A first build is searched while it is read, and says so. Its end breaks nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import call_command
from django.test import Client

from codesearch import selectors, services
from codesearch.corpora import current_builds, open_corpus
from codesearch.errors import IndexMoved
from codesearch.models import ShareLink
from codesearch.payloads import Payload
from codesearch.payloads.builds import stamp_of
from codesearch.targets import chunk_numbers, resolve_target
from indexer import lexical, previews
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.errors import LeaseLost
from indexer.models import Build, Index, Layer
from indexer.pipeline.packing import PlacedFile
from indexer.progress import cancel_build
from tests.conftest import MakeRepository, build_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir", "encoder")]

FILES: dict[str, str | bytes] = {
    "app/a.py": 'def pay(x):\n    """Pay the bill."""\n    return x\n',
    "docs/guide.md": "# Guide\n\nHow to refund the bill.\n",
    "tests/test_a.py": "def test_pay():\n    assert pay(1)\n",
    "tests/test_z.py": "def test_refund():\n    assert refund(1)\n",
    "empty.py": "",
}
SO_FAR = "2 of 5 files are read so far; the others cannot be searched yet."

AtPreview = Callable[[Callable[[], None]], None]


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository(FILES)


@pytest.fixture
def index(source: Path) -> Index:
    return indexing.register(name="shop", source=str(source))


@pytest.fixture
def at_preview(monkeypatch: pytest.MonkeyPatch) -> AtPreview:
    """Makes a preview after the first file, and calls something when all are read."""
    monkeypatch.setattr(previews, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(previews, "TIMES", 1e9)
    refuse = lexical.refuse_nothing

    def arrange(look: Callable[[], None]) -> None:
        def look_first(files: Sequence[PlacedFile]) -> None:
            look()
            refuse(files)

        monkeypatch.setattr(lexical, "refuse_nothing", look_first)

    return arrange


def search(query: str) -> Payload:
    return services.search(viewer=ANYONE, query=query)


def paths(payload: Payload) -> list[str]:
    return [hit["path"] for hit in payload["hits"]]


def layers(build: Build) -> dict[int, dict[str, str]]:
    """Return the hashes of the lexical layers by number, without their manifests."""
    rows = build.layers.filter(kind=Layer.Kind.LEXICAL)
    return {
        row.number: {k: v for k, v in row.files.items() if k != "manifest.json"}
        for row in rows
    }


def test_product_code_is_searched_while_the_rest_is_read(
    index: Index, at_preview: AtPreview
) -> None:
    seen: list[Payload] = []
    at_preview(lambda: seen.append(search("pay the bill")))

    build = build_all(index)

    (found,) = seen
    assert paths(found) == ["app/a.py"]
    assert found["builds"][0]["preview"] == SO_FAR
    assert found["builds"][0]["counts"]["files"] == 5
    assert found["builds"][0]["counts"]["read"] == 2
    assert found["builds"][0]["coverage"]["files"] == 0.2
    now = search("pay the bill")
    assert sorted(paths(now)) == sorted(FILES.keys() - {"empty.py"})
    assert now["builds"][0]["preview"] == ""
    assert now["builds"][0]["counts"]["read"] == 5
    assert build.events.filter(text="2 of 5 files are read and searched.").exists()
    assert build.events.filter(
        text="4 chunks of 5 files can be searched by words and symbols."
    ).exists()


def test_the_complete_layer_is_that_of_a_build_without_a_preview(
    index: Index, at_preview: AtPreview, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, ...]] = []

    def look() -> None:
        build = Build.objects.latest("pk")
        numbers = build.previewed, build.files.count(), build.chunks.count()
        seen.append((*numbers, *layers(build)))

    at_preview(look)
    first = build_all(index)
    monkeypatch.setattr(previews, "FIRST_SECONDS", 60.0)
    second = build_all(index)

    assert seen[0] == (2, 2, 1, 0)
    assert first.previewed == 0
    assert list(layers(first)) == [1]
    assert layers(second) == {0: layers(first)[1]}
    call_command("verify")


def test_a_build_behind_another_has_no_preview(
    index: Index, at_preview: AtPreview
) -> None:
    at_preview(lambda: None)
    first = build_all(index)

    second = build_all(index)

    assert list(layers(first)) == [1]
    assert list(layers(second)) == [0]


def test_a_small_repository_has_no_preview(index: Index) -> None:
    assert list(layers(build_all(index))) == [0]


def test_a_worker_that_dies_after_a_preview_is_followed_by_another(
    index: Index, at_preview: AtPreview
) -> None:
    deaths = iter([True, False])

    def die_once() -> None:
        if next(deaths):
            raise LeaseLost("it died")

    at_preview(die_once)
    build = indexing.request_build(index=index, enqueue=False)
    indexing.advance_build(build_id=build.pk)
    died = Build.objects.get()
    assert (died.previewed, died.files.count()) == (2, 2)

    done = indexing.finish_build(build=build)

    assert (done.status, done.previewed, done.files.count()) == ("ready", 0, 5)
    assert list(layers(done)) == [1]


def test_a_build_that_fails_after_its_preview_says_so_and_is_replaced(
    index: Index, at_preview: AtPreview
) -> None:
    outcomes = iter([True, False])

    def cancel_once() -> None:
        if next(outcomes):
            cancel_build(build=Build.objects.get())

    at_preview(cancel_once)
    build_all(index)
    (told,) = search("pay")["builds"]
    second = build_all(index)

    index.refresh_from_db()
    assert told["preview"] == (
        "2 of 5 files were read before its build ended; the others cannot be searched."
    )
    assert index.current_build == second
    assert search("refund")["builds"][0]["preview"] == ""


def test_what_is_shared_of_a_preview_stays_and_says_that_there_is_more(
    index: Index, at_preview: AtPreview, client: Client
) -> None:
    shared: list[ShareLink] = []

    def look() -> None:
        shared.append(
            services.share(
                viewer=ANYONE, user=AnonymousUser(), kind="search", query="the bill"
            )
        )

    at_preview(look)
    build_all(index)

    (link,) = shared
    page = client.get(f"/s/{link.token}").content.decode()
    assert "app/a.py" in page
    assert f"shop: {SO_FAR}" in page
    assert "has more files now" in page
    fresh = search("the bill")
    assert stamp_of(fresh) != stamp_of(link.record.answer)
    (newer,) = selectors.newer_builds(ANYONE, link.record.answer)
    assert (newer["is_same"], newer["was_preview"]) == (True, True)


def test_a_trace_of_what_is_not_read_says_so(
    index: Index, at_preview: AtPreview, source: Path
) -> None:
    traced: list[Payload] = []

    def look() -> None:
        targets = ["test_refund", "pay"]
        found = services.trace(viewer=ANYONE, query="the bill", targets=targets)
        traced.extend(found["targets"])

    at_preview(look)
    build_all(index)

    unread, read = traced
    assert unread["death"]["reason"] == "not_read_yet"
    assert unread["death"]["detail"] == (
        "No symbol, path or line called test_refund is in what is read so far: 2 of 5 "
        "files of shop."
    )
    assert read["symbol"] == "pay"
    (now,) = services.trace(viewer=ANYONE, query="refund", targets=["test_refund"])[
        "targets"
    ]
    assert now["symbol"] == "test_refund"


def test_rows_of_the_complete_layer_are_never_taken_for_chunks_of_the_preview(
    make_repository: MakeRepository, at_preview: AtPreview
) -> None:
    # Sorted before the product code, it moves every ordinal.
    source = make_repository({**FILES, "a_test/tests/test_0.py": "def zero(): pass\n"})
    index = indexing.register(name="shop", source=str(source))
    opened = []

    def look() -> None:
        builds = current_builds(ANYONE, (), None)
        opened.append(open_corpus(builds, viewer=ANYONE))

    at_preview(look)
    build_all(index)

    (preview,) = opened
    resolved = resolve_target("pay", preview.builds)
    with pytest.raises(IndexMoved, match="shop was read to its end while it was asked"):
        chunk_numbers(resolved, preview)
    fresh = open_corpus(current_builds(ANYONE, (), None), viewer=ANYONE)
    (number,) = chunk_numbers(resolve_target("pay", fresh.builds), fresh)
    assert fresh.corpus.builds[0].lexical.catalogue.symbols[number] == "pay"


def test_every_page_of_a_preview_says_how_much_is_read(
    index: Index, at_preview: AtPreview, client: Client
) -> None:
    pages: dict[str, str] = {}

    def look() -> None:
        for address in (
            "/?q=pay",
            "/trace/?q=pay&target=pay",
            "/repositories/",
            "/r/shop/",
            "/r/shop/coverage/",
        ):
            pages[address] = client.get(address).content.decode()

    at_preview(look)
    build_all(index)

    assert [address for address, page in pages.items() if SO_FAR not in page] == []
