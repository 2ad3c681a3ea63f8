"""A build is opened once for all who search it, and not kept when it is removed."""

from __future__ import annotations

import gc
import weakref

import pytest

from indexer import services
from indexer.models import Build, Index, Repository
from indexer.opened import open_build
from tests.conftest import MakeRepository, build_all
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]


@pytest.fixture
def index(make_repository: MakeRepository, encoder: WordEncoder) -> Index:
    source = make_repository({"money.py": "def pay(x):\n    return x\n"})
    return services.register(name="shop", source=str(source))


def test_what_was_opened_is_shared_until_there_is_another_layer(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    services.advance_build(build_id=build.pk)
    build.refresh_from_db()
    lexical = open_build(build, build.fingerprint)

    assert open_build(Build.objects.get(), build.fingerprint) is lexical
    services.finish_build(build=build)
    assert open_build(build, build.fingerprint).surfaces["body"]


def test_a_removed_build_takes_no_memory_once_another_is_opened(index: Index) -> None:
    Repository.objects.update(kept_builds=1)
    first = build_all(index)
    lexical = weakref.ref(open_build(first, first.fingerprint).lexical)

    second = build_all(index)
    open_build(second, second.fingerprint)

    gc.collect()
    assert lexical() is None


def test_of_an_index_the_newest_opened_build_is_kept_in_memory(index: Index) -> None:
    first, second = build_all(index), build_all(index)
    lexical = weakref.ref(open_build(first, first.fingerprint).lexical)

    open_build(second, second.fingerprint)
    gc.collect()
    assert lexical() is None

    open_build(first, first.fingerprint)
    newer = weakref.ref(open_build(second, second.fingerprint).lexical)
    gc.collect()
    assert newer() is not None
