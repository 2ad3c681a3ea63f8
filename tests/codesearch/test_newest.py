"""Every result says which commit it is from, and whether that is the newest fetched."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from codesearch import services
from codesearch.models import SearchRecord, ShareLink
from codesearch.pages.newest import newest_line, newest_lines
from codesearch.payloads import Payload
from indexer import freshness
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build, Repository
from tests.conftest import run_git

OLD, NEW = "1a2b3c4" + "0" * 33, "9f8e7d6" + "0" * 33


def make(minutes: int = 2, name: str = "shop", **more: Any) -> Payload:  # Any: JSON
    fetched_at = timezone.now() - timedelta(minutes=minutes)
    newest = {
        "revision": NEW,
        "fetched_at": fetched_at.isoformat(),
        "failed": False,
        "is_newest": False,
        "behind": None,
        "tracked": "",
        "wanted": "",
        "indexing": False,
    }
    return {"repository": name, "revision": OLD, "newest": newest | more}


def told(**more: Any) -> tuple[str, str]:  # Any: JSON
    line = newest_line(make(**more))
    return line.state, line.text


def test_a_build_of_the_newest_commit_says_when_that_was_fetched() -> None:
    assert told(is_newest=True, revision=OLD) == (
        "ok",
        "shop at 1a2b3c4, the newest, fetched 2 minutes ago",
    )
    assert told(is_newest=True, minutes=0)[1].endswith("fetched just now")


def test_a_build_that_is_behind_says_how_far_and_what_is_done_about_it() -> None:
    assert told(behind=3, indexing=True) == (
        "busy",
        "shop at 1a2b3c4, 3 commits behind 9f8e7d6 fetched 2 minutes ago, being "
        "indexed",
    )
    assert told(behind=1) == (
        "warn",
        "shop at 1a2b3c4, 1 commit behind 9f8e7d6 fetched 2 minutes ago",
    )
    assert told() == (
        "warn",
        "shop at 1a2b3c4, not the newest: 9f8e7d6 fetched 2 minutes ago",
    )


def test_a_chosen_revision_is_no_stale_one() -> None:
    assert told(wanted="v1.2", tracked="main", behind=40) == (
        "ok",
        "shop at 1a2b3c4, which was chosen (v1.2); main is at 9f8e7d6, fetched "
        "2 minutes ago",
    )
    assert "the default branch is at 9f8e7d6" in told(wanted="v1.2")[1]


def test_a_failing_fetch_is_told() -> None:
    assert told(is_newest=True, failed=True) == (
        "warn",
        "shop at 1a2b3c4, the newest, fetched 2 minutes ago; fetching has failed since",
    )


def test_what_is_not_known_is_not_said() -> None:
    plain = {"repository": "shop", "revision": OLD}
    unknown = make(revision=None, fetched_at=None, is_newest=None)

    assert newest_line(plain).text == "shop at 1a2b3c4"
    assert newest_line(unknown).text == "shop at 1a2b3c4"


def test_a_recorded_result_tells_moments() -> None:
    build = make(is_newest=True)
    build["newest"]["fetched_at"] = "2026-06-26T12:34:56+02:00"

    (line,) = newest_lines([build], frozen=True)

    assert line.text == "shop at 1a2b3c4, the newest, fetched 2026-06-26 10:34 UTC"


def test_of_many_builds_those_that_are_behind_are_told() -> None:
    fresh = [make(name=f"r{n}", is_newest=True) for n in range(4)]
    old = {"repository": "old", "revision": OLD}

    lines = newest_lines([*fresh, make(name="late", behind=2), old])

    assert [(line.state, line.text.partition(" at ")[0]) for line in lines] == [
        ("ok", "4 of 6 repositories are"),
        ("warn", "late"),
    ]


def commit(shop: Build) -> str:
    source = Path(shop.index.repository.source)
    run_git(source, "commit", "--quiet", "--allow-empty", "--message=Two")
    return run_git(source, "rev-parse", "HEAD").strip()


def payload() -> Payload:
    found = services.search(viewer=ANYONE, query="format money")
    newest: Payload = found["builds"][0]["newest"]
    return newest


def test_the_payload_says_what_was_fetched_since(shop: Build) -> None:
    before = payload()
    revision = commit(shop)
    freshness.fetch(Repository.objects.get())
    after = payload()

    assert (before["revision"], before["is_newest"]) == (shop.revision, True)
    assert (before["behind"], before["indexing"]) == (None, False)
    assert (after["revision"], after["is_newest"]) == (revision, False)
    assert (after["behind"], after["indexing"]) == (1, True)
    assert after["fetched_at"] > before["fetched_at"]


@pytest.mark.parametrize(
    "address",
    ["/?q=format+money", "/trace/?q=format+money&target=format_money", "/r/shop/"],
)
def test_each_page_says_it(shop: Build, client: Client, address: str) -> None:
    fresh = client.get(address).content.decode()
    commit(shop)
    freshness.fetch(Repository.objects.get())
    stale = client.get(address).content.decode()

    head = f"shop at {shop.revision[:7]}"
    assert f"{head}, the newest, fetched just now." in fresh
    assert f"{head}, 1 commit behind " in stale
    assert "being indexed" in stale


def test_each_card_says_which_commit_it_is_from(shop: Build, client: Client) -> None:
    page = client.get("/?q=format+money").content.decode()

    assert f'<code class="hit__revision">{shop.revision[:12]}</code>' in page


def test_the_command_line_says_it(shop: Build) -> None:
    for arguments in (
        ("search", "format money"),
        ("trace", "format money", "--target", "format_money"),
    ):
        output = StringIO()
        call_command(*arguments, stdout=output)
        assert f"shop at {shop.revision[:7]}, the newest, fetched" in output.getvalue()


def test_a_shared_result_keeps_what_was_the_newest_then(
    shop: Build, client: Client
) -> None:
    client.post("/share/", {"kind": "search", "q": "format money"})
    link = ShareLink.objects.get()
    revision = commit(shop)
    freshness.fetch(Repository.objects.get())

    page = client.get(f"/s/{link.token}").content.decode()

    assert f"shop at {shop.revision[:7]}, the newest, fetched 2" in page
    assert revision[:7] not in page


def test_an_equal_answer_is_one_record_whatever_was_fetched_since(
    shop: Build, client: Client
) -> None:
    client.post("/share/", {"kind": "search", "q": "format money"})
    freshness.fetch(Repository.objects.get())

    client.post("/share/", {"kind": "search", "q": "format money"})

    assert SearchRecord.objects.count() == 1


def test_the_source_of_a_repository_is_told_to_readers_and_more_to_staff(
    shop: Build, client: Client
) -> None:
    run_git(Path(shop.index.repository.source), "tag", "v1.2")
    freshness.fetch(Repository.objects.get())
    Repository.objects.update(
        fetch_minutes=15, hook_secret="s" * 20, fetch_failure="The host is away."
    )

    reader = client.get("/r/shop/").content.decode()
    client.force_login(User.objects.create_user("keeper", is_staff=True))
    staff = client.get("/r/shop/").content.decode()

    for page in (reader, staff):
        assert "every 15 minutes and after each push" in page
        assert "The last fetch failed." in page
        assert "s" * 20 not in page
    assert '<option value="v1.2">' in staff
    assert '<option value="v1.2">' not in reader
    assert "The host is away." in staff
    assert "The host is away." not in reader


def test_staff_index_a_revision_from_the_page(shop: Build, client: Client) -> None:
    client.force_login(User.objects.create_user("keeper", is_staff=True))

    client.post("/repositories/shop/build/", {"revision": shop.revision[:8]})

    build = Build.objects.order_by("-pk")[0]
    assert build.wanted == shop.revision[:8]
    indexing.finish_build(build=build)
    assert payload()["wanted"] == shop.revision[:8]
    assert json.dumps(payload())
