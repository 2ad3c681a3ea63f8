"""Comparisons, profiles side by side and files are shared like results."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from codesearch.models import Audit, CaseSet, RecordedText, ShareLink
from codesearch.shareable import MOST_LINES
from indexer import services as indexing
from indexer.models import Build, Repository
from indexer.places import mirror_of
from tests.codesearch.audits.made import Asked, make_audit
from tests.codesearch.test_comparison import AFTER, BEFORE, brought
from tests.codesearch.test_sides_page import both as both
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder

LISTS = {"body": ["d1", "d2"], "bm25": ["d2", "d1"], "pool": ["d1", "d2"]}


@pytest.fixture
def ada(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("ada"))
    return client


def share(client: Client, kind: str, **wish: object) -> ShareLink:
    answer = client.post("/share/", {"kind": kind, **wish})
    assert answer.status_code == 302, answer.content
    return ShareLink.objects.latest("pk")


def open_page(client: Client, link: ShareLink, **more: str) -> str:
    answer = client.get(f"/s/{link.token}", more)
    assert answer.status_code == 200
    return answer.content.decode()


def status(client: Client, link: ShareLink) -> int:
    return client.get(f"/s/{link.token}").status_code


def two_audits(repository: Repository) -> tuple[Audit, Audit]:
    """Two audits of one set, which is of a repository."""
    a, b = (make_audit([Asked("q1", LISTS, {"d1": 1})]) for _ in range(2))
    b.case_set, b.system = a.case_set, "other"
    for one in (a, b, a.case_set):
        one.repository_count = 1
        one.save()
        one.repositories.set([repository])
    return a, b


def test_a_comparison_stays_when_its_audits_are_deleted(
    client: Client, ada: Client, shop: Build
) -> None:
    a, b = two_audits(shop.index.repository)
    link = share(ada, "comparison", a=a.pk, b=b.pk, stage="pool")
    CaseSet.objects.all().delete()

    page = open_page(client, link)
    found = client.get(f"/s/{link.token}", {"format": "json"}).json()

    assert f"audit {a.pk} with other {b.pk}, at pool" in page
    assert 'id="rows"' in page
    assert f'href="/s/{link.token}?sort=better#rows"' in page
    assert "Import another run" not in page
    assert [row["query"] for row in found["rows"]] == ["words of q1"]


def test_a_comparison_is_for_those_who_may_read_the_repositories_of_its_sets(
    client: Client, ada: Client, shop: Build
) -> None:
    a, b = two_audits(shop.index.repository)
    link = share(ada, "comparison", a=a.pk, b=b.pk)

    Repository.objects.update(visibility="staff")

    assert status(client, link) == status(ada, link) == 404


def test_a_comparison_of_another_system_is_as_open_as_its_sets(
    client: Client, ada: Client
) -> None:
    owner = User.objects.get().pk
    a, b = brought(BEFORE, owner), brought(AFTER, owner)
    link = share(ada, "comparison", a=a.pk, b=b.pk, stage="dense")
    closed = status(client, link)
    CaseSet.objects.update(is_open=True)
    opened = status(client, link)

    CaseSet.objects.all().delete()

    assert (closed, opened) == (404, 200)
    assert status(client, link) == 404
    assert status(ada, link) == 200


def test_audits_that_one_may_not_see_cannot_be_shared(
    client: Client, ada: Client
) -> None:
    owner = User.objects.get().pk
    a, b = brought(BEFORE, owner), brought(AFTER, owner)

    answer = client.post("/share/", {"kind": "comparison", "a": a.pk, "b": b.pk})

    assert answer.status_code == 400
    assert answer.content.decode() == "There are no two such audits."


def test_profiles_side_by_side_stay_as_they_were(client: Client, both: Build) -> None:
    wish = {"repository": "shop", "q": "format an amount => format_money"}
    link = share(client, "profiles", **wish)
    Repository.objects.update(name="store")

    page = open_page(client, link)

    assert "symbol with window on shop, 1 query" in page
    assert "format an amount" in page
    assert "repository=store" in page
    assert 'id="sides-form"' not in page
    Repository.objects.update(visibility="staff")
    assert status(client, link) == 404


def test_profiles_asked_by_a_set_are_for_who_may_see_the_set(
    client: Client, ada: Client, both: Build, till: Repository
) -> None:
    case_set = CaseSet.objects.create(name="Two", repository_count=2)
    case_set.repositories.set([both.index.repository, till])
    case_set.cases.create(key="c", query="the bell", targets=["till:ring"])
    link = share(ada, "profiles", repository="shop", set=case_set.pk)
    assert "the bell" in open_page(client, link)

    till.visibility = Repository.Visibility.STAFF
    till.save()

    assert client.get("/compare/profiles/", {"set": case_set.pk}).status_code == 404
    assert status(client, link) == status(ada, link) == 404


def test_profiles_of_which_nothing_was_asked_are_not_shared(
    client: Client, shop: Build
) -> None:
    answer = client.post("/share/", {"kind": "profiles", "repository": "shop"})

    assert answer.status_code == 400
    assert answer.content.decode() == "Nothing was asked under both profiles."


def share_file(client: Client, build: Build, path: str, **more: object) -> ShareLink:
    return share(
        client,
        "file",
        repository="shop",
        revision=build.revision,
        path_url=path,
        **more,
    )


def test_lines_of_a_file_are_kept_with_a_few_around_them(
    client: Client, shop: Build
) -> None:
    link = share_file(client, shop, "billing/money.py", start=7, end=8)

    page = open_page(client, link)
    found = client.get(f"/s/{link.token}", {"format": "json"}).json()

    assert link.record.query == "billing/money.py:7-8"
    assert (found["first_line"], found["last_line"], found["lines"]) == (2, 13, 19)
    assert found["text"].split("\n")[5].strip().startswith('"""Format an amount')
    assert '<tr id="L7" class="on">' in page
    assert '<tr id="L6">' in page
    assert '<tr id="L13">' in page  # It is blank.
    assert 'id="L14"' not in page
    assert f'href="/r/shop/blob/{shop.revision}/billing/money.py#L7-L8"' in page
    assert "File in shop@" in page


def test_lines_stay_when_the_mirror_has_dropped_their_commit(
    client: Client, shop: Build
) -> None:
    link = share_file(client, shop, "billing/money.py", start=6)
    mirror = mirror_of(shop.index.repository)
    for ref in run_git(mirror, "for-each-ref", "--format=%(refname)").split():
        run_git(mirror, "update-ref", "-d", ref)
    run_git(mirror, "gc", "--quiet", "--prune=now")

    page = open_page(client, link)

    told = f"This server no longer holds <code>{shop.revision[:12]}</code>."
    assert told in page
    assert "Format an amount" in page
    assert "Open the file" not in page


def test_a_file_that_is_searched_at_another_revision_says_so(
    client: Client,
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
) -> None:
    source = make_repository({"a.py": "def one():\n    return 1\n"})
    index = indexing.register(name="shop", source=str(source))
    build = indexing.request_build(index=index, enqueue=False)
    indexing.finish_build(build=build)
    build.refresh_from_db()
    link = share_file(client, build, "a.py")
    (source / "a.py").write_text("def two():\n    return 2\n")
    run_git(source, "commit", "--quiet", "--all", "--message=Two")
    newer = indexing.request_build(index=index, enqueue=False)
    indexing.finish_build(build=newer)
    newer.refresh_from_db()

    page = open_page(client, link)

    assert "Searches read another revision now" in page
    assert f'href="/r/shop/blob/{newer.revision}/a.py"' in page
    assert "one" in page
    assert "two" not in page


def test_secrets_are_shown_only_while_their_repository_shows_them(
    client: Client,
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
) -> None:
    source = make_repository({".env": "TOKEN=abc\n", "a.py": "x = 1\n"})
    index = indexing.register(name="shop", source=str(source))
    Repository.objects.update(index_secrets=True)
    build = indexing.request_build(index=index, enqueue=False)
    indexing.finish_build(build=build)
    build.refresh_from_db()
    link = share_file(client, build, ".env")
    shown = open_page(client, link)

    Repository.objects.update(index_secrets=False)

    assert "abc" in shown
    assert "abc" not in open_page(client, link)
    assert "It holds secrets" in open_page(client, link)
    assert client.get(f"/s/{link.token}", {"format": "json"}).json()["text"] is None


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"path_url": "nowhere.py"}, "There is no text of such a file."),
        ({"path_url": "logo.png"}, "There is no text of such a file."),
        ({"start": "20"}, "The file has 19 lines; there is no 20."),
        ({"start": "3", "end": "2"}, "Line 2 does not end what is shared."),
        ({"end": "2"}, "Line 2 does not end what is shared."),
        ({"revision": "main"}, "revision: Enter a valid value."),
    ],
)
def test_lines_that_there_are_not_cannot_be_shared(
    client: Client, shop: Build, more: dict[str, str], sentence: str
) -> None:
    wish = {"kind": "file", "repository": "shop", "revision": shop.revision}

    answer = client.post("/share/", wish | {"path_url": "billing/money.py"} | more)

    assert (answer.status_code, answer.content.decode()) == (400, sentence)
    assert not ShareLink.objects.exists()


def test_of_a_long_file_the_first_lines_are_kept(
    client: Client,
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
) -> None:
    text = "".join(f"x{n} = {n}\n" for n in range(2 * MOST_LINES))
    source = make_repository({"a.py": text})
    index = indexing.register(name="shop", source=str(source))
    build = indexing.request_build(index=index, enqueue=False)
    indexing.finish_build(build=build)
    build.refresh_from_db()

    link = share_file(client, build, "a.py")

    assert "Lines 1 to 400 of 800" in open_page(client, link)
    assert RecordedText.objects.get().text.count("\n") == MOST_LINES


def test_equal_lines_share_one_record(client: Client, shop: Build) -> None:
    first, again = (
        share_file(client, shop, "billing/money.py", start=6) for _ in range(2)
    )
    other = share_file(client, shop, "billing/money.py", start=7)

    assert first == again
    assert other.record != first.record
    assert RecordedText.objects.count() == 2
