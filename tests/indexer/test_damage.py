"""A damaged build is searched no more, said to be damaged, and made anew, once."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from pytest_django import Settings

from indexer import damage, removal, services
from indexer.models import Build, Index, Repository
from indexer.pipeline.store import DamagedError, LayerError, verify_layer
from indexer.places import folder_of
from tests.conftest import MakeRepository, build_all, run_git
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository({"money.py": "def pay(x):\n    return x\n"})


@pytest.fixture
def index(source: Path, encoder: WordEncoder) -> Index:
    return services.register(name="shop", source=str(source))


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def current(index: Index) -> Build | None:
    index.refresh_from_db()
    return index.current_build


def repairs(index: Index) -> list[Build]:
    return list(index.builds.filter(cause="damage").order_by("pk"))


def test_the_newest_sound_build_is_searched_and_a_new_one_asked_for(
    index: Index,
) -> None:
    first, second = build_all(index), build_all(index)
    flip(folder_of(second) / "body-0" / "vectors.faiss")

    found = damage.check_index(index=index)

    second.refresh_from_db()
    (repair,) = repairs(index)
    assert found == 1
    assert second.damage == "body-0/vectors.faiss is missing or altered"
    assert [event.text for event in second.events.filter(level="error")] == [
        "Damaged: body-0/vectors.faiss is missing or altered."
    ]
    assert current(index) == first
    assert (repair.status, repair.revision) == ("queued", second.revision)
    day = first.finished_at
    assert day is not None
    assert damage.damage_sentences([index.pk]) == {
        index.pk: f"shop: build {second.pk} is damaged: body-0/vectors.faiss is "
        f"missing or altered. Build {first.pk} of {day:%-d %b %Y} is searched "
        "instead; a new one is being made."
    }


def test_a_repaired_index_has_nothing_to_say(index: Index) -> None:
    build_all(index)
    second = build_all(index)
    flip(folder_of(second) / "lexical-0" / "body.txt")
    damage.check_index(index=index)

    (repair,) = repairs(index)
    repaired = services.finish_build(build=repair)

    assert repaired.status == "ready"
    assert current(index) == repaired
    assert damage.damage_sentences([index.pk]) == {}
    assert not folder_of(second).exists()


def test_a_repair_needs_no_source(index: Index, source: Path) -> None:
    build = build_all(index)
    flip(folder_of(build) / "lexical-0" / "body.txt")
    shutil.rmtree(source)

    damage.check_index(index=index)
    (repair,) = repairs(index)

    assert services.finish_build(build=repair).status == "ready"


def test_without_a_sound_build_nothing_is_searched(index: Index) -> None:
    builds = [build_all(index) for _ in range(2)]
    for build in builds:
        (folder_of(build) / "lexical-0" / "file_of.npy").unlink()

    damage.check_index(index=index)

    assert current(index) is None
    assert damage.damage_sentences([index.pk]) == {
        index.pk: f"shop: build {builds[1].pk} is damaged: lexical-0/file_of.npy is "
        "missing or altered. Nothing is searched of it; a new one is being made."
    }


def test_a_disk_that_damages_the_repair_too_is_left_to_people(index: Index) -> None:
    flip(folder_of(build_all(index)) / "lexical-0" / "body.txt")
    damage.check_index(index=index)
    (repair,) = repairs(index)
    services.finish_build(build=repair)
    flip(folder_of(repair) / "lexical-0" / "body.txt")

    damage.check_index(index=index)

    assert repairs(index) == [repair]
    assert current(index) is None
    assert "index it again." in damage.damage_sentences([index.pk])[index.pk]


def test_a_build_that_is_damaged_while_it_is_made_is_made_anew(index: Index) -> None:
    build = services.request_build(index=index, enqueue=False)
    while not build.layers.filter(kind="body").exists():
        services.advance_build(build_id=build.pk)
    flip(folder_of(build) / "body-0" / "vectors.faiss")

    ended = services.finish_build(build=build)

    (repair,) = repairs(index)
    assert (ended.status, ended.damage) == (
        "failed",
        "body-0/vectors.faiss is missing or altered",
    )
    assert services.finish_build(build=repair).status == "ready"
    assert current(index) == repair


def test_a_build_that_is_whole_again_is_searched_again(index: Index) -> None:
    build_all(index)
    second = build_all(index)
    path = folder_of(second) / "lexical-0" / "body.txt"
    flip(path)
    damage.check_index(index=index)
    flip(path)

    damage.check_index(index=index)

    second.refresh_from_db()
    assert second.damage == ""
    assert current(index) == second


def test_a_missing_disk_is_no_damage(index: Index, settings: Settings) -> None:
    build = build_all(index)
    settings.BUILDS_DIR = settings.BUILDS_DIR.with_name("elsewhere")

    damage.check_index(index=index)

    assert current(index) == build
    assert repairs(index) == []


def test_a_build_that_is_removed_while_it_is_hashed_is_not_damaged(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = build_all(index), build_all(index)
    Repository.objects.update(kept_builds=1)

    def late(folder: Path, checksums: Mapping[str, str]) -> None:
        removal.drop_old_builds(index=index)
        verify_layer(folder, checksums)

    monkeypatch.setattr(damage, "verify_layer", late)

    assert damage.check_index(index=index) == 0
    first.refresh_from_db()
    assert (folder_of(first).exists(), first.damage) == (False, "")


def test_a_damaged_build_stays_until_it_is_repaired(index: Index) -> None:
    first, second = build_all(index), build_all(index)
    flip(folder_of(second) / "lexical-0" / "body.txt")
    damage.check_index(index=index)

    removal.drop_old_builds(index=index)

    assert folder_of(first).exists()
    assert folder_of(second).exists()


def test_a_newer_commit_does_not_keep_a_repair_away(index: Index, source: Path) -> None:
    build = build_all(index)
    (source / "more.py").write_text("def more():\n    return 2\n")
    run_git(source, "add", "--all")
    run_git(source, "commit", "--quiet", "--message=Two")
    flip(folder_of(build) / "lexical-0" / "body.txt")

    damage.check_index(index=index)

    assert [repair.revision for repair in repairs(index)] == [build.revision]


def test_damage_names_a_few_files(tmp_path: Path) -> None:
    folder = tmp_path / "lexical-0"
    folder.mkdir()

    with pytest.raises(DamagedError) as found:
        verify_layer(folder, {f"{name}.npy": "0" for name in "abcde"})

    assert found.value.fault == (
        "lexical-0/a.npy, lexical-0/b.npy, lexical-0/c.npy and 2 more are missing or "
        "altered"
    )


def test_a_process_without_descriptors_has_found_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.npy").write_bytes(b"a")

    def fail(path: Path) -> str:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("indexer.pipeline.store.hash_file", fail)

    with pytest.raises(LayerError) as found:
        verify_layer(tmp_path, {"a.npy": "0"})

    assert not isinstance(found.value, DamagedError)
