"""A running `serve`, as a person has it in a terminal."""

from __future__ import annotations

import os
import re
import selectors
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 120.0
STOP_SECONDS = 45.0  # What web server, worker and broker may take together.


def free_port() -> int:
    """Return a port of loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
    return number


class Terminal:
    """A running `serve`, and what it has printed so far."""

    def __init__(self, data: Path, port: int, **environment: str) -> None:
        self.data = data
        self.url = f"http://127.0.0.1:{port}/"
        self.lines: list[str] = []
        self.reader: threading.Thread | None = None
        self.environment = os.environ | {
            "CODESEARCH_DATA": str(data),
            "CODESEARCH_PORT": str(port),
            "CODESEARCH_WORKERS": "1",
            **environment,
        }
        self.process = subprocess.Popen(  # noqa: S603 - a list, no shell
            [sys.executable, str(ROOT / "manage.py"), "serve"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
        )

    def wait_for(self, text: str, seconds: float = START_SECONDS) -> str:
        """Read on until a line holds `text`; fail with all lines if none does."""
        output = self.process.stdout
        assert output is not None
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            while selector.select(max(0.0, deadline - time.monotonic())):
                line = output.readline().decode()
                if not line:
                    break
                self.lines.append(line)
                if text in line:
                    return line
        raise AssertionError(f"no {text!r} in:\n{''.join(self.lines)}")

    def read_on(self) -> None:
        """Go on reading what it prints, so that it never waits for a reader."""
        output = self.process.stdout
        assert output is not None

        def read() -> None:
            with output:
                for line in output:
                    self.lines.append(line.decode())

        self.reader = threading.Thread(target=read, daemon=True)
        self.reader.start()

    def newest_build(self) -> dict[str, object]:
        """Return the newest build's row, straight from the database, and its layers."""
        with closing(
            sqlite3.connect(self.data / "db.sqlite3", timeout=30)
        ) as connection:
            connection.row_factory = sqlite3.Row
            row = connection.execute(
                "SELECT b.*, count(l.id) AS layers FROM indexer_build b "
                "LEFT JOIN indexer_layer l ON l.build_id = b.id "
                "GROUP BY b.id ORDER BY b.id DESC LIMIT 1"
            ).fetchone()
        return dict(row) if row else {}

    def children(self) -> dict[str, int]:
        """Return the process ids of what it started, by a word of each command."""
        listing = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid=,args="],  # noqa: S607 - a fixed command
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        found = {}
        for line in listing.splitlines():
            pid, parent, command = line.split(maxsplit=2)
            if int(parent) == self.process.pid:
                word = re.search(r"valkey|gunicorn|celery", command)
                found[word[0] if word else command] = int(pid)
        return found

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Send a signal; return the exit code within the bound."""
        self.process.send_signal(number)
        if self.reader:  # Of two readers one would find what the other has closed.
            self.process.wait(timeout=STOP_SECONDS)
            self.reader.join()
        else:
            self.process.communicate(timeout=STOP_SECONDS)
        return self.process.returncode

    def begin(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command of manage.py on the same data."""
        return subprocess.Popen(  # noqa: S603 - a list, no shell
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            env=self.environment,
            stdout=subprocess.DEVNULL,
        )

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py on the same data; return what it prints."""
        return subprocess.run(  # noqa: S603 - a list, no shell
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
