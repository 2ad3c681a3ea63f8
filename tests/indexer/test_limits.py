"""Where disk or memory run out, a build ends with a sentence and no half layer."""

from __future__ import annotations

import errno
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import OperationalError
from pytest_django import Settings

from indexer import services
from indexer.damage import damage_of
from indexer.leases import MAX_ATTEMPTS
from indexer.models import Build, Index
from indexer.pipeline.build import Assembly
from indexer.places import folder_of
from tests.conftest import MakeRepository, build_all
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]

AGAIN = "Make room, then index again: it goes on from what is cached."


@pytest.fixture
def index(make_repository: MakeRepository, encoder: WordEncoder) -> Index:
    long = " ".join(f"note {n % 50}" for n in range(3_000))  # Small in a pack.
    files: dict[str, str | bytes] = {
        "money.py": "def pay(x):\n    return x\n",
        "notes.md": f"# Notes\n\n{long}\n",
    }
    return services.register(name="shop", source=str(make_repository(files)))


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond `size` bytes, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def failing(error: Exception) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_without_room_no_step_starts(index: Index, settings: Settings) -> None:
    settings.FREE_MEGABYTES = 1 << 40
    build = build_all(index)
    settings.FREE_MEGABYTES = 0

    assert build.status == "failed"
    assert build.failure.endswith(f"must stay so (CODESEARCH_FREE_MB). {AGAIN}")
    assert build_all(index).status == "ready"


def test_a_layer_that_does_not_fit_is_not_published(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)

    with files_up_to(12_000):
        services.advance_build(build_id=build.pk)

    build.refresh_from_db()
    assert build.status == "failed"
    assert build.failure.startswith("The disk ran full while it was writing the lexi")
    assert build.failure.endswith(AGAIN)
    assert not folder_of(build).exists()
    assert build_all(index).status == "ready"


def test_vectors_that_all_but_fit_are_not_published(index: Index) -> None:
    first = build_all(index)
    size = (folder_of(first) / "body-0" / "vectors.faiss").stat().st_size
    second = services.request_build(index=index, enqueue=False)
    services.advance_build(build_id=second.pk)

    with files_up_to(size - 10):
        services.advance_build(build_id=second.pk)

    second.refresh_from_db()
    assert second.status == "failed"
    assert second.failure.startswith("The disk ran full while it was making ")
    assert not second.layers.exists()
    assert damage_of(first) == ""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "The disk ran full"),
        (OSError("132634 requested and 99296 written"), "The disk ran full"),
        (OperationalError("database or disk is full"), "The disk ran full"),
        (MemoryError(), "Memory ran out"),
        (RuntimeError("std::bad_alloc"), "Memory ran out"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), "Memory ran out"),
    ],
)
def test_each_library_has_its_own_words(
    index: Index, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    monkeypatch.setattr(Assembly, "write", failing(error))

    build = build_all(index)

    assert build.status == "failed"
    assert build.failure.startswith(f"{said} while it was writing the lexical layer")


def test_another_error_is_no_shortage(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Assembly, "write", failing(RuntimeError("a bug")))
    build = services.request_build(index=index, enqueue=False)

    with pytest.raises(RuntimeError, match="a bug"):
        services.advance_build(build_id=build.pk)

    build.refresh_from_db()
    assert build.is_active


def test_a_build_waits_where_not_even_its_failure_can_be_written(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = services.request_build(index=index, enqueue=False)
    with monkeypatch.context() as patched:
        full = OperationalError("database or disk is full")
        patched.setattr(Assembly, "write", failing(full))
        patched.setattr(services, "fail_build", failing(full))

        assert not services.advance_build(build_id=build.pk)

    build.refresh_from_db()
    assert build.is_active
    assert services.finish_build(build=build).status == "ready"


def test_a_build_whose_worker_died_often_says_where_and_why(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    Build.objects.update(
        attempts=MAX_ATTEMPTS, stage="reading", files_done=3, file_count=6918
    )

    failure = services.finish_build(build=build).failure

    assert failure == (
        "The worker died 5 times while it was reading files (3 of 6,918). Most often "
        "the system ended it for want of memory: look at its log and at what the "
        "kernel says (dmesg), lower CODESEARCH_WORKERS, then index again."
    )


def test_nothing_is_left_of_what_was_written_aside(
    index: Index, monkeypatch: pytest.MonkeyPatch, data_dir: Path
) -> None:
    monkeypatch.setattr(Assembly, "write", failing(OSError(errno.ENOSPC, "full")))

    build_all(index)

    assert list((data_dir / "builds").iterdir()) == []
