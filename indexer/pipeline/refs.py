"""Refs: which names a mirror knows, how far apart two commits are, and its upkeep."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path

from indexer.pipeline.git import PIN_PREFIX
from indexer.pipeline.git_command import (
    LOCAL_TIMEOUT,
    NETWORK_TIMEOUT,
    GitError,
    run_git,
)

DISTANCE_SECONDS = 10.0  # Django's 35,000 commits are counted in a third of one.

# A fetch leaves a pack, a snapshot an object for each changed file. Of 120 fetches of
# ten files of Django every thirtieth is followed by a second of packing, and its mirror
# grows from 12.6 to 13.3 MB. A large pack is not written again; one thread and small
# windows, because the workers beside it need the memory.
_UPKEEP = (
    "gc.auto=2000",
    "gc.autoPackLimit=30",
    "gc.bigPackThreshold=200m",
    "gc.autoDetach=false",
    "pack.threads=1",
    "pack.windowMemory=64m",
    "pack.deltaCacheSize=32m",
)


def newest_names(mirror: Path, most: int) -> list[str]:
    """Return the branches and tags of a mirror, the newest first, `most` of them.

    Of a branch and a tag of one name only the branch can be asked for.
    """
    if not mirror.exists():
        return []
    listing = run_git(
        [
            "for-each-ref",
            "--sort=refname",
            "--sort=-creatordate",
            f"--count={most}",
            "--format=%(refname:lstrip=2)",
            "refs/heads/",
            "refs/tags/",
        ],
        mirror,
    )
    names = listing.decode(errors="replace").split("\n")[:-1]
    return list(dict.fromkeys(names))


def default_branch(mirror: Path) -> str:
    """Return the name of the branch that HEAD names, "" where it names none."""
    try:
        head = run_git(["symbolic-ref", "--quiet", "HEAD"], mirror)
    except GitError:
        return ""
    return head.decode(errors="replace").strip().removeprefix("refs/heads/")


def commit_beginning(mirror: Path, digits: str) -> str | None:
    """Return the one commit whose hash begins with `digits`, else None."""
    if not re.fullmatch(r"[0-9a-f]{7,64}", digits):
        return None
    try:
        found = run_git(
            ["rev-parse", "--verify", "--quiet", f"{digits}^{{commit}}"], mirror
        )
    except GitError:
        return None
    revision = found.decode("ascii").strip()
    return revision if revision.startswith(digits) else None  # Not a branch of it.


def commits_between(mirror: Path, old: str, new: str) -> int | None:
    """Return how many commits `new` has that `old` lacks.

    None where they share no history, as two snapshots of a folder, where `new` is
    the older one, and where counting would take long.
    """
    if old == new:
        return 0
    try:
        run_git(["merge-base", old, new], mirror, timeout=DISTANCE_SECONDS)
        counted = run_git(
            ["rev-list", "--count", f"{old}..{new}", "--"],
            mirror,
            timeout=DISTANCE_SECONDS,
        )
    except GitError:
        return None
    return int(counted) or None


def tidy(mirror: Path) -> None:
    """Pack a mirror that many fetches have left in pieces; most calls do nothing.

    What no branch, tag or pin holds goes after two weeks. Readers are not disturbed:
    git finds an object in its new place. The caller holds the mirror's lock.
    """
    run_git(
        ["gc", "--auto", "--quiet"], mirror, timeout=NETWORK_TIMEOUT, config=_UPKEEP
    )


def remove_stale_locks(mirror: Path) -> None:
    """Delete the lock files of a git that was killed; they would stop every fetch.

    A living one holds them for moments. The caller holds the mirror's lock.
    """
    if not mirror.exists():
        return
    long_ago = time.time() - LOCAL_TIMEOUT
    for folder in (mirror.glob("*.lock"), (mirror / "refs").rglob("*.lock")):
        for path in folder:
            if path.stat().st_mtime < long_ago:
                path.unlink(missing_ok=True)


def is_sound(mirror: Path) -> bool:
    """Tell whether git can read everything that a mirror should hold."""
    options = ("--full", "--no-dangling", "--no-reflogs", "--no-progress")
    try:
        run_git(["fsck", *options], mirror, timeout=NETWORK_TIMEOUT)
    except GitError:
        return False
    return True


def pins_of(mirror: Path) -> list[str]:
    """Return the names of the pins in a mirror, none if it cannot be read."""
    try:
        listing = run_git(["for-each-ref", "--format=%(refname)", PIN_PREFIX], mirror)
    except GitError:
        return []
    return listing.decode("ascii").split()


def copy_pins(source: Path, mirror: Path) -> int:
    """Keep in `mirror` the pinned commits that `source` still gives; return how many.

    `source` may be damaged: what of it cannot be read is left out.
    """
    copied = 0
    for name in pins_of(source):
        pin = ("--quiet", "--no-tags", "--no-write-fetch-head", "--", str(source))
        with suppress(GitError):
            run_git(["fetch", *pin, f"+{name}:{name}"], mirror)
            copied += 1
    return copied
