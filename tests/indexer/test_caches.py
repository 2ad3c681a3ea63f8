"""The caches of a machine share one limit; what was used last stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytest_django import Settings

from indexer.caches import files_cache, trim_caches, vectors_cache
from indexer.pipeline.cache import Cache


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.CACHE_DIR = tmp_path / "cache"
    return tmp_path / "cache"


def fill(cache: Cache, megabytes: int) -> None:
    cache.add({bytes([n]): bytes(1 << 20) for n in range(megabytes)})


def test_within_the_limit_nothing_goes(settings: Settings) -> None:
    settings.CACHE_MEGABYTES = 40
    fill(files_cache(), 3)
    fill(vectors_cache("a"), 3)

    trim_caches()

    assert len(files_cache().find([b"\x00", b"\x02"])) == 2
    assert len(vectors_cache("a").find([b"\x00", b"\x02"])) == 2


def test_files_keep_at_most_a_quarter(settings: Settings) -> None:
    settings.CACHE_MEGABYTES = 20
    fill(files_cache(), 10)

    trim_caches()

    assert 0 < files_cache().size() <= 5 << 20
    assert files_cache().find([b"\x09"]) == {b"\x09": bytes(1 << 20)}


def test_of_two_models_the_one_used_last_keeps_its_vectors(
    settings: Settings, folder: Path
) -> None:
    settings.CACHE_MEGABYTES = 6
    fill(vectors_cache("old"), 5)
    fill(vectors_cache("new"), 5)
    os.utime(folder / "vectors-old.sqlite", (1, 1))

    trim_caches()

    assert len(vectors_cache("new").find([bytes([n]) for n in range(5)])) == 5
    assert vectors_cache("old").size() <= 1 << 20


def test_a_limit_of_nothing_keeps_nothing(settings: Settings, folder: Path) -> None:
    settings.CACHE_MEGABYTES = 0
    fill(files_cache(), 1)
    fill(vectors_cache("a"), 1)

    trim_caches()

    assert list(folder.iterdir()) == []
