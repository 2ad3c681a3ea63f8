"""A file can be opened at its host and in an editor, by addresses that do no more."""

from __future__ import annotations

import pytest

from indexer.pipeline.hosts import (
    check_editor_template,
    check_host_template,
    check_root,
    fill_template,
    known_template,
    path_below,
)

GITHUB = "https://github.com/team/shop/blob/{revision}/{path}#L{line}"


@pytest.mark.parametrize(
    ("source", "template"),
    [
        ("https://github.com/team/shop.git", GITHUB),
        ("https://github.com/team/shop/", GITHUB),
        ("https://user:token@github.com/team/shop", GITHUB),
        ("git@github.com:team/shop.git", GITHUB),
        ("ssh://git@github.com/team/shop.git", GITHUB),
        ("ssh://git@ssh.github.com:443/team/shop.git", GITHUB),
        (
            "git@gitlab.example.org:group/below/shop.git",
            "https://gitlab.example.org/group/below/shop"
            "/-/blob/{revision}/{path}#L{line}",
        ),
        (
            "https://gitlab.example.org:8443/group/shop.git",
            "https://gitlab.example.org:8443/group/shop"
            "/-/blob/{revision}/{path}#L{line}",
        ),
        (
            "https://codeberg.org/team/shop.git",
            "https://codeberg.org/team/shop/src/commit/{revision}/{path}#L{line}",
        ),
        (
            "ssh://git@forgejo.example.org:2222/team/shop.git",
            "https://forgejo.example.org/team/shop/src/commit/{revision}/{path}#L{line}",
        ),
        (
            "git@bitbucket.org:team/shop.git",
            "https://bitbucket.org/team/shop/src/{revision}/{path}#lines-{line}",
        ),
        (
            "https://git.sr.ht/~mia/shop",
            "https://git.sr.ht/~mia/shop/tree/{revision}/item/{path}#L{line}",
        ),
        (
            'https://github.com/team/a"b{path}',
            "https://github.com/team/a%22b%7Bpath%7D/blob/{revision}/{path}#L{line}",
        ),
    ],
)
def test_known_hosts_are_told_from_the_source(source: str, template: str) -> None:
    assert known_template(source) == template
    check_host_template(template)


@pytest.mark.parametrize(
    "source",
    [
        "https://example.org/team/shop.git",
        "https://mygithub.example.org/team/shop",
        "http://github.com/team/shop",
        "https://github.com/shop",
        "/srv/github.com/team/shop",
        "https://github.com:x/team/shop",
        "",
    ],
)
def test_other_sources_have_no_address(source: str) -> None:
    assert known_template(source) == ""


@pytest.mark.parametrize(
    "template",
    ["", "none", "https://git.example.org/shop?p={path}&id={revision}#l{line}"],
)
def test_an_address_of_a_host_is_accepted(template: str) -> None:
    check_host_template(template)


@pytest.mark.parametrize(
    "template",
    [
        "http://git.example.org/{path}",
        "javascript:alert('{path}')",
        "javascript://host/%0Aalert(1){path}",
        "//git.example.org/{path}",
        "https:///{path}",
        "https://{path}.example.org/{path}",
        "https://user:word@git.example.org/{path}",
        "https://git.example.org/{path}/{host}",
        "https://git.example.org/{path",
        "https://git.example.org/",
        "https://git.example.org/ {path}",
        'https://git.example.org/"{path}',
        "https://git.example.org\\{path}",
    ],
)
def test_what_is_no_address_of_a_host_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        check_host_template(template)


@pytest.mark.parametrize(
    "template",
    ["vscode://file/{path}:{line}", "idea://open?file={path}&line={line}"],
)
def test_the_address_of_an_editor_is_accepted(template: str) -> None:
    check_editor_template(template)


@pytest.mark.parametrize(
    "template",
    ["javascript:alert({path})", "file://{path}", "https://x/{path}", "vscode://file/"],
)
def test_what_is_no_address_of_an_editor_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        check_editor_template(template)


def test_a_path_stays_a_path_in_an_address() -> None:
    path = "a%23b/%7Bline%7D/c%20%22d.py"

    url = fill_template(GITHUB, path=path, revision="abc", repository="shop")

    assert url == f"https://github.com/team/shop/blob/abc/{path}#L{{line}}"


@pytest.mark.parametrize(
    ("root", "path"),
    [
        ("/home/me/my src/", "/home/me/my%20src/a/b.py"),
        ("C:\\src\\shop", "C:/src/shop/a/b.py"),
        ("/", "/a/b.py"),
    ],
)
def test_a_folder_of_any_system_leads_to_the_file(root: str, path: str) -> None:
    check_root(root)

    assert path_below(root, "a/b.py") == path


@pytest.mark.parametrize("root", ["src/shop", "~/shop", "/a\nb", "javascript:x"])
def test_what_is_no_absolute_folder_is_refused(root: str) -> None:
    with pytest.raises(ValueError, match="absolute folder"):
        check_root(root)
