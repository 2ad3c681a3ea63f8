"""Fixtures that several tests share. Nothing here reaches beyond loopback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from indexer.pipeline.loading import cpu_has_bf16

# Before the settings are read, here and in every process that a test starts: no
# test may touch the data of whoever runs it. pyproject.toml does not name the
# settings, because pytest-django would read them before this file.
os.environ["CODESEARCH_DATA"] = tempfile.mkdtemp(prefix="codesearch-tests-")
os.environ["DJANGO_SETTINGS_MODULE"] = "codesearch.settings"
# Processes that tests start prepare a model once a run, not once in each folder of a
# test, or never: whoever sets this folder keeps what is prepared. In this one, whose
# models are many and small, torch computes them as they are.
os.environ.setdefault("CODESEARCH_MODELS", os.environ["CODESEARCH_DATA"] + "/models")
os.environ["CODESEARCH_RUNTIME"] = "bf16" if cpu_has_bf16() else "fp32"
for name in ("DATABASE_URL", "REDIS_URL"):
    os.environ.pop(name, None)

import django  # noqa: E402

django.setup()
del os.environ["CODESEARCH_RUNTIME"]

import hypothesis  # noqa: E402
import pytest  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from pytest_django import Settings  # noqa: E402
from pytest_django.plugin import blocking_manager_key  # noqa: E402

from indexer import encoders, leases, services  # noqa: E402
from indexer.models import Build, Index  # noqa: E402
from tests.encoders import WordEncoder  # noqa: E402
from tests.terminal import Terminal, free_port  # noqa: E402

# The rows of a test are in its own transaction: a lease that is renewed by another
# thread, as any is that a slow machine holds for long, would only meet a locked table.
leases.HEARTBEAT_SECONDS = 3600.0

# A case that was generated may take its time, as any other: of a slow machine it says
# nothing about the code.
hypothesis.settings.register_profile("codesearch", deadline=None)
hypothesis.settings.load_profile("codesearch")

SHARED_MODELS = Path(os.environ["CODESEARCH_MODELS"])
ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

MakeRepository = Callable[[dict[str, str | bytes]], Path]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Function) -> Iterator[None]:
    """Put back what migrations made, once a test that commits has emptied all tables.

    pytest-django runs such tests last, which holds for no process of several.
    """
    marks = item.iter_markers("django_db")
    is_emptied = any(mark.kwargs.get("serialized_rollback") for mark in marks)
    yield
    if is_emptied or "django_db_serialized_rollback" in item.fixturenames:
        with item.config.stash[blocking_manager_key].unblock():
            rows = connection._test_serialized_contents  # type: ignore[attr-defined]
            connection.creation.deserialize_db_from_string(rows)


def pytest_unconfigure() -> None:
    shutil.rmtree(os.environ["CODESEARCH_DATA"], ignore_errors=True)


@pytest.fixture
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    """An empty data folder, for this test alone and in this process only."""
    folder = tmp_path / "data"
    settings.DATA_DIR = folder
    settings.MIRRORS_DIR = folder / "mirrors"
    settings.BUILDS_DIR = folder / "builds"
    settings.CACHE_DIR = folder / "cache"
    settings.RUN_DIR = folder / "run"
    return folder


@pytest.fixture
def port() -> int:
    """A port of loopback that nothing listens on yet."""
    return free_port()


@pytest.fixture
def start(tmp_path: Path, port: int) -> Iterator[Callable[[], Terminal]]:
    """Starts a whole `serve` on this test's data folder; the rest is cleaned up."""
    started: list[Terminal] = []

    def start_one() -> Terminal:
        started.append(Terminal(tmp_path / "data", port))
        return started[-1]

    yield start_one
    for terminal in started:
        if terminal.process.poll() is None:
            terminal.process.kill()
        terminal.process.communicate()


@pytest.fixture(scope="session")
def make_repository(tmp_path_factory: pytest.TempPathFactory) -> MakeRepository:
    """Makes a Git repository of one commit from {path: content}."""

    def make(files: dict[str, str | bytes]) -> Path:
        folder = tmp_path_factory.mktemp("repository")
        run_git(folder, "init", "--quiet", "--initial-branch=main")
        commit_files(folder, files)
        return folder

    return make


@pytest.fixture(scope="session")
def hostile_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of `tests/cases/repository`; no test changes it."""
    folder = tmp_path_factory.mktemp("hostile") / "repository"
    script = ROOT / "tests" / "cases" / "repository" / "build_hazard_repo.py"
    subprocess.run(  # noqa: S603 - a list, no shell
        [sys.executable, str(script), str(folder)],
        env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull},
        check=True,
        capture_output=True,
    )
    return folder


def commit_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write {path: content} into the repository at `folder` and commit all of it."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    run_git(folder, "add", "--all", "--force")
    run_git(folder, "commit", "--quiet", "--allow-empty", "--message=One")


def run_git(folder: Path, *arguments: str) -> str:
    """Run git in `folder` as nobody in particular; return what it says."""
    identity = ["-c", "user.name=tests", "-c", "user.email=tests@localhost"]
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    return subprocess.run(  # noqa: S603 - a list, no shell
        ["git", *identity, *arguments],  # noqa: S607 - git is wherever it is
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def find_browser() -> str | None:
    """Return where the browser is, None if there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def browser_path() -> str:
    """The browser that the end-to-end tests drive; without one they are left out."""
    found = find_browser()
    if found is None:
        pytest.skip("no chromium here: install it to run the browser tests")
    return found


@pytest.fixture
def admin(client: Client, db: None) -> Client:
    """A browser in which someone is signed in who may do everything."""
    client.force_login(User.objects.create_superuser("root"))
    return client


def build_all(index: Index) -> Build:
    """Return the finished build of what an index tracks."""
    build = services.request_build(index=index, enqueue=False)
    return services.finish_build(build=build)


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> WordEncoder:
    """A deterministic encoder in place of every model."""
    stand_in = WordEncoder()
    monkeypatch.setattr(encoders, "encoder_of", lambda *build: (stand_in, ""))
    return stand_in
