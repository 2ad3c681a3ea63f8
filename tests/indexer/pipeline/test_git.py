"""Git is run on our mirrors only, and every failure is one plain sentence."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from indexer.pipeline.git import (
    commit_date,
    find_entry,
    head_revision,
    list_tree,
    pin_revision,
    resolve_revision,
    snapshot_folder,
    update_mirror,
)
from indexer.pipeline.git_command import GitError
from indexer.pipeline.sources import plain_address

IDENTITY = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_COMMITTER_DATE": "2024-05-06T07:08:09+0200",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(  # noqa: S603
        ["git", "-C", str(folder), *arguments],  # noqa: S607
        check=True,
        capture_output=True,
        env={"PATH": os.environ["PATH"], **IDENTITY},
    )
    return done.stdout.decode().strip()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=trunk")
    (folder / "app.py").write_text("x = 1\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "one")
    return folder


@pytest.fixture
def mirror(tmp_path: Path, work: Path) -> Path:
    update_mirror(str(work), tmp_path / "mirror", protocols="file")
    return tmp_path / "mirror"


def test_an_entry_is_found_by_the_bytes_of_its_path(work: Path, mirror: Path) -> None:
    revision = head_revision(mirror)

    found = find_entry(mirror, revision, b"app.py")

    assert found is not None
    assert (found.path, found.size) == (b"app.py", 6)
    assert find_entry(mirror, revision, b"app") is None


def test_no_entry_has_a_path_with_a_nul(mirror: Path) -> None:
    assert find_entry(mirror, head_revision(mirror), b"app\0.py") is None


def change(work: Path, text: str = "x = 2\n") -> str:
    (work / "app.py").write_text(text)
    git(work, "commit", "--quiet", "-am", "change")
    return git(work, "rev-parse", "HEAD")


def test_a_mirror_has_the_default_branch_of_its_repository(
    work: Path, mirror: Path
) -> None:
    assert head_revision(mirror) == git(work, "rev-parse", "HEAD")
    assert resolve_revision(mirror, "trunk") == head_revision(mirror)


def test_an_update_brings_new_commits(work: Path, mirror: Path) -> None:
    revision = change(work)

    update_mirror(str(work), mirror, protocols="file")

    assert head_revision(mirror) == revision


def test_an_update_follows_a_forced_branch(work: Path, mirror: Path) -> None:
    git(work, "commit", "--quiet", "--amend", "-m", "other")

    update_mirror(str(work), mirror, protocols="file")

    assert head_revision(mirror) == git(work, "rev-parse", "HEAD")


def test_an_update_follows_a_renamed_default_branch(work: Path, mirror: Path) -> None:
    git(work, "branch", "-m", "trunk", "main")

    update_mirror(str(work), mirror, protocols="file")

    assert head_revision(mirror) == git(work, "rev-parse", "main")
    with pytest.raises(GitError, match="no branch, tag or commit 'trunk'"):
        resolve_revision(mirror, "trunk")


def test_an_update_follows_a_detached_head(work: Path, mirror: Path) -> None:
    git(work, "checkout", "--quiet", "--detach")
    revision = change(work)

    update_mirror(str(work), mirror, protocols="file")

    assert head_revision(mirror) == revision


def test_a_pin_outlives_the_branch_it_was_on(work: Path, mirror: Path) -> None:
    before = head_revision(mirror)
    pin_revision(mirror, before, "build-7")
    git(work, "commit", "--quiet", "--amend", "-m", "other")

    update_mirror(str(work), mirror, protocols="file")

    assert resolve_revision(mirror, "refs/codesearch/build-7") == before


def test_a_failed_clone_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="there is no repository"):
        update_mirror(str(tmp_path / "none"), tmp_path / "m", protocols="file")

    assert list(tmp_path.iterdir()) == []


def test_a_repository_without_commits_says_so(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")

    with pytest.raises(GitError, match="has no commits yet"):
        snapshot_folder(tmp_path, tmp_path / "mirror")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc",
        "/etc",
        "ext::sh -c id",
        "http://example.org/x",
        "--upload-pack=id",
        "git://example.org/x",
        "-oProxyCommand=id@host:x",
    ],
)
def test_other_addresses_than_https_and_ssh_are_refused(
    url: str, tmp_path: Path
) -> None:
    with pytest.raises(GitError, match="only https and ssh"):
        update_mirror(url, tmp_path / "mirror")


def test_an_error_does_not_tell_the_credentials(tmp_path: Path) -> None:
    with pytest.raises(GitError) as caught:
        update_mirror("https://me:secret@localhost:1/x.git", tmp_path / "mirror")

    assert "secret" not in str(caught.value)
    assert "localhost" in str(caught.value)


def test_a_plain_address_has_no_user_and_no_query() -> None:
    assert plain_address("https://u:p@h.org/r.git?token=1") == "https://h.org/r.git"


@pytest.mark.parametrize("name", ["--all", "a..b", "HEAD~1", "x:y", "", "a b", "@{1}"])
def test_a_name_that_no_branch_can_have_is_not_looked_up(
    name: str, mirror: Path
) -> None:
    with pytest.raises(GitError, match="no branch, tag or commit"):
        resolve_revision(mirror, name)


def test_a_tag_and_a_short_hash_are_resolved_to_the_commit(
    work: Path, mirror: Path
) -> None:
    git(work, "tag", "-a", "v1", "-m", "one")
    update_mirror(str(work), mirror, protocols="file")
    revision = git(work, "rev-parse", "HEAD")

    assert resolve_revision(mirror, "v1") == revision
    assert resolve_revision(mirror, revision[:8]) == revision


def test_a_tree_is_listed_by_path_bytes_with_links_and_odd_names(
    work: Path, mirror: Path
) -> None:
    (work / "Z.py").write_text("")
    (work / "tab\tand\nline.py").write_text("y\n")
    (work / "link").symlink_to("/etc/passwd")
    Path(os.fsdecode(bytes(work) + b"/\xff.py")).write_text("z\n")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "-m", "more")
    update_mirror(str(work), mirror, protocols="file")

    entries = list_tree(mirror, head_revision(mirror))

    assert [(entry.path, entry.mode, entry.size) for entry in entries] == [
        (b"Z.py", "100644", 0),
        (b"app.py", "100644", 6),
        (b"link", "120000", 11),
        (b"tab\tand\nline.py", "100644", 2),
        (b"\xff.py", "100644", 2),
    ]


def test_a_commit_has_a_date_in_utc(mirror: Path) -> None:
    date = commit_date(mirror, head_revision(mirror))

    assert date == datetime(2024, 5, 6, 5, 8, 9, tzinfo=UTC)


def test_a_branch_is_no_revision_for_the_readers(mirror: Path) -> None:
    with pytest.raises(GitError, match="resolve it first"):
        list_tree(mirror, "trunk")


def test_a_repository_folder_gives_its_committed_files_only(
    work: Path, tmp_path: Path
) -> None:
    (work / "app.py").write_text("changed, not committed\n")

    revision = snapshot_folder(work, tmp_path / "mirror")

    assert revision == git(work, "rev-parse", "HEAD")


def test_equal_content_gives_an_equal_revision(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        folder.mkdir(parents=True)
        (folder / "x.py").write_text("x = 1\n")

    revisions = [
        snapshot_folder(folder, tmp_path / f"mirror{number}")
        for number, folder in enumerate([first, second, first])
    ]

    assert len(set(revisions)) == 1


def test_a_snapshot_keeps_bytes_and_leaves_out_caches(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "x.pyc").write_bytes(b"\0")
    (folder / "x.py").write_bytes(b"a\r\nb\r\n")
    (folder / ".gitattributes").write_text("* text=auto eol=lf\n*.py filter=evil\n")
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "y.log").write_text("noise\n")
    mirror = tmp_path / "mirror"

    revision = snapshot_folder(folder, mirror)

    assert [(entry.path, entry.size) for entry in list_tree(mirror, revision)] == [
        (b".gitattributes", 36),
        (b".gitignore", 6),
        (b"x.py", 6),
    ]
    assert head_revision(mirror) == revision
    assert not (folder / ".git").exists()


def test_a_second_snapshot_sees_what_was_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "x.py").write_text("x\n")
    (folder / "y.py").write_text("y\n")
    snapshot_folder(folder, tmp_path / "mirror")
    (folder / "y.py").unlink()

    revision = snapshot_folder(folder, tmp_path / "mirror")

    assert [e.path for e in list_tree(tmp_path / "mirror", revision)] == [b"x.py"]


def test_an_empty_folder_and_a_missing_one_are_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    with pytest.raises(GitError, match="is empty"):
        snapshot_folder(tmp_path / "empty", tmp_path / "mirror")
    with pytest.raises(GitError, match="There is no folder"):
        snapshot_folder(tmp_path / "none", tmp_path / "mirror")
    assert not (tmp_path / "mirror").exists()


def test_the_environment_of_the_caller_has_no_say(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "x")

    update_mirror(str(work), tmp_path / "mirror", protocols="file")

    assert head_revision(tmp_path / "mirror")
