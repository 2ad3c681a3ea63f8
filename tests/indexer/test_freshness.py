"""A source is looked at when it is due, and what is newer is built, once."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from indexer import fetching, freshness, progress, removal, services, tasks
from indexer.fetching import locked
from indexer.freshness import MOST_AT_ONCE, PATIENCE, RETRY, fetch
from indexer.models import Build, Index, Repository
from indexer.places import mirror_of
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository({"money.py": "def pay():\n    return 1\n"})


@pytest.fixture
def index(source: Path, encoder: WordEncoder) -> Index:
    return services.register(name="shop", source=str(source))


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Stands in for the broker; holds the tasks that were queued."""
    queue = Mock()
    monkeypatch.setattr(tasks.fetch_repository, "apply_async", queue)
    return queue


def commit(source: Path, text: str) -> str:
    """Change the only file; return the new commit."""
    (source / "money.py").write_text(f"def {text}():\n    return 1\n")
    run_git(source, "commit", "--quiet", "--all", f"--message={text}")
    return run_git(source, "rev-parse", "HEAD").strip()


def build(index: Index, revision: str = "") -> Build:
    return services.finish_build(
        build=services.request_build(index=index, enqueue=False, revision=revision)
    )


def shop() -> Repository:
    return Repository.objects.get(name="shop")


def newest(index: Index) -> Build:
    return index.builds.order_by("-pk")[0]


def test_a_new_commit_is_found_and_a_build_requested(
    index: Index, source: Path
) -> None:
    first = build(index)
    revision = commit(source, "refund")

    assert fetch(shop())

    assert shop().fetched_revision == revision
    assert (newest(index).status, newest(index).cause) == ("queued", "schedule")
    assert newest(index) != first
    assert services.finish_build(build=newest(index)).revision == revision


def test_nothing_new_requests_nothing(index: Index, source: Path) -> None:
    first = build(index)

    assert fetch(shop())
    assert fetch(shop())

    assert newest(index) == first


def test_each_profile_that_was_built_is_followed_and_no_other(
    index: Index, source: Path
) -> None:
    build(index)
    window = services.add_index(repository=index.repository, profile="window")
    commit(source, "refund")

    fetch(shop())
    assert not window.builds.exists()

    build(window)
    commit(source, "gift")
    fetch(shop())
    assert newest(window).status == "queued"


def test_a_commit_to_another_branch_requests_nothing(
    index: Index, source: Path
) -> None:
    first = build(index)
    run_git(source, "checkout", "--quiet", "-b", "side")
    Repository.objects.update(branch="main")
    commit(source, "refund")

    assert fetch(shop())

    assert newest(index) == first


def test_a_fetch_that_fails_leaves_the_build_and_says_why(
    index: Index, source: Path
) -> None:
    first = build(index)
    before = shop().fetched_at
    shutil.rmtree(source)

    assert not fetch(shop())

    index.refresh_from_db()
    repository = shop()
    assert index.current_build == first == newest(index)
    assert repository.fetched_at == before
    assert repository.fetched_revision == first.revision
    assert repository.fetch_failure == (
        f"There is no folder {str(source)!r}: check the path."
    )


def test_a_later_success_takes_the_failure_away(index: Index, source: Path) -> None:
    build(index)
    Repository.objects.update(branch="gone")
    fetch(shop())
    failure = shop().fetch_failure
    Repository.objects.update(branch="main")

    assert fetch(shop())

    assert "no branch, tag or commit 'gone'" in failure
    assert shop().fetch_failure == ""


def test_a_plain_folder_is_built_again_when_its_content_is_another(
    tmp_path: Path, encoder: WordEncoder
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.py").write_text("def one():\n    pass\n")
    index = services.register(name="shop", source=str(folder))
    first = build(index)

    fetch(shop())
    assert newest(index) == first

    (folder / "a.py").write_text("def two():\n    pass\n")
    fetch(shop())
    assert newest(index).status == "queued"


def test_it_is_known_how_far_the_searched_build_is_behind(
    index: Index, source: Path
) -> None:
    first = build(index)
    for name in ("refund", "gift"):
        commit(source, name)

    fetch(shop())

    first.refresh_from_db()
    assert first.commits_behind == 2


def test_a_chosen_older_revision_knows_its_distance_at_once(
    index: Index, source: Path
) -> None:
    first = run_git(source, "rev-parse", "HEAD").strip()
    commit(source, "refund")

    assert build(index, first).commits_behind == 1
    assert build(index, "main").commits_behind == 0


def test_a_chosen_revision_stays_until_the_branch_moves_on(
    index: Index, source: Path
) -> None:
    run_git(source, "tag", "v1")
    commit(source, "refund")
    build(index)
    chosen = build(index, "v1")

    fetch(shop())
    assert newest(index) == chosen

    commit(source, "gift")
    fetch(shop())
    assert (newest(index).wanted, newest(index).status) == ("", "queued")


def test_a_revision_that_is_being_built_by_choice_is_finished_first(
    index: Index, source: Path
) -> None:
    run_git(source, "tag", "v1")
    build(index)
    Repository.objects.update(fetch_minutes=5)
    chosen = services.request_build(index=index, enqueue=False, revision="v1")
    commit(source, "refund")

    fetch(shop())
    chosen.refresh_from_db()
    assert chosen.status == "queued"

    services.finish_build(build=chosen)
    assert (newest(index).wanted, newest(index).cause) == ("", "schedule")


def test_a_commit_that_came_during_a_build_is_built_after_it(
    index: Index, source: Path
) -> None:
    build(index)
    Repository.objects.update(hook_secret="s" * 20)
    commit(source, "refund")
    running = services.request_build(index=index, enqueue=False)
    services.advance_build(build_id=running.pk)
    last = commit(source, "gift")

    fetch(shop(), cause="push")
    assert newest(index) == running

    services.finish_build(build=running)
    assert newest(index) != running
    assert newest(index).cause == "push"
    assert services.finish_build(build=newest(index)).revision == last
    assert newest(index).status == "ready"


def test_a_repository_that_nobody_lets_follow_is_not_built_by_itself(
    index: Index, source: Path
) -> None:
    build(index)
    run_git(source, "tag", "v1")
    commit(source, "refund")

    chosen = build(index, "v1")

    assert newest(index) == chosen


def test_a_build_that_was_removed_as_it_ended_is_followed_by_nothing(
    index: Index, source: Path
) -> None:
    removed = build(index)
    Repository.objects.update(fetch_minutes=5, fetched_revision="f" * 40)
    Build.objects.filter(pk=removed.pk).delete()

    freshness.follow_up(build=removed)
    assert not index.builds.exists()

    removal.remove_repository(repository=shop())
    freshness.follow_up(build=removed)


def test_a_build_that_was_stopped_is_not_begun_again(
    index: Index, source: Path
) -> None:
    build(index)
    Repository.objects.update(fetch_minutes=5)
    commit(source, "refund")
    fetch(shop())
    stopped = newest(index)
    services.advance_build(build_id=stopped.pk)
    progress.cancel_build(build=stopped)

    services.advance_build(build_id=stopped.pk)
    fetch(shop())

    assert newest(index) == stopped


def test_a_mirror_that_is_being_fetched_is_left_alone_and_stays_due(
    index: Index, source: Path
) -> None:
    build(index)
    revision = shop().fetched_revision
    commit(source, "refund")

    with locked(mirror_of(shop())):
        assert not fetch(shop())

    assert shop().fetched_revision == revision
    due_at = shop().fetch_due_at
    assert due_at is not None
    assert due_at <= timezone.now()


def test_what_was_fetched_since_it_was_asked_for_is_not_fetched_again(
    index: Index, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(index)
    asked_at = timezone.now() - timedelta(hours=1)
    look = Mock()
    monkeypatch.setattr(freshness, "bring_up_to_date", look)

    assert fetch(shop(), asked_at=asked_at)

    assert not look.called


def test_a_clock_that_was_set_back_keeps_no_push_away(
    index: Index, source: Path
) -> None:
    build(index)
    Repository.objects.update(fetched_at=timezone.now() + timedelta(hours=1))
    newer = commit(source, "newer")

    assert fetch(shop(), asked_at=timezone.now())

    assert shop().fetched_revision == newer


def test_after_a_fetch_the_next_one_is_known(index: Index, source: Path) -> None:
    build(index)
    before = timezone.now()

    fetch(shop())
    assert shop().fetch_due_at is None

    Repository.objects.update(fetch_minutes=30)
    fetch(shop())
    due_at = shop().fetch_due_at
    assert due_at is not None
    assert before + timedelta(minutes=30) <= due_at
    assert due_at <= timezone.now() + timedelta(minutes=30)


def test_a_push_whose_fetch_failed_is_tried_again(index: Index, source: Path) -> None:
    build(index)
    shutil.rmtree(source)
    before = timezone.now()

    fetch(shop(), cause="push")

    due_at = shop().fetch_due_at
    assert due_at is not None
    assert before + RETRY <= due_at


def test_a_push_during_a_fetch_is_not_forgotten(
    index: Index, source: Path, queued: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(index)
    bring = fetching.bring_up_to_date

    def be_told(repository: Repository, mirror: Path) -> str:
        revision = bring(repository, mirror)
        freshness.request_fetch(repository, cause="push")
        return revision

    monkeypatch.setattr(freshness, "bring_up_to_date", be_told)

    fetch(shop())

    assert shop().fetch_due_at is not None


def test_only_what_is_due_was_built_and_is_not_being_fetched_is_queued(
    index: Index, queued: Mock, django_capture_on_commit_callbacks: Mock
) -> None:
    now = timezone.now()
    names = ("due", "later", "new", "busy", "never_built", "only_asked")
    repositories = {}
    for name in names:
        made = services.register(name=name, source=f"https://example.org/{name}")
        repositories[name] = made.repository
        if name != "never_built":
            made.builds.create(status=Build.Status.READY)
    Repository.objects.filter(name__in=names[:5]).update(fetch_minutes=5)
    for name, due_at in (
        ("due", now - timedelta(hours=1)),
        ("later", now + timedelta(hours=1)),
        ("busy", now - timedelta(hours=1)),
        ("never_built", now - timedelta(hours=1)),
    ):
        Repository.objects.filter(name=name).update(fetch_due_at=due_at)

    with (
        locked(mirror_of(repositories["busy"])),
        django_capture_on_commit_callbacks(execute=True),
    ):
        assert freshness.request_due_fetches() == 2
        assert freshness.request_due_fetches() == 0

    asked = [call.args[0][0] for call in queued.mock_calls]
    assert asked == [repositories["new"].pk, repositories["due"].pk]


def test_after_a_pause_the_sources_are_looked_at_in_turn(
    queued: Mock, encoder: WordEncoder
) -> None:
    for number in range(MOST_AT_ONCE + 3):
        made = services.register(name=f"r{number}", source="https://example.org/r")
        made.builds.create(status=Build.Status.READY)
    Repository.objects.update(fetch_minutes=5)

    assert freshness.request_due_fetches() == MOST_AT_ONCE
    assert freshness.request_due_fetches() == 3
    assert freshness.request_due_fetches() == 0


def test_what_no_worker_took_up_is_queued_again(index: Index, queued: Mock) -> None:
    build(index)
    freshness.request_fetch(shop(), cause="push")
    assert freshness.request_due_fetches() == 0

    Repository.objects.update(fetch_due_at=timezone.now() - timedelta(seconds=1))

    assert freshness.request_due_fetches() == 1


def test_without_a_broker_a_push_is_due_at_once(
    index: Index, queued: Mock, django_capture_on_commit_callbacks: Mock
) -> None:
    build(index)
    queued.side_effect = OperationalError

    with django_capture_on_commit_callbacks(execute=True):
        freshness.request_fetch(shop(), cause="push")

    assert freshness.request_due_fetches() == 1


def test_the_task_fetches_what_is_queued_and_bears_a_repository_that_is_gone(
    index: Index,
    source: Path,
    queued: Mock,
    django_capture_on_commit_callbacks: Mock,
) -> None:
    build(index)
    revision = commit(source, "refund")
    with django_capture_on_commit_callbacks(execute=True):
        freshness.request_fetch(shop(), cause="push")
    (call,) = queued.mock_calls

    tasks.fetch_repository(*call.args[0])
    assert shop().fetched_revision == revision
    assert newest(index).cause == "push"
    assert call.kwargs["expires"] == PATIENCE.total_seconds()

    removal.remove_repository(repository=shop())
    tasks.fetch_repository(*call.args[0])


def test_the_schedule_queues_what_is_due(index: Index, queued: Mock) -> None:
    build(index)
    Repository.objects.update(fetch_minutes=5)

    tasks.request_due_fetches()

    assert shop().fetch_due_at is not None


def test_a_repository_removed_while_it_is_fetched_leaves_no_mirror(
    index: Index, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(index)
    repository = shop()
    mirror = mirror_of(repository)
    bring = fetching.bring_up_to_date

    def remove_and_fetch(one: Repository, into: Path) -> str:
        pk = one.pk
        removal.remove_repository(repository=shop())
        one.pk = pk
        return bring(one, into)

    monkeypatch.setattr(freshness, "bring_up_to_date", remove_and_fetch)

    fetch(repository)

    assert not mirror.exists()
