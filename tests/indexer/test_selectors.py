"""What pages read of repositories, builds and files is true, or absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytest_django import DjangoAssertNumQueries

from indexer import files, selectors, services
from indexer.access import ANYONE, COMMAND_LINE
from indexer.files import read_file, read_texts
from indexer.inspection import inspect_file
from indexer.ledger import LedgerGroup
from indexer.models import Build, File, Index, Repository
from indexer.pipeline import blobs
from indexer.selectors import (
    newest_builds,
    repository_card,
    repository_cards,
    repository_names,
)
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder

MONEY = "def pay(x):\n    return x\n"

pytestmark = pytest.mark.django_db


@pytest.fixture
def build(
    data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Build:
    """The finished build of a repository called shop."""
    source = make_repository(
        {"shop/money.py": MONEY, "logo.png": b"\x89PNG\x00", "notes.txt": "Pay soon.\n"}
    )
    index = services.register(name="shop", source=str(source))
    return services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )


def test_a_card_has_the_counts_of_its_build_and_a_ledger_that_adds_up(
    build: Build,
) -> None:
    (card,) = repository_cards(ANYONE)

    assert (card.name, card.state, card.searchable) == ("shop", "ready", True)
    assert card.revision == build.revision
    assert list(card.ledger) == [
        LedgerGroup("indexed", "symbol", None, 1, 1),
        LedgerGroup("indexed", "window", None, 1, 1),
        LedgerGroup("skipped", None, "binary", 1, 0),
    ]
    assert card.counts == {
        "files": 3,
        "tree": 3,
        "indexed": 2,
        "partial": 0,
        "skipped": 1,
        "chunks": 2,
        "over_length": 0,
        "vectors": 5,
        "vectors_done": 5,
        "vectors_reused": 0,
    }


def test_of_all_builds_of_an_index_the_newest_is_told_of(build: Build) -> None:
    newer = services.request_build(index=build.index, enqueue=False)
    attic = services.register(name="attic", source="/attic")

    found = newest_builds(Index.objects.filter(pk__in=[build.index_id, attic.pk]))

    assert list(found) == [newer]


def test_many_repositories_take_as_many_queries_as_one(
    build: Build, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for name in ("attic", "barn"):
        services.register(name=name, source=f"/{name}")

    with django_assert_num_queries(7):
        cards = repository_cards(COMMAND_LINE)

    assert [(card.name, card.state, card.searchable) for card in cards] == [
        ("attic", "new", False),
        ("barn", "new", False),
        ("shop", "ready", True),
    ]


def test_the_bars_of_a_finished_build_are_full(build: Build) -> None:
    card = repository_card(ANYONE, "shop")

    assert card is not None
    assert [(s.name, s.state, s.done, s.total) for s in card.stages] == [
        ("Reading", "done", 1, 1),
        ("Parsing", "done", 3, 3),
        ("Lexical and symbols", "done", 1, 1),
        ("Embedding", "done", 5, 5),
    ]
    assert card.stages[3].text == "5 of 5, 100%"


def test_a_build_that_waits_has_nothing_done(build: Build) -> None:
    services.request_build(index=build.index, enqueue=False)

    card = repository_card(ANYONE, "shop")

    assert card is not None
    assert (card.state, card.is_active, card.searchable) == ("queued", True, True)
    assert {stage.state for stage in card.stages} == {"todo"}
    assert card.counts["chunks"] == 2


def test_where_a_repository_comes_from_is_for_staff(build: Build) -> None:
    public, staff = (
        repository_card(viewer, "shop", measured=True)
        for viewer in (ANYONE, COMMAND_LINE)
    )

    assert public is not None
    assert staff is not None
    assert (public.source, public.disk_bytes) == ("", 0)
    assert staff.source == build.index.repository.source
    assert staff.disk_bytes > 1000


def test_a_card_that_is_polled_measures_no_disk(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        selectors, "disk_usage", lambda repository: pytest.fail("measured")
    )

    assert repository_card(COMMAND_LINE, "shop") is not None
    assert len(repository_cards(COMMAND_LINE)) == 1


def test_a_text_is_read_from_git_once(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = ("shop", build.revision, "shop/money.py")
    first = read_texts(ANYONE, [key])
    monkeypatch.setattr(files, "BlobReader", lambda mirror: pytest.fail("read again"))

    assert read_texts(ANYONE, [key]) == first == {key: MONEY}


def test_a_text_that_no_page_of_a_file_shows_is_not_read(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    File.objects.all().delete()  # As of a commit that is not indexed.
    key = ("shop", build.revision, "shop/money.py")
    assert read_texts(ANYONE, [key]) == {key: MONEY}
    monkeypatch.setattr(blobs, "MAX_BLOB", len(MONEY) - 2)
    assert read_texts(ANYONE, [key]) == {key: MONEY}

    monkeypatch.setattr(files, "MOST_SHOWN", len(MONEY) - 1)

    shown = read_file(ANYONE, "shop", build.revision, b"shop/money.py")
    assert shown is not None
    assert shown.text is None
    assert read_texts(ANYONE, [key]) == {}


def test_what_a_viewer_may_not_read_is_absent_everywhere(build: Build) -> None:
    Repository.objects.update(visibility="staff")
    key = ("shop", build.revision, "shop/money.py")
    assert read_texts(COMMAND_LINE, [key]) == {key: MONEY}  # And is kept.

    assert repository_names(ANYONE) == []
    assert repository_cards(ANYONE) == []
    assert repository_card(ANYONE, "shop") is None
    assert read_file(ANYONE, "shop", build.revision, b"shop/money.py") is None
    assert read_texts(ANYONE, [key]) == {}


def test_a_file_is_read_at_its_revision_with_its_chunks(build: Build) -> None:
    found = read_file(ANYONE, "shop", build.revision, b"shop/money.py")

    assert found is not None
    assert (found.text, found.lines, found.language) == (MONEY, 2, "python")
    assert [chunk.symbol for chunk in found.chunks] == ["pay"]
    assert found.is_current


def test_a_file_without_text_says_why(build: Build) -> None:
    found = read_file(ANYONE, "shop", build.revision, b"logo.png")

    assert found is not None
    assert (found.text, found.reason, found.lines) == (None, "binary", 0)


@pytest.mark.parametrize(
    ("name", "revision", "path"),
    [
        ("attic", "", b"shop/money.py"),
        ("shop", "0" * 40, b"shop/money.py"),
        ("shop", "HEAD", b"shop/money.py"),
        ("shop", "", b"shop"),
        ("shop", "", b"../shop/money.py"),
        ("shop", "", b"nowhere.py"),
    ],
)
def test_a_file_that_is_not_there_is_none(
    build: Build, name: str, revision: str, path: bytes
) -> None:
    assert read_file(ANYONE, name, revision or build.revision, path) is None


@pytest.fixture
def cafe(
    data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Build:
    """The finished build of a repository with two paths that look alike."""
    source = make_repository({"caf\\xe9.py": "def literal():\n    pass\n"})
    Path(os.fsdecode(os.fsencode(source) + b"/caf\xe9.py")).write_text(MONEY)
    run_git(source, "add", "--all")
    run_git(source, "commit", "--quiet", "--message=Two")
    index = services.register(name="cafe", source=str(source))
    return services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )


def test_two_paths_that_look_alike_are_two_files(cafe: Build) -> None:
    literal, broken = (
        ("cafe", cafe.revision, path) for path in ("caf%5Cxe9.py", "caf%E9.py")
    )
    texts = read_texts(ANYONE, [literal, broken])
    outlines = [
        read_file(ANYONE, "cafe", cafe.revision, path)
        for path in (b"caf\\xe9.py", b"caf\xe9.py")
    ]

    assert texts[broken] == MONEY
    assert texts[literal].startswith("def literal")
    assert [file and file.chunks[0].symbol for file in outlines] == ["literal", "pay"]


def test_two_paths_that_look_alike_are_inspected_apart(cafe: Build) -> None:
    found = [
        inspect_file(ANYONE, "cafe", cafe.revision, path)
        for path in (b"caf\\xe9.py", b"caf\xe9.py")
    ]

    assert [one and one.chunks[0].chunk.symbol for one in found] == ["literal", "pay"]
