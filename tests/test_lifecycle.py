"""From a registered repository to vectors, through real processes that are killed.

A real broker, a real worker, a real web server and the packaged model. It takes
a minute; nothing else shows that an interrupted build ends complete, once.
"""

from __future__ import annotations

import json
import os
import signal
import time
import urllib.request
from collections.abc import Callable

from tests.conftest import MakeRepository
from tests.terminal import Terminal

FUNCTIONS = 500  # Enough to be killed in the middle of, some seconds a surface.
BUILD_SECONDS = 180.0
POLL_SECONDS = 0.2


def write_module(count: int) -> str:
    """Return a module of documented functions that all differ."""
    return "\n\n".join(
        f"def convert_{n}(amount):\n"
        f'    """Convert an amount of currency number {n} to cents."""\n'
        f"    rate = {n} * 100\n    return amount * rate\n"
        for n in range(count)
    )


def wait_for(terminal: Terminal, ready: Callable[[dict[str, object]], bool]) -> None:
    """Watch the newest build until `ready` says yes of its row."""
    deadline = time.monotonic() + BUILD_SECONDS
    while not ready(terminal.newest_build()):
        assert time.monotonic() < deadline, terminal.newest_build()
        time.sleep(POLL_SECONDS)  # The one real clock here is the worker's.


def get(terminal: Terminal, address: str) -> str:
    with urllib.request.urlopen(terminal.url + address) as answer:  # noqa: S310
        body: bytes = answer.read()
    return body.decode()


def test_an_interrupted_build_ends_complete_and_once(
    start: Callable[[], Terminal], make_repository: MakeRepository
) -> None:
    source = make_repository({"money.py": write_module(FUNCTIONS)})
    first = start()
    first.wait_for("codesearch is at")
    first.manage("index", str(source), "--name", "money")

    # The words can be searched while the vectors are being made.
    wait_for(first, lambda row: row["lexical_at"] is not None)
    found = json.loads(get(first, "?q=convert_123&format=json"))
    assert found["hits"][0]["symbol"] == "convert_123"
    assert found["builds"][0]["coverage"]["body"] < 1

    wait_for(first, lambda row: row["stage"] == "purposes")
    assert first.stop(signal.SIGINT) == 0
    interrupted = first.newest_build()
    assert interrupted["status"] == "running"

    second = start()
    second.wait_for("codesearch is at")
    wait_for(second, lambda row: row["stage"] == "bodies")
    os.kill(second.children()["celery"], signal.SIGKILL)
    second.wait_for("The worker died (signal 9); restarting.")
    second.process.kill()
    second.process.wait()

    third = start()
    third.wait_for("codesearch is at")
    wait_for(third, lambda row: row["status"] not in ("queued", "running"))
    row = third.newest_build()
    assert (row["status"], row["failure"], row["layers"]) == ("ready", "", 4)
    assert row["id"] == interrupted["id"] == 1
    assert row["vectors_done"] == row["vector_count"] == 2 * FUNCTIONS + 1

    # Reading it verifies the checksum of every file.
    traced = json.loads(
        third.manage(
            "trace",
            "currency number 321 to cents",
            *("--target", "convert_321", "--repository", "money", "--json"),
        )
    )
    target = traced["targets"][0]
    assert target["death"] is None
    assert {name for name, leg in target["legs"].items() if leg} == {
        "purpose",
        "body",
        "bm25",
    }
    assert third.stop(signal.SIGTERM) == 0
