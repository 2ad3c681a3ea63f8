"""`serve` runs everything in one terminal, repairs it, and stops it in order.

These start real brokers, workers and web servers, so they take seconds each;
they run always, because nothing else shows that the processes fit together.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
import redis

from codesearch.supervisor import Service, Supervisor, SupervisorError, only_one
from tests.terminal import STOP_SECONDS, Terminal

ROOT = Path(__file__).resolve().parent.parent.parent
linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells a process that its parent died"
)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        os.sched_yield()


def test_a_long_query_reaches_the_page_in_any_script(
    start: Callable[[], Terminal],
) -> None:
    terminal = start()
    terminal.wait_for("codesearch is at")

    address = f"{terminal.url}?q={quote('検' * 800)}"
    with urllib.request.urlopen(address) as answer:  # noqa: S310
        assert answer.status == 200


def test_it_serves_repairs_and_stops(start: Callable[[], Terminal]) -> None:
    terminal = start()

    assert terminal.url in terminal.wait_for("codesearch is at")
    with urllib.request.urlopen(f"{terminal.url}healthz") as answer:  # noqa: S310
        assert answer.status == 200
    before = terminal.children()
    assert set(before) == {"valkey", "gunicorn", "celery"}

    os.kill(before["celery"], signal.SIGKILL)
    terminal.wait_for("The worker died (signal 9); restarting.")
    wait_until(lambda: "celery" in terminal.children())
    after = terminal.children()
    assert after["celery"] != before["celery"]
    assert after["valkey"] == before["valkey"]

    second = start()
    second.wait_for("codesearch already runs on")
    assert second.process.wait(STOP_SECONDS) == 1

    assert terminal.stop() == 0
    assert not any(is_alive(pid) for pid in (*before.values(), *after.values()))


@linux_only
def test_a_killed_stack_leaves_nothing_behind_and_starts_again(
    start: Callable[[], Terminal],
) -> None:
    terminal = start()
    terminal.wait_for("codesearch is at")
    children = terminal.children()
    queue = redis.Redis(unix_socket_path=str(terminal.data / "run" / "valkey.sock"))
    queue.rpush("kept", "1")
    queue.config_set("appendfsync", "always")
    queue.rpush("kept", "2")
    queue.close()

    terminal.process.kill()
    terminal.process.wait()
    wait_until(lambda: not any(map(is_alive, children.values())))

    again = start()
    again.wait_for("codesearch is at")
    queue = redis.Redis(unix_socket_path=str(again.data / "run" / "valkey.sock"))
    assert queue.lrange("kept", 0, -1) == [b"1", b"2"]
    queue.close()
    assert again.stop(signal.SIGTERM) == 0


def test_a_busy_port_is_a_sentence(start: Callable[[], Terminal], port: int) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", port))
        holder.listen()

        terminal = start()
        terminal.wait_for(f"Port {port} of 127.0.0.1 is in use.")

        assert terminal.process.wait(STOP_SECONDS) == 1


def sleeper(name: str, code: str, **options: object) -> Service:
    command = [sys.executable, "-c", code]
    return Service(name=name, command=command, **options)  # type: ignore[arg-type]  # by name


def test_what_dies_too_often_ends_the_stack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codesearch.supervisor.PAUSE_SECONDS", 0.0)
    said: list[str] = []

    with Supervisor(folder=tmp_path, say=said.append) as supervisor:
        supervisor.start(sleeper("calm", "import time; time.sleep(60)"))
        calm = supervisor.running[0].process
        supervisor.start(
            sleeper(
                "broken",
                "raise SystemExit(3)",
                after_death=lambda: said.append("again"),
            )
        )
        with pytest.raises(SupervisorError, match="broken died 5 times .*exit code 3"):
            supervisor.watch()

    assert said[:-1] == ["The broken died (exit code 3); restarting.", "again"] * 4
    assert calm.returncode == -signal.SIGTERM


def test_what_does_not_stop_in_time_is_killed(tmp_path: Path) -> None:
    deaf = (
        "import signal, time, pathlib; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "pathlib.Path('ready').touch(); time.sleep(60)"
    )
    ready = (tmp_path / "ready").exists

    with Supervisor(folder=tmp_path, say=lambda line: None) as supervisor:
        supervisor.start(sleeper("deaf", deaf, is_ready=ready, stop_seconds=0.3))
        process = supervisor.running[0].process

    assert process.returncode == -signal.SIGKILL


def test_what_ends_before_it_is_ready_is_a_sentence(tmp_path: Path) -> None:
    with (
        Supervisor(folder=tmp_path, say=lambda line: None) as supervisor,
        pytest.raises(SupervisorError, match=r"ended \(exit code 1\) before it was"),
    ):
        supervisor.start(
            sleeper("short", "raise SystemExit(1)", is_ready=lambda: False)
        )


def test_the_lock_is_free_again_after_its_holder(tmp_path: Path) -> None:
    lock = tmp_path / "run" / "serve.lock"
    with only_one(lock), pytest.raises(SupervisorError), only_one(lock):
        pass

    with only_one(lock):
        assert lock.read_text() == str(os.getpid())


def test_a_lock_that_cannot_be_written_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    lock = tmp_path / "file" / "serve.lock"

    with pytest.raises(SupervisorError, match="CODESEARCH_DATA"), only_one(lock):
        pass
