"""Names, distances and upkeep of a mirror, with git itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from indexer.pipeline import refs
from indexer.pipeline.git import (
    find_entry,
    head_revision,
    pin_revision,
    snapshot_folder,
    update_mirror,
)
from indexer.pipeline.refs import (
    commits_between,
    newest_names,
    remove_stale_locks,
    tidy,
)
from tests.conftest import MakeRepository, run_git

HOUR = 3600


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository({"a.py": "one = 1\n"})


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    return tmp_path / "1.git"


def commit(source: Path, when: int) -> str:
    """Add a commit made `when` seconds after 1970; return its hash."""
    tree, parent = run_git(source, "rev-parse", "HEAD^{tree}", "HEAD").split()
    who = f"tests <tests@localhost> {when} +0000"
    raw = source / ".git" / "raw"
    raw.write_text(
        f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\n{when}\n"
    )
    made = run_git(source, "hash-object", "-t", "commit", "-w", str(raw)).strip()
    run_git(source, "reset", "--quiet", "--hard", made)
    return made


def fetch(source: Path, mirror: Path) -> str:
    update_mirror(str(source), mirror, protocols="file")
    return head_revision(mirror)


def test_names_come_newest_first_and_no_more_than_asked_for(
    source: Path, mirror: Path
) -> None:
    for name, when in (("v1", 100), ("b", 300), ("a", 300), ("v2", 200)):
        run_git(source, "tag", name, commit(source, when))
    commit(source, 400)
    run_git(source, "branch", "v1", "v2")
    fetch(source, mirror)

    assert newest_names(mirror, 9) == ["main", "a", "b", "v1", "v2"]
    assert newest_names(mirror, 2) == ["main", "a"]


def test_a_mirror_that_is_not_there_has_no_names(mirror: Path) -> None:
    assert newest_names(mirror, 9) == []


def test_the_distance_counts_what_the_older_commit_lacks(
    source: Path, mirror: Path
) -> None:
    first = run_git(source, "rev-parse", "HEAD").strip()
    commit(source, 100)
    commit(source, 200)
    newest = fetch(source, mirror)

    assert commits_between(mirror, first, newest) == 2
    assert commits_between(mirror, newest, newest) == 0
    assert commits_between(mirror, newest, first) is None
    assert commits_between(mirror, "0" * 40, newest) is None


def test_two_snapshots_of_a_folder_have_no_distance(
    tmp_path: Path, mirror: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.py").write_text("one = 1\n")
    first = snapshot_folder(folder, mirror)
    (folder / "a.py").write_text("one = 2\n")
    second = snapshot_folder(folder, mirror)

    assert first != second
    assert commits_between(mirror, first, second) is None


def test_many_fetches_are_packed_and_a_pinned_commit_stays(
    source: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fetch(source, mirror)
    pin_revision(mirror, first, "build-1")
    run_git(source, "commit", "--quiet", "--amend", "--message=Forced")
    for when in (100, 200, 300):
        commit(source, when)
        newest = fetch(source, mirror)
        run_git(mirror, "repack", "--quiet")  # As a fetch of many objects leaves it.
    packs = len(list(mirror.rglob("*.pack")))
    limit = ("gc.autoPackLimit=2", "gc.auto=6700", "gc.autoDetach=false")
    monkeypatch.setattr(refs, "_UPKEEP", limit)

    tidy(mirror)

    assert packs > 2
    assert len(list(mirror.rglob("*.pack"))) == 1
    for revision in (first, newest):
        assert find_entry(mirror, revision, b"a.py") is not None


def test_a_mirror_with_little_in_it_is_left_as_it_is(
    source: Path, mirror: Path
) -> None:
    fetch(source, mirror)
    before = sorted(mirror.rglob("*"))

    tidy(mirror)

    assert sorted(mirror.rglob("*")) == before


def test_the_lock_of_a_git_that_was_killed_stops_no_fetch(
    source: Path, mirror: Path
) -> None:
    fetch(source, mirror)
    newest = commit(source, 100)
    stale = [mirror / "HEAD.lock", mirror / "refs" / "heads" / "main.lock"]
    held = mirror / "packed-refs.lock"
    for path in (*stale, held):
        path.touch()
    for path in stale:
        os.utime(path, (path.stat().st_mtime - HOUR,) * 2)

    remove_stale_locks(mirror)

    assert [path.exists() for path in (*stale, held)] == [False, False, True]
    held.unlink()
    assert fetch(source, mirror) == newest
