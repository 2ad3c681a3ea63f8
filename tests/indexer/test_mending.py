"""A damaged mirror is fetched anew by the build that could not read it, once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from indexer import services
from indexer.mending import MENDED
from indexer.models import Build, Index, Repository
from indexer.pipeline import git, refs
from indexer.pipeline.git_command import LOCAL_PROTOCOL, UnreadBlobError
from indexer.places import mirror_of
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository({"money.py": "def pay(x):\n    return x\n"})


@pytest.fixture
def index(source: Path, encoder: WordEncoder) -> Index:
    return services.register(name="shop", source=str(source))


def build_all(index: Index, revision: str = "") -> Build:
    build = services.request_build(index=index, enqueue=False, revision=revision)
    return services.finish_build(build=build)


def damage_objects(mirror: Path) -> None:
    """Flip a bit in the middle of every object and pack."""
    for path in (mirror / "objects").rglob("*"):
        if path.is_file() and path.suffix != ".idx":
            path.chmod(0o644)
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)


def was_mended(build: Build) -> bool:
    return build.events.filter(text=MENDED).exists()


def test_a_build_goes_on_with_a_fresh_mirror(index: Index) -> None:
    first = build_all(index)
    mirror = mirror_of(index.repository)
    damage_objects(mirror)

    second = build_all(index, first.revision)

    assert (second.status, second.failure) == ("ready", "")
    assert was_mended(second)
    assert refs.is_sound(mirror)
    assert list(mirror.parent.glob(".*")) == []


def test_a_mirror_that_is_gone_is_fetched(index: Index) -> None:
    first = build_all(index)
    second = services.request_build(index=index, enqueue=False)
    Build.objects.filter(pk=second.pk).update(revision=first.revision)
    shutil.rmtree(mirror_of(index.repository))

    assert services.finish_build(build=second).status == "ready"


def test_without_its_source_the_build_fails_and_the_mirror_stays(
    index: Index, source: Path
) -> None:
    first = build_all(index)
    mirror = mirror_of(index.repository)
    damage_objects(mirror)
    shutil.rmtree(source)

    second = build_all(index, first.revision)

    assert second.status == "failed"
    assert not was_mended(second)
    assert (mirror / "HEAD").exists()


def test_a_mirror_is_mended_though_what_is_tracked_is_gone(index: Index) -> None:
    first = build_all(index)
    mirror = mirror_of(index.repository)
    damage_objects(mirror)
    Repository.objects.update(branch="gone")

    second = build_all(index, first.revision)

    assert (second.status, second.failure) == ("ready", "")
    assert list(mirror.parent.glob(".*")) == []


def test_a_mirror_is_fetched_anew_once_a_build(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_all(index)
    unread = UnreadBlobError("Blob 1 is missing from the mirror: fetch it again.")

    def fail(*_: object) -> None:
        raise unread

    monkeypatch.setattr(refs, "is_sound", lambda mirror: False)
    monkeypatch.setattr(git, "list_tree", fail)

    second = build_all(index)

    assert (second.status, second.failure) == ("failed", str(unread))
    assert second.events.filter(text=MENDED).count() == 1


def test_a_sound_mirror_is_left_alone(index: Index) -> None:
    build_all(index)

    second = build_all(index, "nowhere")

    assert second.status == "failed"
    assert not was_mended(second)


def test_pinned_commits_that_can_be_read_are_kept(
    index: Index, source: Path, tmp_path: Path
) -> None:
    first = build_all(index)
    (source / "money.py").write_text("def owe(x):\n    return -x\n")
    run_git(source, "commit", "--all", "--amend", "--quiet", "--message=Other")
    second = build_all(index)
    mirror, fresh = mirror_of(index.repository), tmp_path / "fresh.git"
    git.update_mirror(str(source), fresh, protocols=LOCAL_PROTOCOL)
    lost = mirror / git.PIN_PREFIX / f"build-{second.pk}"
    lost.write_text("0123456789" * 4 + "\n")

    copied = refs.copy_pins(mirror, fresh)

    assert copied == 1
    assert git.held_commit(fresh, first.revision) == first.revision
