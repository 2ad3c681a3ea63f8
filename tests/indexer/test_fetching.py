"""A build fetches what was asked for, pins it, and says what the source holds now."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from indexer import services
from indexer.errors import IndexingError
from indexer.fetching import locked
from indexer.models import Build, Index, Repository
from indexer.pipeline import git
from indexer.places import mirror_of
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository({"money.py": "def pay():\n    return 1\n"})


@pytest.fixture
def index(source: Path, encoder: WordEncoder) -> Index:
    return services.register(name="shop", source=str(source))


def commit(source: Path, text: str) -> str:
    """Change the only file; return the new commit."""
    (source / "money.py").write_text(f"def {text}():\n    return 1\n")
    run_git(source, "commit", "--quiet", "--all", f"--message={text}")
    return run_git(source, "rev-parse", "HEAD").strip()


def build(index: Index, revision: str = "") -> Build:
    return services.finish_build(
        build=services.request_build(index=index, enqueue=False, revision=revision)
    )


def test_a_build_records_what_the_source_held(index: Index, source: Path) -> None:
    revision = run_git(source, "rev-parse", "HEAD").strip()

    build(index)

    repository = Repository.objects.get()
    assert repository.fetched_revision == revision
    assert repository.fetched_at is not None
    assert repository.fetch_failure == ""


@pytest.mark.parametrize("wanted", ["v1", "old", "first"])
def test_a_tag_a_branch_or_a_commit_is_built_when_asked_for(
    index: Index, source: Path, wanted: str
) -> None:
    first = run_git(source, "rev-parse", "HEAD").strip()
    run_git(source, "tag", "v1")
    run_git(source, "branch", "old")
    newest = commit(source, "refund")

    made = build(index, first[:10] if wanted == "first" else wanted)

    index.refresh_from_db()
    assert made.revision == first
    assert index.current_build == made
    assert Repository.objects.get().fetched_revision == newest


def test_a_revision_that_is_not_there_fails_and_leaves_the_current_build(
    index: Index,
) -> None:
    before = build(index)

    failed = build(index, "v9")

    index.refresh_from_db()
    assert failed.status == "failed"
    assert failed.failure == (
        "There is no branch, tag or commit 'v9': fetch again or check the name."
    )
    assert index.current_build == before


def test_what_cannot_be_a_name_is_refused_at_once(index: Index) -> None:
    with pytest.raises(IndexingError, match="cannot be the name of a branch, a tag"):
        services.request_build(index=index, revision="--upload-pack=x")

    assert not index.builds.exists()


def test_a_tracked_branch_that_is_gone_hinders_no_build_of_another(
    index: Index, source: Path
) -> None:
    Repository.objects.update(branch="gone")

    made = build(Index.objects.get(), "main")

    assert made.status == "ready"
    assert Repository.objects.get().fetch_failure == (
        "There is no branch, tag or commit 'gone': fetch again or check the name."
    )


def test_a_commit_of_the_mirror_is_built_though_the_source_is_gone(
    index: Index, source: Path
) -> None:
    first = build(index).revision
    shutil.rmtree(source)

    again = build(index, first)
    failed = build(index)

    assert (again.status, again.revision) == ("ready", first)
    assert failed.failure == f"There is no folder {str(source)!r}: check the path."
    assert Repository.objects.get().fetch_failure == failed.failure
    assert Repository.objects.get().fetched_revision == first


def test_an_active_build_of_another_revision_is_replaced(index: Index) -> None:
    first = services.request_build(index=index, enqueue=False)

    second = services.request_build(index=index, enqueue=False, revision="v1")
    same = services.request_build(index=index, enqueue=False, revision="v1")

    first.refresh_from_db()
    assert first.status == "cancelled"
    assert (second.status, second.wanted) == ("queued", "v1")
    assert same == second


def test_a_build_says_why_it_was_asked_for(index: Index) -> None:
    made = services.request_build(
        index=index, enqueue=False, cause=Build.Cause.SCHEDULE
    )

    assert Build.objects.get(pk=made.pk).cause == "schedule"


def test_a_pinned_commit_outlives_its_branch_a_prune_and_a_collection(
    index: Index, source: Path
) -> None:
    run_git(source, "checkout", "--quiet", "-b", "side")
    lost = commit(source, "gift")
    made = build(index, "side")
    run_git(source, "checkout", "--quiet", "main")
    run_git(source, "branch", "-D", "side")
    run_git(source, "commit", "--quiet", "--amend", "--message=Forced")

    later = build(index)
    mirror = mirror_of(index.repository)
    run_git(mirror, "reflog", "expire", "--expire=now", "--all")
    run_git(mirror, "gc", "--quiet", "--prune=now")

    assert made.revision == lost
    assert later.revision == run_git(source, "rev-parse", "main").strip()
    assert run_git(mirror, "for-each-ref", "refs/heads/side") == ""
    for revision in (lost, later.revision):
        entry = git.find_entry(mirror, revision, b"money.py")
        assert entry is not None
        assert run_git(mirror, "cat-file", "-t", entry.oid) == "blob\n"


def test_two_never_fetch_into_one_mirror_at_a_time(tmp_path: Path) -> None:
    mirror = tmp_path / "mirrors" / "1.git"

    with locked(mirror), pytest.raises(BlockingIOError), locked(mirror, wait=False):
        pass

    with locked(mirror, wait=False):
        pass
