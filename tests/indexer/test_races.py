"""Of all who want a build, one makes it; who comes too late destroys nothing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from indexer import building, encoders, leases, lexical, progress, services
from indexer.errors import IndexingError
from indexer.fetching import fetch_revision
from indexer.models import Build, Index
from indexer.pipeline.build import Assembly
from indexer.pipeline.store import verify_layer
from indexer.places import folder_of, place_of
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder
from tests.races import run_races


def test_eight_at_once_get_one_build_and_one_lease(tmp_path: Path) -> None:
    assert run_races(tmp_path) == {"builds": 1, "claims": 1}


@pytest.fixture
def build(
    db: None, data_dir: Path, make_repository: MakeRepository, encoder: WordEncoder
) -> Build:
    """A build that was asked for and not begun."""
    source = make_repository({"money.py": "def pay(x):\n    return x\n"})
    index = services.register(name="shop", source=str(source))
    return services.request_build(index=index, enqueue=False)


def run_out(build: Build) -> None:
    """Let the lease of a build run out, as while its worker stands still."""
    past = timezone.now() - timedelta(seconds=1)
    Build.objects.filter(pk=build.pk).update(lease_until=past)


def test_a_slow_worker_does_not_replace_what_another_published(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Assembly.write

    def stand_still(self: Assembly, folder: Path, facts: dict[str, object]) -> None:
        monkeypatch.setattr(Assembly, "write", write)
        run_out(build)
        assert services.advance_build(build_id=build.pk)
        published.append(place_of(build.layers.get()).folder.stat().st_ino)
        write(self, folder, facts)

    published: list[int] = []
    monkeypatch.setattr(Assembly, "write", stand_still)

    assert not services.advance_build(build_id=build.pk)

    place = place_of(build.layers.get())
    verify_layer(place.folder, place.checksums)
    assert [place.folder.stat().st_ino] == published
    assert [path.name for path in folder_of(build).iterdir()] == ["lexical-0"]


def test_a_slow_worker_does_not_fail_what_another_makes(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(build: Build, lease: leases.Lease) -> bool:
        run_out(build)
        assert leases.claim(build, "another")
        raise IndexingError("its own trouble")

    monkeypatch.setattr(building, "advance", lose)

    assert not services.advance_build(build_id=build.pk)

    build.refresh_from_db()
    assert (build.status, build.lease_owner) == ("running", "another")


def test_a_slow_worker_does_not_rename_the_commit_that_another_reads(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(build: Build, mirror: Path) -> str:
        revision = fetch_revision(build, mirror)
        run_out(build)
        assert leases.claim(build, "another")
        Build.objects.update(revision="f" * 40)
        return revision

    monkeypatch.setattr(lexical, "fetch_revision", lose)

    assert not services.advance_build(build_id=build.pk)

    build.refresh_from_db()
    assert build.revision == "f" * 40


def test_a_slow_worker_does_not_rename_the_model_that_another_uses(
    build: Build, encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.advance_build(build_id=build.pk)

    def lose(*_: object) -> tuple[WordEncoder, str]:
        run_out(build)
        assert leases.claim(build, "another")
        Build.objects.update(fingerprint="its own")
        return encoder, ""

    monkeypatch.setattr(encoders, "encoder_of", lose)

    assert not services.advance_build(build_id=build.pk)

    build.refresh_from_db()
    assert build.fingerprint == "its own"


def test_a_slow_worker_does_not_end_what_another_makes(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.advance_build(build_id=build.pk)

    def lose(*_: object) -> tuple[None, str]:
        run_out(build)
        assert leases.claim(build, "another")
        return None, "its own model is not there"

    monkeypatch.setattr(encoders, "encoder_of", lose)

    assert not services.advance_build(build_id=build.pk)

    build.refresh_from_db()
    assert (build.status, build.note) == ("running", "")


@pytest.mark.parametrize(("hours", "is_free"), [(-1, True), (0.01, False), (1, True)])
def test_a_clock_that_was_set_back_does_not_hold_a_build(
    build: Build, hours: float, is_free: bool
) -> None:
    leases.claim(build, "dead")
    Build.objects.update(lease_until=timezone.now() + timedelta(hours=hours))

    assert bool(leases.unattended(Build)) is is_free
    assert bool(leases.claim(build, "next")) is is_free


def test_a_build_that_was_cancelled_is_begun_anew(build: Build) -> None:
    services.advance_build(build_id=build.pk)
    progress.cancel_build(build=build)

    again = services.request_build(index=Index.objects.get(), enqueue=False)

    assert again != build
    assert services.finish_build(build=again).status == "ready"
