"""Keeps a few processes running in one terminal, and stops them in order."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from codesearch.processes import kill_group, start_process

POLL_SECONDS = 0.1
PATIENCE_SECONDS = 4.0  # Of someone who looks at a terminal that is to stop.
DEATHS = 5  # This many deaths of one process ...
DEATHS_SECONDS = 60.0  # ... within this time, and we give up.
PAUSE_SECONDS = 1.0  # Before a restart, so that a broken process does not spin.
STOPPING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class SupervisorError(Exception):
    """The processes cannot run; the message says why."""


class Interrupted(Exception):
    """Someone asked us to stop while something was starting."""


@dataclass(frozen=True, slots=True)
class Service:
    """A process to keep running.

    `is_ready` is asked until it says yes, for `start_seconds` at most; without
    it the process counts as ready once it runs. `after_death` is called when it
    died and runs again, ready if that is soon; `before_stop` before it is asked to
    stop. `once`: it may end by itself.
    """

    name: str
    command: list[str]
    is_ready: Callable[[], bool] | None = None
    start_seconds: float = 60.0
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 10.0
    orphan_signal: signal.Signals = signal.SIGTERM
    after_death: Callable[[], None] | None = None
    before_stop: Callable[[], None] | None = None
    once: bool = False


@dataclass(slots=True)
class Running:
    """A started service: its process, and when its predecessors died."""

    service: Service
    process: subprocess.Popen[bytes]
    deaths: deque[float] = field(default_factory=lambda: deque(maxlen=DEATHS))


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock file at `path`; raise `SupervisorError` if someone else does.

    The kernel lets go of the lock when its holder dies, however it dies.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise SupervisorError(
            f"{path} cannot be written: {error.strerror}. Make the data folder "
            "writable, or set CODESEARCH_DATA to another folder."
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 20).decode() or "unknown"
            raise SupervisorError(
                f"codesearch already runs on {path.parent.parent} (process {holder}). "
                "Stop it first, or set CODESEARCH_DATA to another folder."
            ) from error
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)


class Supervisor:
    """Starts services, restarts those that die, stops all in reverse order.

    Use it as a context manager, in the main thread. The first signal to stop
    drains, the second kills. Nothing here is thread-safe.
    """

    def __init__(self, *, folder: Path, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.say = say
        self.running: list[Running] = []
        self.interrupts = 0

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def obey_signals(self) -> None:
        """Count the signals that ask us to stop. For a process of its own only."""
        for number in STOPPING_SIGNALS:
            signal.signal(number, self._interrupt)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.interrupts += 1

    def start(self, service: Service) -> None:
        """Start `service` and wait until it is ready."""
        self.check_interrupt()
        self.running.append(Running(service, self._launch(service)))
        process = self.running[-1].process
        deadline = time.monotonic() + service.start_seconds
        while service.is_ready is not None and not service.is_ready():
            self.check_interrupt()
            if process.poll() is not None:
                raise SupervisorError(
                    f"The {service.name} ended ({describe(process.returncode)}) "
                    "before it was ready."
                )
            if time.monotonic() > deadline:
                raise SupervisorError(
                    f"The {service.name} was not ready after "
                    f"{service.start_seconds:.0f} seconds."
                )
            time.sleep(POLL_SECONDS)

    def check_interrupt(self) -> None:
        """Raise `Interrupted` if someone asked us to stop."""
        if self.interrupts:
            raise Interrupted

    def watch(self) -> None:
        """Restart what dies, until someone asks us to stop.

        Raises `SupervisorError` when one process died too often.
        """
        while not self.interrupts:
            for running in list(self.running):
                if running.process.poll() is not None:
                    self._handle_death(running)
            time.sleep(POLL_SECONDS)

    def _handle_death(self, running: Running) -> None:
        service, process = running.service, running.process
        kill_group(process)  # Pool processes outlive a killed worker.
        if service.once:
            self.running.remove(running)
            return
        now = time.monotonic()
        running.deaths.append(now)
        if len(running.deaths) == DEATHS and now - running.deaths[0] < DEATHS_SECONDS:
            raise SupervisorError(
                f"The {service.name} died {DEATHS} times within a minute "
                f"({describe(process.returncode)}); stopping everything."
            )
        self.say(
            f"The {service.name} died ({describe(process.returncode)}); restarting."
        )
        time.sleep(PAUSE_SECONDS)
        running.process = self._launch(service)
        if service.after_death is not None:
            self._wait_a_little(service)
            service.after_death()

    def _wait_a_little(self, service: Service) -> None:
        """Wait until a restarted service is ready, but not for long."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while service.is_ready is not None and not service.is_ready():
            if self.interrupts or time.monotonic() > deadline:
                return
            time.sleep(POLL_SECONDS)

    def _launch(self, service: Service) -> subprocess.Popen[bytes]:
        return start_process(
            service.command, folder=self.folder, orphan_signal=service.orphan_signal
        )

    def stop(self) -> None:
        """Stop all, the last started first; a further signal kills all at once."""
        before = self.interrupts
        while self.running:
            running = self.running[-1]
            service, process = running.service, running.process
            if process.poll() is None:
                self.say(f"Stopping the {service.name}.")
                if service.before_stop is not None:
                    service.before_stop()
                process.send_signal(service.stop_signal)
            asked = time.monotonic()
            deadline = asked + service.stop_seconds
            told = False
            while process.poll() is None and time.monotonic() < deadline:
                if self.interrupts > before:
                    deadline = 0.0
                if not told and time.monotonic() > asked + PATIENCE_SECONDS:
                    told = True
                    self.say(
                        f"Waiting up to {service.stop_seconds:.0f} seconds for what it "
                        "is at; Ctrl-C again stops at once."
                    )
                time.sleep(POLL_SECONDS)
            if process.poll() is None:
                self.say(f"Killing the {service.name}.")
            kill_group(process)
            self.running.pop()


def describe(code: int) -> str:
    """Return what an exit code says: `signal 9` or `exit code 1`."""
    return f"signal {-code}" if code < 0 else f"exit code {code}"
