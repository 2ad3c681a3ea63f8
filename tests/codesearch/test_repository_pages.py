"""Repositories: progress that polls until it is done, ledgers, and who may start."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from indexer import selectors, services
from indexer.errors import IndexingError
from indexer.ledger import LedgerGroup
from indexer.pipeline.calibration import Calibration, Scale
from indexer.selectors import RepositoryCard
from indexer.stages import Stage
from tests.codesearch.example_payload import REVISION

COUNTS = {
    "files": 10,
    "indexed": 9,
    "skipped": 1,
    "partial": 1,
    "chunks": 1234,
    "over_length": 2,
    "vectors": 2468,
    "vectors_done": 1061,
    "vectors_reused": 0,
}


def make_card(**more: Any) -> RepositoryCard:  # Any: fields of the record
    fields: dict[str, Any] = {
        "pk": 3,
        "name": "shop",
        "source": "",
        "visibility": "public",
        "state": "ready",
        "state_label": "ready",
        "sentence": "",
        "revision": REVISION,
        "committed_at": None,
        "build_id": 7,
        "finished_at": None,
        "is_active": False,
        "searchable": True,
        "counts": COUNTS,
        "ledger": [
            LedgerGroup("indexed", "symbol", None, 8, 1200),
            LedgerGroup("partial", "window", "long_line", 1, 34),
            LedgerGroup("skipped", None, "too_large", 1, 0),
        ],
        "stages": [
            Stage("Reading", "done", 1, 1, "10 files"),
            Stage("Parsing", "done", 10, 10, "10 of 10 files"),
            Stage("Lexical and symbols", "done", 1, 1, "live"),
            Stage("Embedding", "busy", 1061, 2468, "1,061 of 2,468, 42%"),
        ],
        "disk_bytes": 3_800_000,
    }
    return RepositoryCard(**(fields | more))


def show(monkeypatch: pytest.MonkeyPatch, *cards: RepositoryCard) -> None:
    monkeypatch.setattr(selectors, "repository_cards", lambda viewer: list(cards))
    by_name = {card.name: card for card in cards}
    monkeypatch.setattr(
        selectors, "repository_card", lambda viewer, name, **_: by_name.get(name)
    )


@pytest.fixture(autouse=True)
def one_card(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    """There is one repository, and it is ready."""
    show(monkeypatch, make_card())


def active() -> RepositoryCard:
    return make_card(state="indexing", state_label="embedding 42%", is_active=True)


def test_the_list_says_how_many_are_in_which_state(client: Client) -> None:
    page = client.get("/repositories/").content

    assert b"1 registered: 1 ready. 1,234 chunks can be searched." in page


def test_a_card_polls_itself_while_its_build_is_active(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(monkeypatch, active())

    card = client.get("/repositories/shop/card/").content

    assert card.lstrip().startswith(b'<article class="card repo" id="repo-shop"')
    assert b'hx-get="/repositories/shop/card/"' in card
    assert b'hx-trigger="every 2s"' in card
    assert b"1,061 of 2,468, 42%" in card


def test_the_finished_card_has_no_trigger(client: Client) -> None:
    assert b"hx-trigger" not in client.get("/repositories/shop/card/").content


def test_the_progress_of_a_result_page_ends_without_a_trigger(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished = client.get("/repositories/shop/progress/").content
    show(monkeypatch, active())
    running = client.get("/repositories/shop/progress/").content

    assert b"hx-trigger" not in finished
    assert b'hx-trigger="every 3s"' in running


def test_a_failed_build_shows_its_sentence(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = make_card(state="failed", state_label="failed", sentence="No such branch.")
    show(monkeypatch, card)

    page = client.get("/repositories/").content

    assert b"notice--bad" in page
    assert b"No such branch." in page


def test_administrators_find_the_way_to_rename_and_remove(
    admin_client: Client, staff: Client
) -> None:
    for page in (b'href="/r/shop/settings/"', b'href="/r/shop/remove/"'):
        assert page in admin_client.get("/r/shop/").content
        assert page not in staff.get("/r/shop/").content


def test_disk_space_that_a_reader_may_not_know_is_left_out(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = client.get("/r/shop/").content
    show(monkeypatch, make_card(disk_bytes=0))
    hidden = client.get("/r/shop/").content

    assert b"<dt>on disk</dt><dd>3.8" in known
    assert b"on disk" not in hidden


def test_the_ledger_adds_up_to_all_files(client: Client) -> None:
    page = client.get("/r/shop/").content.decode()

    assert "10 files, each with one outcome" in page
    assert "too large" in page
    assert "8 files by symbol, 1 files by window, 1 files not indexed" in page
    assert 'href="/r/shop/coverage/?outcome=skipped&amp;reason=too_large"' in page


def test_an_unknown_repository_is_not_found(client: Client) -> None:
    assert client.get("/r/secret/").status_code == 404
    assert client.get("/repositories/secret/card/").status_code == 404


def test_only_staff_see_the_buttons(admin_client: Client, staff: Client) -> None:
    assert b"Index now" not in Client().get("/repositories/").content
    assert b"Index now" in staff.get("/repositories/").content
    assert b'href="/repositories/add/"' in admin_client.get("/repositories/").content


def test_only_staff_may_start_and_stop(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "request_build_by_name", None)

    assert client.post("/repositories/shop/build/").status_code == 403
    assert client.post("/repositories/shop/cancel/").status_code == 403


def test_a_build_is_asked_for_by_post_only(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(
        services,
        "request_build_by_name",
        lambda *, viewer, name, revision: asked.append((name, revision)),
    )

    assert staff.get("/repositories/shop/build/").status_code == 405
    response = staff.post("/repositories/shop/build/")
    staff.post("/repositories/shop/build/", {"revision": " v1.2 "})

    assert asked == [("shop", ""), ("shop", "v1.2")]
    assert response["Location"] == "/repositories/#repo-shop"


def test_a_build_that_cannot_start_says_why(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*, viewer: object, name: str, revision: str) -> None:
        raise IndexingError("A build is running already.")

    monkeypatch.setattr(services, "request_build_by_name", refuse)

    page = staff.post("/repositories/shop/build/", follow=True).content

    assert b"A build is running already." in page


def test_a_name_that_is_too_long_is_refused(staff: Client) -> None:
    answer = staff.post("/repositories/shop/build/", {"revision": "v" * 201})

    assert answer.status_code == 400
    assert b"at most 200 characters" in answer.content


def test_a_build_can_be_stopped(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[str] = []
    monkeypatch.setattr(
        services, "cancel_build_by_name", lambda *, viewer, name: stopped.append(name)
    )

    staff.post("/repositories/shop/cancel/")

    assert stopped == ["shop"]


def test_no_repository_tells_what_to_do(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(monkeypatch)

    assert b"None is registered yet." in client.get("/repositories/").content


def test_the_calibration_is_published_with_its_sample_size(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    scale = Scale(absent=0.283, present=0.561, reach=0.405, start=0.413)
    found = Calibration(200, 333, scale, scale, false_flags=0.025, flagged=0.964)
    show(monkeypatch, make_card(calibration=found))

    page = client.get("/r/shop/").content.decode()

    assert "<dt>sentences that have an answer</dt><dd>200</dd>" in page
    assert "<dd>2.5%</dd>" in page
    assert "<dd>96.4%</dd>" in page


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (Calibration(12, 400), "Not calibrated: it has 12 documented sentences, 50"),
        (None, "Not calibrated: that is done when all vectors are made."),
    ],
)
def test_a_build_without_a_calibration_says_why(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    found: Calibration | None,
    sentence: str,
) -> None:
    show(monkeypatch, make_card(calibration=found))

    assert sentence in client.get("/r/shop/").content.decode()
