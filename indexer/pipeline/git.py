"""Git: what our own bare mirrors hold, and how they come to hold it.

A user's work tree is never read through git's porcelain: a folder that is a
repository is fetched from, any other folder is hashed into a mirror of ours.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from indexer.pipeline.git_command import (
    LITERAL,
    LOCAL_PROTOCOL,
    NETWORK_TIMEOUT,
    CommandError,
    GitError,
    run_git,
)
from indexer.pipeline.sources import BAD_BRANCH, SCHEMES, SHORT_SSH, plain_address
from indexer.pipeline.types import TreeEntry

REMOTE_PROTOCOLS = ":".join(SCHEMES)

# A few kilobytes can name ten thousand million files, in folders of equal folders.
MOST_FILES = 500_000  # Chromium has 400,000.
MOST_REFS = 100_000  # Branches and tags; a fetch writes a file for each.

# What a folder that is not a repository holds but nobody wrote by hand. The
# folder's own .gitignore files are honoured besides.
FOLDER_EXCLUDES = (
    "__pycache__/",
    "*.pyc",
    ".git/",
    ".hg/",
    ".svn/",
    ".venv/",
    "venv/",
    "node_modules/",
    ".mypy_cache/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".tox/",
    ".nox/",
    ".eggs/",
    "*.egg-info/",
    ".gradle/",
    ".idea/",
    ".DS_Store",
)

PIN_PREFIX = "refs/codesearch/"
FOLDER = "040000"  # The mode of a folder in a tree.
_DEFAULT_BRANCHES = ("refs/heads/main", "refs/heads/master")
_FULL_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REMOTE_HEAD = "refs/remotes/origin/HEAD"
_FETCH_OPTIONS = (
    "--quiet",
    "--prune",
    "--no-tags",
    "--update-shallow",  # a shallow repository of this machine may be indexed too
    "--no-write-fetch-head",
    "--no-recurse-submodules",
)
# Branches and tags only: `refs/*` would bring every pull request of a forge, and
# pruning it would take our pins away.
_FETCHED = ("refs/heads/*", "refs/tags/*")
_REFSPECS = tuple(f"+{names}:{names}" for names in _FETCHED)

# A snapshot's commit has no date of its own: equal content, equal revision.
_SNAPSHOT_DATE = datetime(2000, 1, 1, tzinfo=UTC)
_SNAPSHOT_IDENTITY = {
    f"GIT_{who}_{key}": value
    for who in ("AUTHOR", "COMMITTER")
    for key, value in (
        ("NAME", "codesearch"),
        ("EMAIL", "codesearch@localhost"),
        ("DATE", _SNAPSHOT_DATE.isoformat()),
    )
}


class NoRevisionError(GitError):
    """The mirror could be read, but holds no commit under the name that was asked."""


def update_mirror(url: str, mirror: Path, *, protocols: str = REMOTE_PROTOCOLS) -> None:
    """Make `mirror` hold the branches, tags and HEAD that `url` has now.

    A missing mirror is made under a temporary name and renamed when complete.
    Branches that are gone are pruned, forced ones replaced; pins stay. Raises
    GitError when the address is of another protocol or cannot be read.
    """
    _check_address(url, protocols)
    if mirror.exists():
        _fetch(url, mirror, protocols)
        return
    with _NewMirror(mirror) as fresh:
        _fetch(url, fresh.path, protocols)
        fresh.publish()


def snapshot_folder(folder: Path, mirror: Path) -> str:
    """Return the commit in `mirror` that holds the content of `folder`.

    A repository (work tree or bare) gives its own HEAD commit: committed files
    only. Any other folder becomes a commit without parent, author or date of its
    own. Raises GitError when there is nothing to read.
    """
    if not folder.is_dir():
        raise GitError(f"There is no folder {str(folder)!r}: check the path.")
    if _is_repository(folder):
        update_mirror(str(folder.resolve()), mirror, protocols=LOCAL_PROTOCOL)
        return head_revision(mirror)
    if mirror.exists():
        return _commit_folder(folder, mirror)
    with _NewMirror(mirror) as fresh:
        revision = _commit_folder(folder, fresh.path)
        fresh.publish()
    return revision


def head_revision(mirror: Path) -> str:
    """Return the full hash of the commit that HEAD names.

    Where HEAD names no commit: main, else master, else the only branch.
    """
    if revision := _find_commit(mirror, "HEAD"):
        return revision
    listing = run_git(["for-each-ref", "--format=%(refname)", "refs/heads/"], mirror)
    branches = listing.decode(errors="surrogateescape").split("\n")[:-1]
    usual = [branch for branch in _DEFAULT_BRANCHES if branch in branches]
    for branch in usual or (branches if len(branches) == 1 else []):
        if revision := _find_commit(mirror, branch):
            return revision
    if branches:
        raise NoRevisionError(
            f"The repository has {len(branches)} branches and no default one: "
            "name the branch to index."
        )
    raise NoRevisionError(
        "The repository is empty, it has no commits yet: "
        "push a first commit, then index it again."
    )


def resolve_revision(mirror: Path, name: str) -> str:
    """Return the full hash of a branch, a tag or a commit, looked up in this order.

    A commit may be shortened to four digits or more. Raises NoRevisionError when
    none is found or the name could not be one.
    """
    if name and not BAD_BRANCH.search(name):
        names = [f"refs/heads/{name}", f"refs/tags/{name}"]
        if re.fullmatch(r"[0-9a-fA-F]{4,64}|HEAD|refs/\S+", name):
            names.append(name)
        for candidate in names:
            if revision := _find_commit(mirror, candidate):
                return revision
    raise NoRevisionError(
        f"There is no branch, tag or commit {name!r}: fetch again or check the name."
    )


def held_commit(mirror: Path, revision: str) -> str | None:
    """Return `revision` if it is the full hash of a commit that the mirror holds."""
    if not _FULL_HASH.fullmatch(revision):
        return None
    return _find_commit(mirror, revision)


def pin_revision(mirror: Path, revision: str, name: str) -> None:
    """Keep `revision` in `mirror` under `name`, whatever becomes of its branches."""
    run_git(["update-ref", _pin(name), revision], mirror)


def list_tree(mirror: Path, revision: str) -> list[TreeEntry]:
    """Return every entry of the commit's tree, submodules too, by path bytes.

    Raises GitError where it has more than `MOST_FILES`.
    """
    listing = run_git(
        ["ls-tree", "-r", "-z", "-l", "--full-tree", _object(revision)],
        mirror,
        most=("files", MOST_FILES),
    )
    return sorted(listed_entries(listing), key=lambda entry: entry.path)


def find_entry(mirror: Path, revision: str, path: bytes) -> TreeEntry | None:
    """Return the entry of one path at a commit, or None if it holds no file there."""
    if b"\0" in path:  # No path of a tree, and no argument of a command either.
        return None
    name = os.fsdecode(path)
    arguments = ["ls-tree", "-z", "-l", "--full-tree", _object(revision), "--", name]
    for entry in listed_entries(run_git(arguments, mirror, extra=LITERAL)):
        if entry.path == path and entry.mode != FOLDER:
            return entry
    return None


def listed_entries(listing: bytes) -> Iterator[TreeEntry]:
    """Yield the entries that `git ls-tree -z -l` lists, in its order."""
    for line in listing.split(b"\0")[:-1]:
        head, _, path = line.partition(b"\t")
        mode, _, oid, size = head.decode("ascii").split()
        yield TreeEntry(path, mode, oid, None if size == "-" else int(size))


def commit_date(mirror: Path, revision: str) -> datetime | None:
    """Return when the commit was made, in UTC; None for a snapshot of ours."""
    answer = run_git(["show", "-s", "--format=%ct", _object(revision), "--"], mirror)
    latest = datetime.max.replace(tzinfo=UTC).timestamp() - 1
    made = datetime.fromtimestamp(min(int(answer or b"0"), latest), UTC)
    return None if made == _SNAPSHOT_DATE else made


class _NewMirror:
    """An empty bare repository beside `target` that is removed unless published."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.published = False

    def __enter__(self) -> _NewMirror:
        self.target.parent.mkdir(parents=True, exist_ok=True)
        name = tempfile.mkdtemp(prefix=f".{self.target.name}.", dir=self.target.parent)
        self.path = Path(name)
        run_git(["init", "--bare", "--quiet", "--template=", "--", name], None)
        return self

    def __exit__(self, *_: object) -> None:
        if not self.published:
            shutil.rmtree(self.path, ignore_errors=True)

    def publish(self) -> None:
        """Give the mirror its name; from here on others see it, complete."""
        self.path.rename(self.target)
        self.published = True


def _check_address(url: str, protocols: str) -> None:
    if protocols == LOCAL_PROTOCOL:
        return
    scheme = "ssh" if SHORT_SSH.fullmatch(url) else urlsplit(url).scheme.lower()
    if scheme not in protocols.split(":"):
        allowed = " and ".join(protocols.split(":"))
        raise GitError(
            f"{plain_address(url)!r} cannot be cloned: only {allowed} addresses are."
        )


def _fetch(url: str, mirror: Path, protocols: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        extra = {}
        if protocols == LOCAL_PROTOCOL:
            # The folder may belong to another user, as a mounted volume does. Only
            # upload-pack runs in it, which starts no hook of the repository's own.
            config = Path(scratch, "config")
            config.write_text("[safe]\n\tdirectory = *\n", encoding="utf-8")
            extra["GIT_CONFIG_GLOBAL"] = str(config)
        run = partial(
            run_git,
            mirror=mirror,
            protocols=protocols,
            timeout=NETWORK_TIMEOUT,
            extra=extra,
            address=url,
        )
        names = ["ls-remote", "--symref", "--", url, "HEAD", *_FETCHED]
        branch, oid = _remote_head(run(names, most=("branches and tags", MOST_REFS)))
        head = [f"+HEAD:{_REMOTE_HEAD}"] if oid else []
        run(["fetch", *_FETCH_OPTIONS, "--", url, *_REFSPECS, *head])
    if branch:
        run_git(["symbolic-ref", "HEAD", branch], mirror)
    elif oid:
        run_git(["update-ref", "--no-deref", "HEAD", _REMOTE_HEAD], mirror)


def _remote_head(answer: bytes) -> tuple[str | None, str | None]:
    """Return the branch and the hash `ls-remote --symref` gives for HEAD."""
    branch = oid = None
    for line in answer.decode(errors="surrogateescape").split("\n"):
        value, _, name = line.partition("\t")
        if name == "HEAD" and value.startswith("ref: refs/heads/"):
            branch = value.removeprefix("ref: ")
        elif name == "HEAD":
            oid = value
    return branch, oid


def _commit_folder(folder: Path, mirror: Path) -> str:
    info = mirror / "info"
    info.mkdir(exist_ok=True)
    (info / "exclude").write_text("\n".join(FOLDER_EXCLUDES) + "\n", encoding="utf-8")
    # Highest of all attribute files: no filter and no conversion, bytes as they are.
    (info / "attributes").write_text(
        "* -text -filter -ident -working-tree-encoding\n", encoding="utf-8"
    )
    with tempfile.TemporaryDirectory() as scratch:
        extra = {
            "GIT_WORK_TREE": str(folder.resolve()),
            "GIT_INDEX_FILE": str(Path(scratch, "index")),
            **_SNAPSHOT_IDENTITY,
        }
        _add_everything(folder, mirror, extra)
        tree = run_git(["write-tree"], mirror, extra=extra).decode("ascii").strip()
        if not run_git(["ls-tree", tree], mirror):
            raise GitError(
                f"The folder {str(folder)!r} is empty: there is nothing to index in it."
            )
        commit = run_git(
            ["commit-tree", "-m", "Snapshot of a folder", tree],
            mirror,
            extra=extra,
        )
    revision = commit.decode("ascii").strip()
    run_git(["update-ref", "refs/heads/main", revision], mirror)
    run_git(["symbolic-ref", "HEAD", "refs/heads/main"], mirror)
    return revision


def _add_everything(folder: Path, mirror: Path, extra: Mapping[str, str]) -> None:
    try:
        # Run inside the folder: there, `.` is all of it.
        run_git(["add", "--all", "--", "."], mirror, extra=extra, directory=folder)
    except CommandError as error:
        if found := re.search(r"'(.*)' does not have a commit checked out", error.said):
            raise GitError(
                f"The folder {found[1]!r} in it is a Git repository without commits: "
                "commit there or remove its .git, then index again."
            ) from None
        if found := re.search(r'open\("(.*)"\): Permission denied', error.said):
            raise GitError(
                f"{found[1]!r} cannot be read: give this server the right to read it."
            ) from None
        raise


def _is_repository(folder: Path) -> bool:
    bare = (folder / "HEAD").is_file() and (folder / "objects").is_dir()
    return (folder / ".git").exists() or (bare and (folder / "refs").is_dir())


def _find_commit(mirror: Path, name: str) -> str | None:
    try:
        answer = run_git(
            ["rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"], mirror
        )
    except CommandError:
        return None
    return answer.decode("ascii").strip()


def _pin(name: str) -> str:
    if not name or BAD_BRANCH.search(name):
        raise GitError(f"{name!r} cannot be the name of a pin: use letters and digits.")
    return PIN_PREFIX + name


def _object(revision: str) -> str:
    if not _FULL_HASH.fullmatch(revision):
        raise GitError(f"{revision!r} is not a full commit hash: resolve it first.")
    return revision
