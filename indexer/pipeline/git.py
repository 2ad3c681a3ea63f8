"""Git: the only module that runs it, always on our own bare mirrors.

A user's work tree is never read through git's porcelain: a folder that is a
repository is fetched from, any other folder is hashed into a mirror of ours.
The environment of every run is built from empty, so that neither the machine's
nor a user's configuration, hooks, prompts or helpers take part.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from indexer.pipeline.limited import LimitError, read_limited
from indexer.pipeline.paths import printable
from indexer.pipeline.sources import BAD_BRANCH, SCHEMES, SHORT_SSH
from indexer.pipeline.types import TreeEntry

REMOTE_PROTOCOLS = ":".join(SCHEMES)
LOCAL_PROTOCOL = "file"  # only for folders of this machine, never for a form's URL

NETWORK_TIMEOUT = 3600  # seconds; a 5 GB repository at 2 MB/s takes 40 minutes
LOCAL_TIMEOUT = 600  # seconds for a command that only reads or writes a mirror
# A few kilobytes can name ten thousand million files, in folders of equal folders.
MOST_FILES = 500_000  # Chromium has 400,000.
MOST_REFS = 100_000  # Branches and tags; a fetch writes a file for each.
LISTED_BYTES = 200  # Of a file or a ref in a list of git's, at most on average.

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
LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}  # A file may be called `:(top)x`.
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

# Hooks, redirects and damaged objects are refused. The faults that are let
# through are those of old, widely used histories and harm no reader.
_CONFIG = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.attributesFile=/dev/null",
    "gc.auto=0",
    "http.followRedirects=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "transfer.fsckObjects=true",
    *(
        f"{command}.{fault}=ignore"
        for command in ("fetch.fsck", "fsck")
        for fault in ("badTimezone", "missingSpaceBeforeDate", "zeroPaddedFilemode")
    ),
)
# What git says of objects, packs and refs that it cannot read any more.
_DAMAGE = re.compile(
    r"corrupt|inflate|bad (object|tree|pack)|not a tree object|not a git repository"
    r"|loose object|missing (blob|tree|commit)|unable to (read|open)|packfile",
    re.IGNORECASE,
)

_COLOURS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")

# First pattern found in git's answer decides the sentence.
_CAUSES = (
    (r"could not resolve host", "its host name is unknown: check the address"),
    (
        r"host key verification failed",
        "the host's key is not known here: add it to known_hosts",
    ),
    (
        r"authentication failed|could not read (username|password)|permission denied"
        r"|terminal prompts disabled|http basic",
        "access was denied: check the address and this server's key",
    ),
    (
        r"repository .*not found|not found|does not appear to be a git repository"
        r"|does not exist",
        "there is no repository at this address, or no right to read it",
    ),
    (r"redirect", "the host answers with a redirect: use the address it redirects to"),
    (r"transport .* not allowed", "this kind of address is not allowed: use https"),
    (r"timed out|connection refused|unable to connect", "the host does not answer"),
    (
        r"no space left|out of disk ?space|file too large",
        "the disk is full: make room, then try again",
    ),
    (r"fsck|unpack-objects failed|index-pack failed", "its history is damaged"),
)


class GitError(Exception):
    """Git could not do what was asked; the message is one sentence for a person."""


class NoRevisionError(GitError):
    """The mirror could be read, but holds no commit under the name that was asked."""


class UnreadBlobError(GitError):
    """The mirror does not give the content of a file that its tree names."""


class CommandError(GitError):
    """Git ended with an error; `said` is its standard error, not for a person."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


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
    entries = []
    for line in listing.split(b"\0")[:-1]:
        head, _, path = line.partition(b"\t")
        mode, _, oid, size = head.decode("ascii").split()
        entries.append(TreeEntry(path=path, mode=mode, oid=oid, size=_entry_size(size)))
    return sorted(entries, key=lambda entry: entry.path)


def find_entry(mirror: Path, revision: str, path: bytes) -> TreeEntry | None:
    """Return the entry of one path at a commit, or None if it holds no file there."""
    if b"\0" in path:  # No path of a tree, and no argument of a command either.
        return None
    name = os.fsdecode(path)
    arguments = ["ls-tree", "-z", "-l", "--full-tree", _object(revision), "--", name]
    for line in run_git(arguments, mirror, extra=LITERAL).split(b"\0")[:-1]:
        head, _, found = line.partition(b"\t")
        mode, kind, oid, size = head.decode("ascii").split()
        if found == path and kind != "tree":
            return TreeEntry(path=path, mode=mode, oid=oid, size=_entry_size(size))
    return None


def commit_date(mirror: Path, revision: str) -> datetime | None:
    """Return when the commit was made, in UTC; None for a snapshot of ours."""
    answer = run_git(["show", "-s", "--format=%ct", _object(revision), "--"], mirror)
    latest = datetime.max.replace(tzinfo=UTC).timestamp() - 1
    made = datetime.fromtimestamp(min(int(answer or b"0"), latest), UTC)
    return None if made == _SNAPSHOT_DATE else made


def open_blob_process(mirror: Path) -> subprocess.Popen[bytes]:
    """Start `git cat-file --batch` on `mirror`: object ids in, blobs out.

    Ids only: in a bare mirror a path such as `rev:../x` ends the process.
    """
    return subprocess.Popen(  # noqa: S603  a list, no shell
        _command(["cat-file", "--batch"], mirror),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(LOCAL_PROTOCOL),
        start_new_session=True,
    )


def is_damage(error: GitError) -> bool:
    """Tell whether a failure may come of a damaged mirror: `refs.is_sound` knows."""
    if isinstance(error, CommandError):
        return bool(_DAMAGE.search(error.said))
    return isinstance(error, UnreadBlobError)


def plain_address(url: str) -> str:
    """Return `url` without user, password and query, fit for a message or a log."""
    return re.sub(r"(?<=://)[^/\s]*@|[?#]\S*", "", url)


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


def _entry_size(size: str) -> int | None:
    return None if size == "-" else int(size)


def _environment(
    protocols: str, extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",  # causes are told from git's own words
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": protocols,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ConnectTimeout=30",
        "GIT_SSH_VARIANT": "ssh",
        **(extra or {}),
    }


def _command(
    arguments: Sequence[str], mirror: Path | None, config: Sequence[str] = ()
) -> list[str]:
    settings = [part for one in (*_CONFIG, *config) for part in ("-c", one)]
    place = [f"--git-dir={mirror}"] if mirror else []
    return ["git", *place, *settings, *arguments]


def run_git(
    arguments: Sequence[str],
    mirror: Path | None,
    *,
    protocols: str = LOCAL_PROTOCOL,
    timeout: float = LOCAL_TIMEOUT,
    extra: Mapping[str, str] | None = None,
    directory: Path | None = None,
    address: str = "",
    config: Sequence[str] = (),
    most: tuple[str, int] = ("lines", 5_000_000),
) -> bytes:
    """Return what git printed: at most so many of what it lists, one each line or NUL.

    Raises GitError when it fails, takes too long or prints more.
    """
    what = plain_address(address) or (mirror.name if mirror else "git")
    try:
        process = subprocess.Popen(  # noqa: S603  a list, no shell
            _command(arguments, mirror.absolute() if mirror else None, config),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(protocols, extra),
            cwd=directory,
            start_new_session=True,
        )
    except FileNotFoundError:
        raise GitError("Git is not installed: install 2.39 or later.") from None
    kind, count = most
    try:
        output, errors = read_limited(process, timeout, LISTED_BYTES * count)
    except BaseException as error:
        _kill(process)
        if isinstance(error, subprocess.TimeoutExpired):
            raise GitError(
                f"{what} took longer than {timeout:.0f} seconds: try again later."
            ) from None
        if isinstance(error, LimitError):
            raise GitError(_too_many(what, kind, count)) from None
        raise
    if process.returncode:
        said = errors.decode(errors="replace")
        raise CommandError(_sentence(arguments[0], what, said), said)
    if max(output.count(b"\n"), output.count(b"\0")) > count:
        raise GitError(_too_many(what, kind, count))
    return output


def _too_many(what: str, kind: str, count: int) -> str:
    return f"{what!r} is not read: it has more than {count:,} {kind}."


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End git and what it started: ssh and https helpers outlive their parent."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _sentence(command: str, what: str, said: str) -> str:
    for pattern, cause in _CAUSES:
        if re.search(pattern, said, re.IGNORECASE):
            return f"{what!r} could not be read, {cause}."
    lines = [line for line in said.split("\n") if line.startswith(("fatal:", "error:"))]
    words = lines[0].partition(":")[2].strip() if lines else "no reason given"
    words = printable(_COLOURS.sub("", words))  # A remote chooses some of them.
    return f"git {command} failed on {what!r}: {plain_address(words)[:300]}."
