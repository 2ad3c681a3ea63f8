"""Memory: what the whole process tree of `serve` takes while it indexes and is asked.

`python -m benchmarks.memory [--source DIR] [--builds N] [--json OUT]` starts `serve` on
a repository made of the files of DIR (the installed Django) and samples once a second
the proportional set size (PSS: a shared page counts once) of `serve` and all below it:
while it indexes and a thread searches, and at rest. Then come N builds of commits of
ten files, with the rest after each: it must not grow with their number. Linux only.
"""

from __future__ import annotations

import argparse
import ctypes
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.checker import Checker, over_http
from benchmarks.commits import Source
from benchmarks.faults import say
from benchmarks.indexed import share_models
from benchmarks.indexing import CHANGED, django
from benchmarks.killing import NAME, Stack
from benchmarks.records import Table, Value, publish
from benchmarks.searcher import Searcher
from benchmarks.truth import Truth, make_queries

BUILDS = 10
LIMIT_MB = 1536  # Of the issue: 1.5 GB.
INTERVAL_SECONDS = 1.0
REST_SECONDS = 8.0  # After a build, before what is left is measured.
QUERIES = 200
SHOWN = 20  # Wrong answers that are told one by one.
WAIT_SECONDS = 3600.0
KCMP = {"x86_64": 312, "aarch64": 272}  # The number of the call by the machine.
KCMP_VM = 1


def main() -> None:
    """Index, search, measure; print the tables and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--builds", type=int, default=BUILDS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if sys.platform != "linux":
        say("left out: only Linux tells the proportional set size of a process")
        return
    share_models()
    with tempfile.TemporaryDirectory() as folder:
        source = Source(options.source or django(), Path(folder) / "r", "django")
        stack = Stack(Path(folder) / "data", source)
        try:
            tables = measure(stack, options.builds)
        finally:
            stack.stop()
    publish(options, tables)


@dataclass(slots=True)
class Meter:
    """Samples a process tree once a second; megabytes, the most and by process."""

    root: int
    samples: list[float] = field(default_factory=list)
    at_peak: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def running(self) -> Iterator[Meter]:
        """Sample while the block runs."""
        done = threading.Event()

        def sample() -> None:
            while not done.wait(INTERVAL_SECONDS):
                self.take()

        thread = threading.Thread(target=sample, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            done.set()
            thread.join()

    def take(self) -> float:
        """Take one sample."""
        found = tree_pss(self.root)
        total = sum(found.values())
        if total > max(self.samples, default=0.0):
            self.at_peak = found
        self.samples.append(total)
        return total


def tree_pss(root: int) -> dict[str, float]:
    """Return the megabytes of `root` and all below it, by what they are."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # It has ended meanwhile.
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found: dict[str, float] = {}
    todo = [root]
    while todo:
        pid = todo.pop()
        todo += [one for one in children.get(pid, []) if not is_same_memory(one, pid)]
        name, size = name_of(pid), pss_of(pid)
        found[name] = found.get(name, 0.0) + size
    return found


def is_same_memory(pid: int, other: int) -> bool:
    """Tell whether two processes are two names of one memory, to be counted once.

    So is a child that `subprocess` starts, until it runs its own program: by kcmp(2).
    False where the kernel does not say.
    """
    number = KCMP.get(platform.machine())
    if number is None:
        return False
    libc = ctypes.CDLL(None)
    return bool(libc.syscall(number, pid, other, KCMP_VM, 0, 0) == 0)


def pss_of(pid: int) -> float:
    """Return the proportional set size of a process in megabytes, 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    sizes = [line.split()[1] for line in lines if line.startswith("Pss:")]
    return int(sizes[0]) / 1024 if sizes else 0.0


def name_of(pid: int) -> str:
    """Return what a process is, by its command."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return "ended"
    words = {"valkey": "broker", "gunicorn": "web", "celery": "worker", "git ": "git"}
    known = [name for word, name in words.items() if word in command]
    if known:
        return known[0]
    return "serve" if "manage.py" in command else "helpers"


def measure(stack: Stack, builds: int) -> dict[str, Table]:
    """Index everything, then small commits; return the tables."""
    root = stack.terminal.process.pid
    truth = Truth(stack.source.folder)
    queries = make_queries(truth, QUERIES, 0)
    first, rest = Meter(root), Meter(root)
    searcher = Searcher(Checker(over_http(stack.url), truth, NAME), queries)
    began = time.monotonic()
    with first.running():
        build = stack.index()
        stack.wait_for_search()
        with searcher.searching():
            row = stack.wait_for_end(build, WAIT_SECONDS)
    if row["status"] != "ready":
        raise SystemExit(f"the build was {row['status']}: {row['failure']}")
    took = time.monotonic() - began
    for wrong in searcher.wrong[:SHOWN]:
        say(str(wrong))
    time.sleep(REST_SECONDS)
    rest.take()
    title = f"MB, {row['file_count']} files, {row['chunk_count']} chunks"
    phases: dict[str, dict[str, Value]] = {
        "while it indexes and is searched": {
            "peak": max(first.samples),
            "samples": len(first.samples),
            "seconds": took,
            "searches": searcher.answered,
            "wrong": len(searcher.wrong),
        },
        "at rest": {"peak": rest.samples[-1]},
    }
    later = small_builds(stack, builds)
    wholes: dict[str, dict[str, Value]] = {
        "at the peak": {**first.at_peak},
        "at rest": {**rest.at_peak},
    }
    verdict = "under" if max(first.samples) < LIMIT_MB else "OVER"
    say(f"{verdict} the limit of {LIMIT_MB} MB")
    return {title: phases, "MB by process": wholes, "MB after further builds": later}


def small_builds(stack: Stack, builds: int) -> dict[str, dict[str, Value]]:
    """Index so many small commits; return what is left after each, and the peaks."""
    table: dict[str, dict[str, Value]] = {}
    site = over_http(stack.url)
    for number in range(1, builds + 1):
        stack.source.change(CHANGED)
        meter = Meter(stack.terminal.process.pid)
        with meter.running():
            row = stack.wait_for_end(stack.index(), WAIT_SECONDS)
            site("/?q=added")
            time.sleep(REST_SECONDS)
        rest = tree_pss(meter.root)
        table[f"build {number + 1}"] = {
            "peak": max(meter.samples),
            "at rest": sum(rest.values()),
            "web": rest.get("web", 0.0),
            "worker": rest.get("worker", 0.0),
            "status": str(row["status"]),
        }
        say(f"build {number + 1}: {table[f'build {number + 1}']}")
    return table


if __name__ == "__main__":
    main()
