"""The cases of `tests/cases/web` about Git addresses and what comes from them.

With real git, and servers of loopback that behave badly.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.test import Client

from indexer import services
from indexer.errors import IndexingError
from indexer.models import Build, BuildEvent, Profile, Repository
from indexer.pipeline import git, git_command
from indexer.pipeline.git_command import GitError
from indexer.places import mirror_of
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder
from tests.web_cases import CASES, quoted, values

SAID = "\x1b[31mred\x1b[0m \x1b]0;title\x07\x9bremote\x08"

pytestmark = pytest.mark.django_db


def build_of(name: str, source: str) -> Build:
    """Index a source as a worker does; a failure is told, not raised."""
    index = services.register(name=name, source=source)
    build = services.request_build(index=index, enqueue=False)
    with suppress(IndexingError):
        services.finish_build(build=build)
    build.refresh_from_db()
    return build


def new(**changes: str) -> dict[str, object]:
    profile = Profile.objects.get(name="symbol").pk
    source = "https://example.org/x.git"
    known = {"name": "x", "source": source, "branch": "", "visibility": "public"}
    return {**known, "profile": profile, **changes}


def test_ansi_of_a_remote_is_stripped_wherever_a_failure_is_told(
    client: Client, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = tmp_path / "git"  # In place of git, which a remote made say this.
    stand_in.write_text(
        "#!/bin/sh\ncase $* in *init*) exit;; esac\n"
        f"printf 'remote: {SAID}\\nfatal: {SAID}' >&2\nexit 128\n"
    )
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    build = build_of("x", "https://example.org/x.git")

    assert build.status == Build.Status.FAILED
    pages = ["/jobs/", f"/jobs/{build.pk}/", "/r/x/", "/repositories/"]
    told = [client.get(one).content.decode() for one in pages]
    told += [build.failure, *BuildEvent.objects.values_list("text", flat=True)]
    assert "red" in build.failure
    assert all(c not in text for text in told for c in "\x1b\x07\x08\x9b")


def test_giturl_opt_starts_nothing(
    admin: Client, data_dir: Path, make_repository: MakeRepository
) -> None:
    odd = values("giturl-opt")
    names = [part for text in odd[2:] for part in quoted("giturl-opt") if part in text]
    mirror = data_dir / "mirror"
    git.snapshot_folder(make_repository({"a.py": "a = 1\n"}), mirror)

    assert odd[:2] == ["--upload-pack=touch /tmp/x", "-oProxyCommand=..."]
    assert names == ["--output=x", "HEAD^{/regex}"]
    for source in (*odd[:2], "ext::sh -c id", "git@-oProxyCommand=x:y"):
        assert admin.post("/repositories/add/", new(source=source)).status_code == 400
        with pytest.raises(GitError):
            git.update_mirror(source, data_dir / "none")
    for name in names:
        assert admin.post("/repositories/add/", new(branch=name)).status_code == 400
        with pytest.raises(git.NoRevisionError):
            git.resolve_revision(mirror, name)
    assert not Repository.objects.exists()
    assert not Path("/tmp/x").exists()  # noqa: S108 - what the case would make
    assert not (data_dir / "none").exists()


def test_giturl_cred_is_kept_and_told_nowhere(
    admin: Client, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = CASES["giturl-cred"]["input"]

    for one in (source, source.replace("host", "example.org")):
        answer = admin.post("/repositories/add/", new(source=one))
        assert answer.status_code == 400
        assert "user:token" not in answer.content.decode()
        assert "Leave the user name, password or token out" in answer.content.decode()
        with pytest.raises(GitError) as failure:
            git_command.run_git(
                ["ls-remote", "--", one], None, protocols="https", address=one
            )
        assert "token" not in str(failure.value)
    assert not Repository.objects.exists()
    assert "user:token" not in caplog.text


def test_giturl_cred_of_a_mirror_is_in_no_file_of_it(
    data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> None:
    source = str(make_repository({"a.py": "a = 1\n"}))

    build = build_of("x", source)

    mirror = mirror_of(build.index.repository)
    assert source not in (mirror / "config").read_text()
    assert run_git(mirror, "remote") == ""


@pytest.fixture
def silent_host() -> Iterator[str]:
    """A host that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_giturl_bomb_a_host_that_never_answers_is_given_up(
    data_dir: Path, silent_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "NETWORK_TIMEOUT", 1.0)

    build = build_of("x", f"https://{silent_host}/x.git")

    assert build.status == Build.Status.FAILED
    assert "took longer than 1 seconds" in build.failure


def import_into(folder: Path, stream: bytes) -> None:
    """Make a repository of what `git fast-import` reads."""
    folder.mkdir()
    run_git(folder, "init", "--quiet", "--initial-branch=main")
    subprocess.run(  # noqa: S603 - a list, no shell
        ["git", "fast-import", "--quiet"],  # noqa: S607 - git is wherever it is
        cwd=folder,
        input=stream,
        check=True,
    )


COMMIT = b"commit refs/heads/main\ncommitter a <a@b> 0 +0000\ndata 1\nx\n"
BLOB = b"data 6\na = 1\n\n"


def test_giturl_bomb_of_a_path_or_a_file_leaves_the_rest_searchable(
    data_dir: Path, encoder: WordEncoder, tmp_path: Path, client: Client
) -> None:
    long = b"/".join([b"d" * 199] * 20) + b"/a.py"  # 4,000 characters.
    deep = b"/".join([b"e"] * 1000) + b"/a.py"
    large = b"data 16777216\n" + b"x=1\n" * (1 << 22) + b"\n"  # 16 MB in 16 kB.
    files = [(b"a.py", BLOB), (long, BLOB), (deep, BLOB), (b"bomb.py", large)]
    parts = [b"M 100644 inline " + path + b"\n" + data for path, data in files]
    import_into(tmp_path / "source", COMMIT + b"".join(parts))

    build = build_of("x", str(tmp_path / "source"))

    assert build.status == Build.Status.READY
    outcomes = dict(build.files.values_list("path", "reason"))
    assert outcomes["a.py"] == ""
    assert outcomes["bomb.py"] == "too_large"
    assert len(outcomes) == 4
    for path in (long, deep):
        address = f"/r/x/blob/{build.revision}/{path.decode()}"
        assert client.get(address).status_code == 200


def test_giturl_bomb_of_folders_in_folders_is_refused_with_the_reason(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten folders of ten equal folders each, and so on: 10,000,000,000 files."""
    source = tmp_path / "source"
    import_into(source, COMMIT + b"M 100644 inline f\n" + BLOB)
    entry = run_git(source, "ls-tree", "main").split()
    mode, kind, oid = entry[0], entry[1], entry[2]
    for _ in range(10):
        rows = "".join(f"{mode} {kind} {oid}\t{name}\n" for name in "abcdefghij")
        made = subprocess.run(
            ["git", "mktree"],  # noqa: S607 - git is wherever it is
            cwd=source,
            input=rows,
            capture_output=True,
            check=True,
            text=True,
        )
        mode, kind, oid = "040000", "tree", made.stdout.strip()
    commit = run_git(source, "commit-tree", "-m", "bomb", oid).strip()
    run_git(source, "update-ref", "refs/heads/main", commit)
    monkeypatch.setattr(git, "MOST_FILES", 50_000)

    build = build_of("x", str(source))

    assert build.status == Build.Status.FAILED
    assert "it has more than 50,000 files" in build.failure


def test_giturl_bomb_of_refs_is_refused_with_the_reason(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source"
    import_into(source, COMMIT + b"M 100644 inline f\n" + BLOB)
    oid = run_git(source, "rev-parse", "main").strip()
    packed = "".join(f"{oid} refs/heads/b{n:06}\n" for n in range(100_000))
    (source / ".git/packed-refs").write_text(
        f"# pack-refs with: peeled fully-peeled sorted\n{packed}"
    )

    build = build_of("x", str(source))

    assert build.status == Build.Status.FAILED
    assert "it has more than 100,000 branches and tags" in build.failure
    assert not mirror_of(build.index.repository).exists()
