"""A source is a Git URL or an allowed folder; anything else gets its sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.pipeline.sources import check_branch, check_source


@pytest.mark.parametrize(
    "source",
    [
        "https://example.org/team/project.git",
        "https://example.org:8443/project",
        "https://8.8.8.8/project",
        "ssh://git@example.org/project",
        "ssh://git@example.org:2222/~team/project",
        "git@example.org:team/project.git",
    ],
)
def test_a_git_url_is_accepted(source: str) -> None:
    assert check_source(source, []) == "git"


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("", "Enter a Git URL or the absolute path"),
        ("  ", "Enter a Git URL or the absolute path"),
        ("http://example.org/x", "use https://"),
        ("file:///srv/x", "file:// is not allowed"),
        ("FILE:///srv/x", "file:// is not allowed"),
        ("git://example.org/x", "git:// is not supported"),
        ("ftp://example.org/x", "ftp:// is not supported"),
        ("ext::sh -c id", "no spaces"),
        ("ext::id", "transport helpers"),
        ("-uid", "does not start with a dash"),
        ("--upload-pack=id", "does not start with a dash"),
        ("https://me:secret@example.org/x", "out of the URL"),
        ("https://token@example.org/x", "out of the URL"),
        ("ssh://git:secret@example.org/x", "out of the URL"),
        ("ssh://-oProxyCommand=id@example.org/x", "user name in the URL"),
        ("https://example.org/x?token=secret", "from ? or #"),
        ("https://example.org/x#main", "from ? or #"),
        ("https:///x", "names no host"),
        ("https://example.org", "names no repository"),
        ("https://example.org:99999/x", "not a URL"),
        ("ssh://-oProxyCommand=id/x", "not a host name"),
        ("git@-oProxyCommand=id:x", "Enter a Git URL (https"),
        ("git@example.org:-x", "Enter a Git URL (https"),
        ("git@example.org://x", "Enter a Git URL (https"),
        ("example.org:x", "Enter a Git URL (https"),
        ("relative/folder", "Enter a Git URL (https"),
        ("https://exa mple.org/x", "no spaces"),
        ("https://example.org/x\nfile:///etc", "no spaces"),
        ("/srv/x\x00y", "no line breaks"),
        ("https://localhost/x", "this machine or a private address"),
        ("https://LOCALHOST./x", "this machine or a private address"),
        ("https://git.localhost/x", "this machine or a private address"),
        ("https://127.0.0.1/x", "this machine or a private address"),
        ("https://127.1/x", "this machine or a private address"),
        ("https://2130706433/x", "this machine or a private address"),
        ("https://0x7f000001/x", "this machine or a private address"),
        ("https://10.0.0.5/x", "this machine or a private address"),
        ("https://192.168.1.1/x", "this machine or a private address"),
        ("https://169.254.169.254/x", "this machine or a private address"),
        ("https://100.64.0.1/x", "this machine or a private address"),
        ("https://224.0.0.1/x", "this machine or a private address"),
        ("https://[::1]/x", "this machine or a private address"),
        ("https://[fe80::1]/x", "this machine or a private address"),
        ("https://[::ffff:127.0.0.1]/x", "this machine or a private address"),
        ("git@127.0.0.1:x", "this machine or a private address"),
    ],
)
def test_a_bad_source_is_refused_with_its_sentence(source: str, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is below
        check_source(source, [])

    assert sentence in str(caught.value)


def test_a_sentence_never_repeats_a_secret() -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is below
        check_source("https://me:hunter2@example.org/x", [])

    assert "hunter2" not in str(caught.value)


def test_a_folder_below_a_root_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)

    assert check_source(str(tmp_path / "a" / "b"), [tmp_path / "a"]) == "folder"


def test_a_folder_beside_the_root_is_refused_also_by_dots(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "ab").mkdir()

    for folder in (f"{tmp_path}/ab", f"{tmp_path}/a/../ab"):
        with pytest.raises(ValueError, match="is not below an allowed folder"):
            check_source(folder, [tmp_path / "a"])


def test_a_link_out_of_the_root_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "a" / "link").symlink_to(tmp_path / "secret")

    with pytest.raises(ValueError, match="is not below an allowed folder"):
        check_source(f"{tmp_path}/a/link", [tmp_path / "a"])


def test_a_root_may_itself_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real" / "x").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert check_source(f"{tmp_path}/link/x", [tmp_path / "link"]) == "folder"


def test_without_roots_the_sentence_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="set CODESEARCH_ROOTS"):
        check_source(str(tmp_path), [])


def test_a_missing_folder_and_a_file_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(ValueError, match="does not exist"):
        check_source(f"{tmp_path}/missing", [tmp_path])
    with pytest.raises(ValueError, match="is not a folder"):
        check_source(f"{tmp_path}/file", [tmp_path])


def test_the_command_line_may_use_any_folder_and_host(tmp_path: Path) -> None:
    assert check_source(str(tmp_path), None) == "folder"
    assert check_source("https://10.0.0.5/x", None) == "git"


@pytest.mark.parametrize("branch", ["", "main", "release/1.2", "feature_x-y"])
def test_a_branch_name_is_accepted(branch: str) -> None:
    check_branch(branch)


@pytest.mark.parametrize(
    "branch", ["-x", "a b", "a..b", "a^", "a:b", "a\nb", "/a", "a/", "a.lock", "@{1}"]
)
def test_what_git_does_not_take_as_a_branch_is_refused(branch: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name of a branch"):
        check_branch(branch)
