"""Killing: a running stack, its processes, and the stage that its build is in."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from benchmarks.checker import Checker, Wrong, over_http
from benchmarks.commits import Source
from benchmarks.searcher import Searcher
from benchmarks.truth import Truth, make_queries
from codesearch.supervisor import DEATHS, DEATHS_SECONDS
from tests.terminal import Terminal, free_port

NAME = "faults"  # Of the repository.
# What a build does in turn. The last one holds the checks of all layers, and the
# publication of the complete build.
STAGES = (
    "fetching",
    "reading",
    "lexical",
    "purposes",
    "bodies",
    "calibrating",
)
# What is killed: the process that does the step, its parent, and so on.
PROCESSES = ("pool", "worker", "broker", "web", "serve")
_WORDS = {"worker": "celery", "broker": "valkey", "web": "gunicorn"}
ACTIVE = ("queued", "running")
POLL_SECONDS = 0.003  # Some stages are over in a few hundredths of a second.
BUILD_SECONDS = 400.0  # Of which a lease may take 60, and the look for it 30.
ANSWER_SECONDS = 60.0

Row = Mapping[str, object]


def stage_of(row: Row) -> str:
    """Return the stage of a build's row; "" before its start and after its end."""
    if not row or row["status"] != "running":
        return ""
    return str(row["stage"]) if row["stage"] in STAGES else STAGES[-1]


class Stack:
    """A `serve` that may be killed and started again on the same data folder."""

    def __init__(self, data: Path, source: Source, **environment: str) -> None:
        self.data = data
        self.source = source
        self.environment = environment
        self.port = free_port()
        self.deaths: dict[str, deque[float]] = {}
        self.last_death = ("", 0)
        self._asking: list[subprocess.Popen[bytes]] = []
        self.terminal = self._start()

    def _start(self) -> Terminal:
        terminal = Terminal(self.data, self.port, **self.environment)
        terminal.wait_for("codesearch is at")
        terminal.read_on()
        return terminal

    @property
    def url(self) -> str:
        """Where the site answers."""
        return self.terminal.url

    def row(self) -> Row:
        """Return the newest build's row."""
        return self.terminal.newest_build()

    def stop(self) -> None:
        """End it as a person does, with Ctrl-C."""
        for asking in self._asking:
            asking.wait()
        if self.terminal.process.poll() is None:
            self.terminal.process.send_signal(signal.SIGINT)
            self.terminal.process.wait(60)

    def index(self) -> int:
        """Ask for a build of the source as it is now; return its number at once."""
        before = self.row().get("id", 0)
        asking = self.terminal.begin("index", str(self.source.folder), "--name", NAME)
        while (build := self.row().get("id", 0)) == before:
            if asking.poll():
                raise AssertionError("it could not be asked for: see what was printed")
            time.sleep(POLL_SECONDS)
        self._asking.append(asking)
        return int(str(build))

    def verify(self) -> str:
        """Return what `manage.py verify` finds wrong, "" if nothing."""
        try:
            self.terminal.manage("verify")
        except subprocess.CalledProcessError as error:
            return f"{error.stdout}{error.stderr}".strip()
        return ""

    def wait_for_search(self) -> None:
        """Return once the newest build can be searched, if it is the first."""
        while not self.row()["lexical_at"]:
            time.sleep(0.05)

    def wait_for_end(self, build: int, seconds: float = BUILD_SECONDS) -> Row:
        """Return the row of a build once it has ended, or as it is at the time out."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            row = self.row()
            if row["id"] == build and row["status"] not in ACTIVE:
                return row
            time.sleep(0.05)
        return self.row()

    def wait_for_answer(self) -> None:
        """Return once the site answers."""
        site = over_http(self.url)
        deadline = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < deadline:
            try:
                if site("/readyz")[0] == 200:
                    return
            except (OSError, HTTPException):
                time.sleep(0.05)
        raise AssertionError(f"no answer at {self.url}: {self.terminal.lines[-5:]}")

    def pid_of(self, process: str, row: Row) -> int | None:
        """Return the process that `process` is now; the pool's holds the lease."""
        if process == "serve":
            return self.terminal.process.pid
        if process == "pool":
            owner = str(row["lease_owner"]).split(":")
            return int(owner[1]) if len(owner) == 3 else None
        return self.terminal.children().get(_WORDS[process])

    def note_death(self, process: str, pid: int) -> None:
        """Remember a death, of which `serve` allows so many a minute."""
        self.last_death = (process, pid)
        deaths = self.deaths.setdefault(process, deque(maxlen=DEATHS - 1))
        deaths.append(time.monotonic())

    def revive(self) -> None:
        """Start `serve` again if it was killed, and wait until it is whole."""
        if self.terminal.process.poll() is not None:
            self.terminal = self._start()
        # What a killed server was at is answered for a moment by what it leaves behind.
        process, pid = self.last_death
        deadline = time.monotonic() + ANSWER_SECONDS
        while process == "web" and self.pid_of(process, {}) in (None, pid):
            if time.monotonic() > deadline:
                raise AssertionError(f"no new web server: {self.terminal.lines[-5:]}")
            time.sleep(0.05)
        self.wait_for_answer()

    def spare(self, process: str) -> None:
        """Wait until one more death is not the last: `serve` gives up at some."""
        known = self.deaths.get(process, deque())
        if len(known) == DEATHS - 1:
            time.sleep(max(0.0, known[0] + DEATHS_SECONDS + 1 - time.monotonic()))


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill and what came of it. `hit` is the stage that the build was in then."""

    stage: str
    process: str
    delay: float
    hit: str
    seconds: float
    status: str
    failure: str
    attempts: int
    damage: str
    wrong: tuple[str, ...]

    @property
    def recovered(self) -> bool:
        """Whether the build ended ready and whole, and no line was wrong."""
        return self.status == "ready" and not self.damage and not self.wrong


def kill_once(
    stack: Stack,
    searcher: Searcher,
    stage: str,
    process: str,
    *,
    within: float,
    chance: random.Random,
) -> Kill:
    """Index a new commit, kill `process` at a random moment of `stage`, and wait.

    `within` are the seconds that the stage takes when nothing disturbs it.
    """
    stack.source.move()
    stack.spare(process)
    before = len(searcher.wrong)
    delay = chance.uniform(0, within)
    build = stack.index()
    hit = kill_in(stack, searcher, build, stage, process, delay)
    killed = time.monotonic()
    if hit:
        if process == "serve":
            stack.terminal.process.wait()
        stack.revive()
    row = stack.wait_for_end(build)
    seconds = time.monotonic() - killed
    stack.wait_for_answer()
    searcher.may_fail.clear()
    wrong = list(searcher.wrong[before:])
    return Kill(
        stage=stage,
        process=process,
        delay=delay,
        hit=hit,
        seconds=seconds,
        status=str(row["status"]),
        failure=str(row["failure"]),
        attempts=int(str(row["attempts"])),
        damage=stack.verify(),
        wrong=tuple(map(str, wrong + final_check(stack, chance.randrange(10**6)))),
    )


def kill_in(
    stack: Stack,
    searcher: Searcher,
    build: int,
    stage: str,
    process: str,
    delay: float,
) -> str:
    """Kill in the stage, `delay` after its begin; return the stage that was hit.

    One that is over before it is seen is hit later. "" if the build was over.
    """
    pid = None if process == "pool" else stack.pid_of(process, {})  # It takes a while.
    while not is_at(row := stack.row(), stage):
        if row["status"] not in ACTIVE:
            return ""
        time.sleep(POLL_SECONDS)
    time.sleep(delay)
    row = stack.row()
    if process == "pool":
        while (pid := stack.pid_of(process, row)) is None:
            row = stack.row()
            if row["status"] not in ACTIVE:
                return ""
    if process in ("web", "serve"):
        searcher.may_fail.set()
    if pid is None:
        raise AssertionError(f"there is no {process}")
    os.kill(pid, signal.SIGKILL)
    stack.note_death(process, pid)
    return stage_of(row) or str(row["status"])


def is_at(row: Row, stage: str) -> bool:
    """Tell whether a build is in a stage or behind it."""
    at = stage_of(row)
    return bool(at) and STAGES.index(at) >= STAGES.index(stage)


def final_check(stack: Stack, seed: int, queries: int = 6) -> list[Wrong]:
    """Ask a few fresh queries, and look at files and indexed texts as well."""
    truth = Truth(stack.source.folder)
    checker = Checker(over_http(stack.url), truth, NAME)
    asked = make_queries(truth, queries, seed)
    found = [wrong for query in asked for wrong in checker.check(query)]
    head = truth.head()
    shown = checker.revisions - {head}
    if shown:
        found.append(Wrong("", "revision", f"hits of {shown}, but HEAD is {head}"))
    return found + [Wrong("", "refused", said) for said in checker.refusals]


def undisturbed(stack: Stack, build: int) -> dict[str, float]:
    """Follow a build that nobody disturbs; return the seconds of each stage."""
    seconds = dict.fromkeys(STAGES, 0.0)
    last = time.monotonic()
    while True:
        row = stack.row()
        now = time.monotonic()
        if row["id"] == build and row["status"] not in ACTIVE:
            return seconds
        if stage := stage_of(row):
            seconds[stage] = seconds.get(stage, 0.0) + now - last
        last = now
        time.sleep(POLL_SECONDS)
