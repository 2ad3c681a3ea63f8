"""An audit through real processes: killed, cancelled, and worked on by two at once.

A real broker, a real worker and the packaged model. Whatever happens to the workers,
a finished audit has each row once, and it is the row of an undisturbed run.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import MakeRepository
from tests.terminal import ROOT, Terminal

FUNCTIONS = 40  # As many as the targets of the set.
CASES = 200  # Enough to be killed in the middle of, some seconds.
SHARED = 40  # Enough for two to have a part.
SECONDS = 180.0
POLL_SECONDS = 0.1

MAKE_SET = """
from codesearch.models import Case, CaseSet
from indexer.models import Repository
found = CaseSet.objects.create(name="money", repository_count=1)
found.repositories.add(Repository.objects.get())
Case.objects.bulk_create(
    Case(
        case_set=found,
        key=f"q{n}",
        query=f"amount {n} of a currency to cents",
        targets=[f"convert_{n % 40}"],
        digest="",
    )
    for n in range(COUNT)
)
"""
REQUEST = """
from codesearch.audits.running import request_audit
from codesearch.models import CaseSet
from indexer.access import COMMAND_LINE
audit = request_audit(
    viewer=COMMAND_LINE, user=None, case_set=CaseSet.objects.get(), enqueue={enqueue}
)
print(audit.pk)
"""
CANCEL = """
from codesearch.audits.running import cancel_audit
from codesearch.models import Audit
from indexer.access import COMMAND_LINE
print(cancel_audit(viewer=COMMAND_LINE, audit=Audit.objects.get(pk={pk})))
"""
WORK = """
import time
from codesearch.audits import asking, running
from codesearch.models import Audit
running.BATCH_SECONDS = 0.05
def ask(row, asked):
    print(row.key, flush=True)
    return asking.ask_case(row, asked)
running.ask_case = ask
while Audit.objects.get(pk={pk}).is_active:
    running.advance_audit(audit_id={pk})
    time.sleep(0.05)  # So that it is the other's turn.
"""


def write_module() -> str:
    return "\n\n".join(
        f"def convert_{n}(amount):\n"
        f'    """Convert an amount of currency number {n} to cents."""\n'
        f"    rate = {n} * 100\n    return amount * rate\n"
        for n in range(FUNCTIONS)
    )


def read(terminal: Terminal, query: str, *values: int) -> list[tuple[Any, ...]]:
    """Return rows straight from the database."""
    path = terminal.data / "db.sqlite3"
    with sqlite3.connect(path, timeout=30) as connection:
        return list(connection.execute(query, values))


def asked(terminal: Terminal, pk: int) -> int:
    """Return how many rows of an audit have a result."""
    sql = "SELECT count(*) FROM codesearch_auditrow WHERE audit_id=? AND result NOTNULL"
    count: int = read(terminal, sql, pk)[0][0]
    return count


def status(terminal: Terminal, pk: int) -> tuple[str, str]:
    sql = "SELECT status, failure FROM codesearch_audit WHERE id=?"
    return (*read(terminal, sql, pk)[0],)


def results(terminal: Terminal, pk: int) -> list[tuple[str, dict[str, Any]]]:
    """Return key and result of each row that has one, without its time."""
    sql = "SELECT key, result FROM codesearch_auditrow WHERE audit_id=? ORDER BY number"
    rows = [(k, json.loads(found)) for k, found in read(terminal, sql, pk) if found]
    for _, result in rows:
        del result["milliseconds"]
    return rows


def wait(terminal: Terminal, pk: int, ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not ready():
        assert time.monotonic() < deadline, (status(terminal, pk), asked(terminal, pk))
        time.sleep(POLL_SECONDS)  # The one real clock here is the worker's.


def is_over(terminal: Terminal, pk: int) -> bool:
    return status(terminal, pk)[0] not in ("queued", "running")


def request(terminal: Terminal, *, enqueue: bool = True) -> int:
    return int(run(terminal, REQUEST.format(enqueue=enqueue)))


def run(terminal: Terminal, code: str) -> str:
    """Run code in the stack's settings; return what it prints."""
    return terminal.manage("shell", "--no-imports", "-c", code)


@pytest.fixture
def terminal(
    start: Callable[[], Terminal], make_repository: MakeRepository
) -> Terminal:
    """A stack with an indexed repository."""
    found = start()
    found.wait_for("codesearch is at")
    source = make_repository({"money.py": write_module()})
    found.manage("index", str(source), "--name", "money", "--wait")
    return found


def test_an_audit_survives_kill_9_and_stops_when_it_is_cancelled(
    terminal: Terminal,
) -> None:
    run(terminal, MAKE_SET.replace("COUNT", str(CASES)))
    disturbed = request(terminal)
    wait(terminal, disturbed, lambda: asked(terminal, disturbed) > 20)
    os.kill(terminal.children()["celery"], signal.SIGKILL)
    terminal.wait_for("The worker died (signal 9); restarting.")
    terminal.wait_for("Resuming 1 unfinished audit.")
    between = asked(terminal, disturbed)
    wait(terminal, disturbed, lambda: is_over(terminal, disturbed))
    terminal.manage("audit", "money")
    undisturbed = disturbed + 1

    assert between < CASES
    assert status(terminal, disturbed) == ("done", "")
    assert asked(terminal, disturbed) == CASES
    assert results(terminal, disturbed) == results(terminal, undisturbed)

    cancelled = request(terminal)
    wait(terminal, cancelled, lambda: asked(terminal, cancelled) > 0)
    said = run(terminal, CANCEL.format(pk=cancelled))
    held = asked(terminal, cancelled)
    after = request(terminal)  # The one worker comes to it when it has let go.
    wait(terminal, after, lambda: asked(terminal, after) > 0)

    assert said == "True\n"
    assert status(terminal, cancelled) == ("cancelled", "")
    assert 0 < asked(terminal, cancelled) == held < CASES
    assert results(terminal, cancelled)[0] == results(terminal, undisturbed)[0]
    assert terminal.stop(signal.SIGTERM) == 0


def test_two_workers_at_once_ask_each_case_once(terminal: Terminal) -> None:
    run(terminal, MAKE_SET.replace("COUNT", str(SHARED)))
    pk = request(terminal, enqueue=False)
    workers = [
        subprocess.Popen(  # noqa: S603 - a list, no shell
            [
                sys.executable,
                str(ROOT / "manage.py"),
                "shell",
                "--no-imports",
                "-c",
                code,
            ],
            env=terminal.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for code in [WORK.format(pk=pk)] * 2
    ]

    keys = [worker.communicate(timeout=SECONDS)[0].split() for worker in workers]

    assert status(terminal, pk) == ("done", "")
    assert all(keys)  # Both had a part in it.
    assert sorted(keys[0] + keys[1]) == sorted(f"q{n}" for n in range(SHARED))
