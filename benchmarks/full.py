"""Full: the disk of the data fills up, and the site goes on answering.

`python -m benchmarks.full [--source DIR] [--seed N] [--json OUT]` starts `serve` with
its data on a small tmpfs, on a repository made of the files of DIR (the installed
`django/utils`). Each time a build of a new commit is asked for, and at some stage of it
all room but a few bytes is taken. The build must end with a sentence, or wait where not
even that can be written; a checker asks and compares with `git show`. Then the room is
given back: the next build must be ready, and `verify` find nothing. `serve` looks for
room before each step as it always does, only for less of it (CODESEARCH_FREE_MB).

It needs the right to mount (root), and says so where it has none.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.checker import Checker, over_http
from benchmarks.commits import Source
from benchmarks.faults import say, utils
from benchmarks.indexed import share_models
from benchmarks.killing import ACTIVE, NAME, Stack, final_check, is_at
from benchmarks.records import Table, Value, publish
from benchmarks.truth import Truth, make_queries

DISK_MB = 160
KB = 1024
# Bytes that are left: nothing, a page, less than a layer takes, less than all of them.
LEFT = (0, 4 * KB, 256 * KB, 2048 * KB)
# When it fills up; "before" is before the build is asked for.
MOMENTS = ("before", "reading", "lexical", "purposes", "bodies", "calibrating")
END_SECONDS = 30.0  # Longer, and the build waits for room.
READY_SECONDS = 300.0  # Once there is room; a lease may have to run out.
QUERIES = 5


@dataclass(frozen=True, slots=True)
class Filled:
    """What became of one full disk. `refused` are queries without an answer."""

    moment: str
    left: int
    status: str
    failure: str
    wrong: list[str]
    refused: list[str]
    then: str
    faults: str

    @property
    def ends_well(self) -> bool:
        """Whether searches were answered, and the next build is ready and whole."""
        return self.then == "ready" and not (self.wrong or self.refused or self.faults)


def main() -> None:
    """Fill the disk, print the table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    share_models()
    with tempfile.TemporaryDirectory() as folder, tmpfs(Path(folder) / "disk") as disk:
        if disk is None:
            say("left out: mounting a tmpfs is refused here, it needs root")
            return
        source = Source(options.source or utils(), Path(folder) / "repository")
        stack = Stack(disk / "data", source, CODESEARCH_FREE_MB="1")
        try:
            stack.wait_for_end(stack.index())
            found = [
                fill_once(stack, disk, moment, left, options.seed)
                for moment in MOMENTS
                for left in LEFT
            ]
        finally:
            stack.stop()
    publish(
        options,
        {f"{len(found)} times a full disk": table(found)},
        filled=[asdict(one) for one in found],
    )
    if not all(one.ends_well for one in found):
        raise SystemExit(1)


@contextlib.contextmanager
def tmpfs(folder: Path) -> Iterator[Path | None]:
    """Mount a small disk in memory for the block; None where that is refused."""
    folder.mkdir()
    options = f"size={DISK_MB}m"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        yield None
        return
    try:
        yield folder
    finally:
        command = ["umount", "--lazy", str(folder)]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603


def fill_once(stack: Stack, disk: Path, moment: str, left: int, seed: int) -> Filled:
    """Fill the disk at one moment of a build, search, make room, and index again."""
    chance = random.Random(f"{seed}:{moment}:{left}")  # noqa: S311
    ask(stack, 0)  # A site that is in use has its database open.
    stack.source.move()
    ballast = disk / "ballast"
    status, failure = "not asked", ""
    if moment == "before":
        fill(ballast, left)
    try:
        build = stack.index()
    except AssertionError:
        build = 0
    if build:
        if moment != "before":
            wait_for_moment(stack, build, moment)
            fill(ballast, left)
        status, failure = wait_a_while(stack, build)
    wrong, refused = ask(stack, chance.randrange(10**6))
    ballast.unlink()
    then = index_again(stack)
    faults = stack.verify()
    wrong += [*map(str, final_check(stack, chance.randrange(10**6)))]
    found = Filled(moment, left, status, failure, wrong, refused, then, faults)
    say(f"{moment}, {left} bytes left: {found}")
    return found


def fill(ballast: Path, left: int) -> None:
    """Take all room of the disk but `left` bytes."""
    block = bytes(64 * KB)
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(block)
    free = shutil.disk_usage(ballast.parent).free
    if left > free:
        os.truncate(ballast, max(0, ballast.stat().st_size - (left - free)))


def wait_for_moment(stack: Stack, build: int, moment: str) -> None:
    """Return once the build is in a stage, or behind it."""
    while not is_at(row := stack.row(), moment):
        if row["id"] == build and row["status"] not in ACTIVE:
            return
        time.sleep(0.003)


def wait_a_while(stack: Stack, build: int) -> tuple[str, str]:
    """Return how the build ended; that it waits for room if it does not end."""
    row = stack.wait_for_end(build, END_SECONDS)
    status = str(row["status"])
    return ("waits for room" if status in ACTIVE else status), str(row["failure"])


def ask(stack: Stack, seed: int) -> tuple[list[str], list[str]]:
    """Return what is wrong in the answers, and what was said instead of one."""
    truth = Truth(stack.source.folder)
    checker = Checker(over_http(stack.url), truth, NAME)
    queries = make_queries(truth, QUERIES, seed)
    wrong = [str(one) for query in queries for one in checker.check(query)]
    return wrong, checker.refusals


def index_again(stack: Stack) -> str:
    """Ask again if nothing is at work, and return how it ended."""
    row = stack.row()
    build = int(str(row["id"])) if row["status"] in ACTIVE else stack.index()
    row = stack.wait_for_end(build, READY_SECONDS)
    return f"{row['status']} {row['failure']}".strip()


def table(found: Sequence[Filled]) -> Table:
    """Return, by the moment, how the builds ended and what searches found."""
    rows: dict[str, dict[str, Value]] = {}
    for moment in MOMENTS:
        of = [one for one in found if one.moment == moment]
        rows[moment] = {
            "times": len(of),
            "failed with a sentence": sum(bool(one.failure) for one in of),
            "waited for room": sum(one.status == "waits for room" for one in of),
            "not asked for": sum(one.status == "not asked" for one in of),
            "ready all the same": sum(one.status == "ready" for one in of),
            "wrong or no answers": sum(len(one.wrong) + len(one.refused) for one in of),
            "ready and verified then": sum(one.ends_well for one in of),
        }
    return rows


if __name__ == "__main__":
    main()
