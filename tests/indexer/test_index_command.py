"""`manage.py index` with a broker, without one, and without a worker."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from pytest_django import DjangoCaptureOnCommitCallbacks

from indexer import services
from indexer.management.commands import index as command
from indexer.models import Build, Repository
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository({"money.py": "def pay(x):\n    return x\n"})


def index(*arguments: str) -> str:
    output = StringIO()
    call_command("index", *arguments, stdout=output, stderr=StringIO())
    return output.getvalue()


def test_without_a_broker_it_says_what_to_start_and_registers_nothing(
    source: Path,
) -> None:
    with pytest.raises(CommandError) as caught:
        index(str(source))

    assert caught.value.returncode == 1
    assert str(caught.value) == (
        "No broker answers. Start `python manage.py serve`, or add --wait to index "
        "in this process."
    )
    assert not Repository.objects.exists()


def test_with_wait_it_needs_no_broker(source: Path, encoder: WordEncoder) -> None:
    said = index(str(source), "--name", "shop", "--wait")

    build = Build.objects.get()
    assert build.status == "ready"
    assert said == (
        f"shop (symbol) is ready: 1 chunks of 1 files at {build.revision[:12]}, "
        "3 vectors.\n"
    )


def test_a_revision_is_indexed_when_it_is_named(
    source: Path, encoder: WordEncoder
) -> None:
    run_git(source, "tag", "v1")
    first = run_git(source, "rev-parse", "HEAD").strip()
    run_git(source, "commit", "--quiet", "--allow-empty", "--message=Two")

    index(str(source), "--name", "shop", "--revision", "v1", "--wait")

    build = Build.objects.get()
    assert (build.revision, build.wanted) == (first, "v1")
    assert Repository.objects.get().branch == ""


def test_a_revision_that_is_not_there_is_an_error(
    source: Path, encoder: WordEncoder
) -> None:
    with pytest.raises(CommandError, match="no branch, tag or commit 'v9'"):
        index(str(source), "--revision", "v9", "--wait")
    with pytest.raises(CommandError, match="cannot be the name"):
        index(str(source), "--revision=-x", "--wait")


def test_with_a_broker_it_queues_the_build(
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    woken: list[int] = []
    monkeypatch.setattr(command, "broker_answers", lambda: True)
    monkeypatch.setattr(services, "_enqueue", woken.append)

    with django_capture_on_commit_callbacks(execute=True):
        said = index(str(source), "--name", "shop", "--profile", "window")

    build = Build.objects.get()
    assert said == f"Build {build.pk} of shop (window) is queued.\n"
    assert woken == [build.pk]


def test_a_full_disk_is_a_sentence(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**asked: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(services, "request_build", fail)

    with pytest.raises(CommandError, match="The disk of the data is full: make room"):
        index(str(source), "--wait")


def test_a_build_that_fails_is_an_error_with_its_sentence(
    make_repository: MakeRepository, encoder: WordEncoder
) -> None:
    empty = make_repository({"logo.png": b"\x89PNG\x00"})

    with pytest.raises(CommandError, match="none of its 1 files holds code") as caught:
        index(str(empty), "--wait")

    assert caught.value.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["/no/such/folder"], "There is no folder /no/such/folder."),
        (["http://example.org/x"], "use https://"),
        (["https://me:secret@example.org/x"], "Leave the user name"),
        ([".", "--name", "a/b"], "Use letters, digits"),
        (
            [".", "--profile", "none"],
            "No profile 'none'; there are static, symbol, window.",
        ),
    ],
)
def test_what_cannot_be_registered_is_a_sentence(
    arguments: list[str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        index(*arguments, "--wait")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("https://example.org/team/shop.git", "shop"),
        ("git@example.org:team/shop.git", "shop"),
        ("/srv/code/my shop/", "my-shop"),
        ("/", "repository"),
    ],
)
def test_the_name_is_the_last_part_of_the_source(source: str, name: str) -> None:
    assert command.name_of(source) == name
