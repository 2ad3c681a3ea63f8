"""Git command: the only module that runs git, always on our own bare mirrors.

The environment of every run is built from empty, so that neither the machine's
nor a user's configuration, hooks, prompts or helpers take part.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from indexer.pipeline.limited import LimitError, read_limited
from indexer.pipeline.paths import printable
from indexer.pipeline.sources import plain_address

LOCAL_PROTOCOL = "file"  # only for folders of this machine, never for a form's URL
NETWORK_TIMEOUT = 3600  # seconds; a 5 GB repository at 2 MB/s takes 40 minutes
LOCAL_TIMEOUT = 600  # seconds for a command that only reads or writes a mirror
LISTED_BYTES = 200  # Of a file or a ref in a list of git's, at most on average.
LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}  # A file may be called `:(top)x`.

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


class UnreadBlobError(GitError):
    """The mirror does not give the content of a file that its tree names."""


class CommandError(GitError):
    """Git ended with an error; `said` is its standard error, not for a person."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


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
    output, errors = _read(process, what, timeout, most)
    if process.returncode:
        said = errors.decode(errors="replace")
        raise CommandError(_sentence(arguments[0], what, said), said)
    kind, count = most
    if max(output.count(b"\n"), output.count(b"\0")) > count:
        raise GitError(_too_many(what, kind, count))
    return output


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


def _command(
    arguments: Sequence[str], mirror: Path | None, config: Sequence[str] = ()
) -> list[str]:
    settings = [part for one in (*_CONFIG, *config) for part in ("-c", one)]
    place = [f"--git-dir={mirror}"] if mirror else []
    return ["git", *place, *settings, *arguments]


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


def _read(
    process: subprocess.Popen[bytes], what: str, timeout: float, most: tuple[str, int]
) -> tuple[bytes, bytes]:
    """Return what git prints, and what it says. Raises GitError as `run_git` does."""
    kind, count = most
    try:
        return read_limited(process, timeout, LISTED_BYTES * count)
    except BaseException as error:
        _kill(process)
        if isinstance(error, subprocess.TimeoutExpired):
            raise GitError(
                f"{what} took longer than {timeout:.0f} seconds: try again later."
            ) from None
        if isinstance(error, LimitError):
            raise GitError(_too_many(what, kind, count)) from None
        raise


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
