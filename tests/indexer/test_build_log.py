"""The log of a build tells in few lines what happened to it, without names."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.utils import timezone

from indexer import lexical, pace, progress, services
from indexer.leases import claim
from indexer.models import Build, Index
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder


@pytest.fixture
def index(
    db: None, data_dir: object, encoder: WordEncoder, make_repository: MakeRepository
) -> Index:
    source = make_repository({"money.py": "def pay(amount):\n    return amount\n"})
    return services.register(name="shop", source=str(source))


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second passes at work, so that the lines are the same on every machine."""
    monkeypatch.setattr(pace, "time", Mock(monotonic=lambda: 0.0))


def lines(build: Build) -> list[tuple[str, str, str]]:
    return list(build.events.values_list("level", "stage", "text"))


def test_a_build_from_its_request_to_its_end(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    services.finish_build(build=build)

    build.refresh_from_db()
    copied = "0 of them copied."
    assert lines(build) == [
        ("info", "fetching", "Asked for."),
        ("info", "fetching", f"Fetched {build.revision[:12]}: 1 file."),
        (
            "info",
            "lexical",
            "1 chunk of 1 file can be searched by words and symbols.",
        ),
        (
            "info",
            "purposes",
            f"Purposes are complete after 0 s at work: 2 of 3 vectors by now, {copied}",
        ),
        (
            "info",
            "bodies",
            f"Bodies are complete after 0 s at work: 3 of 3 vectors by now, {copied}",
        ),
        ("info", "calibrating", "Ready after 0 s at work."),
    ]


def test_who_asks_twice_is_not_told_twice(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    services.request_build(index=index, enqueue=False)

    assert build.events.count() == 1


def test_a_build_without_a_model_ends_with_a_warning(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.encoders.encoder_of", lambda *build: (None, "none"))
    build = services.request_build(index=index, enqueue=False)

    services.finish_build(build=build)

    assert lines(build)[-1] == (
        "warning",
        "purposes",
        "Ready after 0 s at work. No vectors: none. Searches are lexical only.",
    )


def test_a_failure_is_logged_with_its_sentence_once(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    for _ in range(2):
        progress.fail_build(build=build, reason="No such branch.")

    assert lines(build)[1:] == [("error", "fetching", "No such branch.")]


def test_a_cancelled_build_says_so_once(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    for _ in range(2):
        progress.cancel_build(build=build)

    assert lines(build)[1:] == [("warning", "fetching", "Cancelled.")]


def test_who_takes_over_from_a_dead_worker_says_at_which_stage(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    claim(build, "dead")
    Build.objects.update(
        stage="reading", lease_until=timezone.now() - timedelta(seconds=1)
    )

    services.finish_build(build=build)

    assert lines(build)[1] == (
        "warning",
        "reading",
        "Taken over from a worker that died while it was reading: "
        "death 1 of 5 at this step.",
    )


def test_an_error_that_no_one_foresaw_is_told_without_its_text(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise ZeroDivisionError("a line of someone's source")

    monkeypatch.setattr(lexical, "self_test", fail)
    build = services.request_build(index=index, enqueue=False)
    with pytest.raises(ZeroDivisionError):
        services.advance_build(build_id=build.pk)

    assert lines(build)[-1] == (
        "error",
        "reading",
        "Broken off by an error in the worker (ZeroDivisionError), whose log says "
        "more; it is tried again within minutes.",
    )
