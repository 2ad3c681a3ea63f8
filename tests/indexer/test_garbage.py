"""Garbage is what killed processes left: it goes, and nothing that is in use does."""

from __future__ import annotations

import fcntl
import shutil
from io import StringIO
from pathlib import Path
from threading import Event, Thread

import pytest
from django.core.management import call_command
from pytest_django import Settings

from indexer import leases, services
from indexer.caches import files_cache, vectors_cache
from indexer.fetching import bring_up_to_date
from indexer.garbage import collect_garbage
from indexer.models import BadBlob, Build, Index
from indexer.pipeline import refs
from indexer.pipeline.parsing import grammars_version
from indexer.places import bytes_in, folder_of, mirror_of
from indexer.readers import Reading
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

pytestmark = pytest.mark.django_db


@pytest.fixture
def index(
    data_dir: Path, make_repository: MakeRepository, encoder: WordEncoder
) -> Index:
    source = make_repository({"money.py": "def pay(x):\n    return x\n"})
    return services.register(name="shop", source=str(source))


@pytest.fixture
def build(index: Index) -> Build:
    return services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )


def left_in(folder: Path) -> Path:
    """A file that someone left in a folder; the folder."""
    folder.mkdir(parents=True)
    (folder / "half.npy").write_bytes(b"half")
    return folder


def test_nothing_of_a_sound_data_folder_goes(build: Build, data_dir: Path) -> None:
    before = sorted(data_dir.rglob("*"))

    freed = collect_garbage()

    assert (freed.builds, freed.folders, freed.mirrors, freed.caches) == (0, 0, 0, 0)
    assert sorted(data_dir.rglob("*")) == before


def test_leftovers_of_builds_go(build: Build, data_dir: Path) -> None:
    left = [
        left_in(data_dir / "builds" / "999"),
        left_in(data_dir / "builds" / f".{build.pk}.0123456789abcdef"),
        left_in(folder_of(build) / ".body-0.0123456789abcdef"),
        left_in(folder_of(build) / "body-7"),
    ]

    freed = collect_garbage()

    assert freed.folders == 4
    assert freed.bytes >= 16
    assert [path for path in left if path.exists()] == []
    assert (folder_of(build) / "body-0").exists()


def test_what_a_worker_is_writing_stays(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    leases.claim(build, "busy")
    aside = left_in(folder_of(build) / ".lexical-0.0123456789abcdef")

    collect_garbage()

    assert aside.exists()


def test_a_removed_build_stays_while_it_is_read(build: Build, data_dir: Path) -> None:
    orphan = left_in(data_dir / "builds" / "999")
    reading = Reading(orphan)

    collect_garbage()
    while_read = orphan.exists()
    reading.release()
    collect_garbage()

    assert while_read
    assert not orphan.exists()


def test_a_preview_stays_while_its_build_is_read(build: Build) -> None:
    preview = left_in(folder_of(build) / "lexical-7")
    reading = Reading(folder_of(build))

    collect_garbage()
    while_read = preview.exists()
    reading.release()
    collect_garbage()

    assert while_read
    assert not preview.exists()


def test_what_others_remove_meanwhile_does_not_stop_it(
    build: Build, data_dir: Path
) -> None:
    done = Event()

    def churn() -> None:
        folders = (data_dir / "builds" / "998", data_dir / "builds" / "999")
        while not done.is_set():
            for folder in folders:
                left_in(folder / "lexical-0")
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)

    other = Thread(target=churn)
    other.start()
    try:
        for _ in range(50):
            bytes_in(data_dir)
    finally:
        done.set()
        other.join()


def test_mirrors_without_a_repository_and_half_ones_go(
    build: Build, data_dir: Path
) -> None:
    mirrors = data_dir / "mirrors"
    orphan = left_in(mirrors / "999.git")
    half = left_in(mirrors / f".{build.index.repository_id}.git.x7_a")
    (mirrors / "999.lock").touch()

    freed = collect_garbage()

    assert freed.mirrors == 2
    assert not orphan.exists()
    assert not half.exists()
    assert not (mirrors / "999.lock").exists()
    assert mirror_of(build.index.repository).exists()


@pytest.mark.parametrize("is_fetched_again", [False, True])
def test_the_pins_of_a_mirror_that_was_laid_aside_stay(
    build: Build, is_fetched_again: bool
) -> None:
    mirror = mirror_of(build.index.repository)
    pins = refs.pins_of(mirror)
    aside = mirror.with_name(f".{mirror.name}.x7_a")
    mirror.rename(aside)
    if is_fetched_again:
        bring_up_to_date(build.index.repository, mirror)
        assert refs.pins_of(mirror) == []

    collect_garbage()

    assert pins
    assert refs.pins_of(mirror) == pins
    assert not aside.exists()


def test_a_mirror_that_is_being_fetched_stays(build: Build, data_dir: Path) -> None:
    mirror = mirror_of(build.index.repository)
    half = left_in(mirror.with_name(f".{mirror.name}.x7_a"))
    with mirror.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        collect_garbage()

    assert half.exists()


def test_vectors_of_a_model_that_no_build_has_go(build: Build) -> None:
    used, old = vectors_cache(build.fingerprint), vectors_cache("0" * 64)
    for cache in (used, old):
        cache.add({b"key": b"value"})

    freed = collect_garbage()

    assert freed.caches == 1
    assert used.find([b"key"]) == {b"key": b"value"}
    assert not old.path.exists()


def test_caches_are_cut_to_their_limit(build: Build, settings: Settings) -> None:
    settings.CACHE_MEGABYTES = 4
    files_cache().add({bytes([n]): bytes(50_000) for n in range(60)})

    collect_garbage()

    assert 0 < files_cache().size() <= 1 << 20


def test_bad_blobs_of_older_grammars_are_forgotten(build: Build) -> None:
    for version in ("0.1", grammars_version()):
        BadBlob.objects.create(oid="a" * 40, grammars=version, reason="parse_crash")

    collect_garbage()

    assert [blob.grammars for blob in BadBlob.objects.all()] == [grammars_version()]


def test_the_command_says_what_it_removed(build: Build, data_dir: Path) -> None:
    left_in(data_dir / "builds" / "999")
    said = StringIO()

    call_command("collect", stdout=said)

    assert said.getvalue() == (
        "Removed 0 old builds, 1 leftover folders of builds, 0 of mirrors, "
        "0 texts and 0 caches: 0.0 MB.\n"
    )
