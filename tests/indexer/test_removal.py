"""Removal frees what nothing needs, and never what someone reads or will read."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from indexer import leases, progress, removal, services
from indexer.access import ANYONE, COMMAND_LINE, removed
from indexer.models import Build, BuildEvent, Chunk, Index, Repository
from indexer.places import folder_of
from indexer.readers import BuildGone, Reading
from tests.conftest import MakeRepository, build_all
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]


@pytest.fixture
def index(make_repository: MakeRepository, encoder: WordEncoder) -> Index:
    source = make_repository({"money.py": "def pay(x):\n    return x\n"})
    return services.register(name="shop", source=str(source))


def kept(index: Index) -> list[int]:
    """The builds whose files and rows are all there."""
    builds = index.builds.order_by("pk")
    return [b.pk for b in builds if folder_of(b).exists() and b.chunks.exists()]


def test_the_searched_build_and_the_one_before_it_stay(index: Index) -> None:
    builds = [build_all(index) for _ in range(4)]

    assert kept(index) == [builds[2].pk, builds[3].pk]


def test_a_repository_says_how_many_complete_builds_stay(index: Index) -> None:
    Repository.objects.update(kept_builds=1)

    builds = [build_all(index) for _ in range(2)]

    assert kept(index) == [builds[1].pk]


def test_a_freed_build_leaves_its_row_and_its_log(index: Index) -> None:
    first = build_all(index)
    BuildEvent.objects.create(build=first, text="read money.py")
    Repository.objects.update(kept_builds=1)

    build_all(index)

    first.refresh_from_db()
    assert (first.status, first.chunk_count, first.layers.count()) == ("ready", 1, 0)
    assert [event.text for event in first.events.all()][-1] == "read money.py"
    assert not folder_of(first).exists()


def test_the_rows_of_the_last_builds_stay(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "KEPT_ROWS", 1)
    Repository.objects.update(kept_builds=1)

    builds = [build_all(index) for _ in range(4)]

    assert list(index.builds.order_by("pk")) == builds[2:]


@pytest.mark.parametrize("end", ["failed", "cancelled"])
def test_what_a_build_wrote_goes_when_it_ends_badly(index: Index, end: str) -> None:
    first = build_all(index)
    second = services.request_build(index=index, enqueue=False)
    services.advance_build(build_id=second.pk)
    Index.objects.update(current_build=first)
    if end == "failed":
        progress.fail_build(build=second, reason="the disk is full")
    else:
        progress.cancel_build(build=second)

    removal.drop_old_builds(index=index)

    assert kept(index) == [first.pk]
    assert not folder_of(second).exists()
    assert index.builds.filter(pk=second.pk, status=end).exists()


def test_a_folder_that_a_worker_may_still_write_stays(index: Index) -> None:
    build_all(index)
    second = services.request_build(index=index, enqueue=False)
    folder_of(second).mkdir()
    leases.claim(second, "slow")
    progress.cancel_build(build=second)

    removal.drop_old_builds(index=index)
    stayed = folder_of(second).exists()
    Build.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    removal.drop_old_builds(index=index)

    assert stayed
    assert not folder_of(second).exists()


def test_a_build_stays_while_it_is_read(index: Index) -> None:
    Repository.objects.update(kept_builds=1)
    first = build_all(index)
    reading = Reading(folder_of(first))

    second = build_all(index)
    while_read = kept(index)
    del reading
    removal.drop_old_builds(index=index)

    assert while_read == [first.pk, second.pk]
    assert kept(index) == [second.pk]


def test_a_build_that_went_is_not_opened(index: Index) -> None:
    build = build_all(index)
    removal.remove_build(build=build)

    with pytest.raises(BuildGone):
        Reading(folder_of(build))


def test_a_build_that_a_job_holds_stays(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    Repository.objects.update(kept_builds=1)
    first = build_all(index)
    monkeypatch.setattr(removal, "_holders", [lambda: {first.pk}])

    second = build_all(index)

    assert kept(index) == [first.pk, second.pk]


def test_a_build_that_became_current_meanwhile_is_not_freed(index: Index) -> None:
    first = build_all(index)
    build_all(index)
    Index.objects.update(current_build=first)

    assert not removal.free_build(build=first)
    assert first.pk in kept(index)


def test_a_removal_that_was_killed_half_way_is_finished(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    Repository.objects.update(kept_builds=1)
    first = build_all(index)
    with monkeypatch.context() as patched:
        patched.setattr(removal, "_delete_rows", kill)
        with pytest.raises(KeyboardInterrupt):
            build_all(index)
    assert Chunk.objects.filter(build=first).exists()

    removal.drop_old_builds(index=index)

    assert not Chunk.objects.filter(build=first).exists()


def kill(build: Build) -> None:
    raise KeyboardInterrupt


def test_an_index_is_removed_while_someone_reads_it(index: Index) -> None:
    build = build_all(index)
    reading = Reading(folder_of(build))

    removal.remove_index(index=index)

    assert not Build.objects.exists()
    assert folder_of(build).exists()
    reading.release()


def test_readers_wait_for_no_one_else(tmp_path: Path) -> None:
    folder = tmp_path / "1"
    folder.mkdir()

    both = [Reading(folder), Reading(folder)]

    assert len(both) == 2


def test_of_a_removed_repository_it_is_noted_that_it_was_here() -> None:
    for name, visibility in (("shop", "public"), ("vault", "staff")):
        repository = Repository.objects.create(
            name=name, source=f"/srv/{name}", visibility=visibility
        )
        removal.remove_repository(repository=repository)

    seen_by_all = [one.name for one in removed(COMMAND_LINE)]

    assert sorted(seen_by_all) == ["shop", "vault"]
    assert [one.name for one in removed(ANYONE)] == ["shop"]
