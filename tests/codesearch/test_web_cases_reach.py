"""The cases of `tests/cases/web` about who gets what: links, rights, headers."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client

from codesearch.services import share
from indexer import removal, services
from indexer.access import ANYONE
from indexer.models import Build, Profile, Repository
from tests.codesearch.conftest import build_of
from tests.conftest import MakeRepository, build_all, run_git
from tests.encoders import WordEncoder
from tests.web_cases import Markup, page_of, values

pytestmark = pytest.mark.django_db


def test_link_stale_says_what_happened_and_never_shows_other_lines(
    client: Client, shop: Build
) -> None:
    repository = shop.index.repository
    source = Path(repository.source)
    old = f"/r/shop/blob/{shop.revision}/billing/money.py"
    link = share(viewer=ANYONE, user=AnonymousUser(), kind="search", query="total")
    (source / "billing/money.py").write_text("RATE = 3\n")
    (source / "billing/exports.py").unlink()
    run_git(source, "commit", "--quiet", "--all", "--amend", "--message=Other")
    new = build_all(shop.index)

    page = page_of(client, old)  # Force-pushed and indexed again.
    assert "def format_money" in Markup(page).text
    assert "Not the revision that is searched." in page
    assert "total" in Markup(page_of(client, f"/s/{link.token}")).text
    gone = client.get(f"/r/shop/blob/{new.revision}/billing/exports.py")
    assert gone.status_code == 404
    assert "def total" not in gone.content.decode()

    services.change_repository(repository=rename(repository, "store"), changed={"name"})
    moved = client.get(old)
    assert moved["Location"] == old.replace("/shop/", "/store/")
    assert "def format_money" in Markup(page_of(client, moved["Location"])).text
    assert page_of(client, f"/s/{link.token}")

    removal.remove_repository(repository=repository)
    after = client.get(moved["Location"])
    assert after.status_code == 410
    assert "removed" in after.content.decode()
    assert client.get(f"/s/{link.token}").status_code == 404


def rename(repository: Repository, name: str) -> Repository:
    repository.name = name
    return repository


def test_link_stale_of_a_commit_that_upstream_dropped_is_gone(
    client: Client, shop: Build
) -> None:
    lost = "0" * 40
    Build.objects.filter(pk=shop.pk).update(revision=lost)

    answer = client.get(f"/r/shop/blob/{lost}/billing/money.py")

    assert answer.status_code == 410
    assert "def format_money" not in answer.content.decode()


def test_htmx_vary_is_on_every_page_that_answers_a_fragment_too(
    client: Client, shop: Build
) -> None:
    place = f"{shop.revision}/billing/money.py"
    pages = ["/?q=total", "/trace/?q=total&target=total", f"/r/shop/inspect/{place}"]
    pages += ["/jobs/", f"/jobs/{shop.pk}/", f"/r/shop/map/{place}", "/complete/?q=to"]
    for address in pages:
        for headers in ({}, {"HX-Request": "true"}):
            answer = client.get(address, headers=headers)
            assert {"HX-Request", "HX-History-Restore-Request"} <= set(
                answer["Vary"].split(", ")
            ), address
            assert "no-store" in answer["Cache-Control"], address


def test_htmx_vary_a_history_restore_gets_the_whole_page(
    client: Client, shop: Build
) -> None:
    asked = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    for address in (
        "/?q=total",
        "/jobs/",
        f"/r/shop/map/{shop.revision}/billing/money.py",
    ):
        assert page_of(client, address, **asked).startswith("<!doctype html>")
        fragment = page_of(client, address, **{"HX-Request": "true"})
        assert "<!doctype" not in fragment


def test_redirect_never_leads_to_another_host(client: Client) -> None:
    User.objects.create_user("ada", password="a long word")  # noqa: S106 - of a test
    sign_in = {"username": "ada", "password": "a long word"}

    assert len(values("redirect")) == 6
    for there in values("redirect"):
        answer = client.post("/accounts/login/", sign_in | {"next": there})
        stays = there == "/%09/evil.com"  # A path of this host.
        assert answer["Location"] == (there if stays else "/"), there
        asked = client.post("/theme/", {"theme": "dark"}, headers={"Referer": there})
        assert asked["Location"] == (there if stays else "/"), there


PLACES = ("blob", "raw", "inspect", "map", "tree", "excerpt")


def test_trav_finds_what_the_tree_has_and_nothing_of_the_disk(
    client: Client, hostile: Build
) -> None:
    paths = [one.replace("\\\\", "\\") for one in values("trav")]
    paths += [one + "etc/passwd" for one in paths if one.endswith(("/", "%2f"))]

    assert len(paths) == 9
    for path in paths:
        for spelled in (path, quote(path), quote(quote(path))):
            for place in PLACES:
                there = f"/r/hostile/{place}/{hostile.revision}/{spelled}"
                headers = {"HX-Request": "true"} if place == "excerpt" else None
                answer = client.get(f"{there}?own=1-9", headers=headers)
                body = answer.content.decode()
                assert answer.status_code in (302, 400, 404), there
                assert "root:" not in body, there
                assert "[core]" not in body, there


def test_perm_revoke_is_felt_at_the_next_request(client: Client, shop: Build) -> None:
    link = share(viewer=ANYONE, user=AnonymousUser(), kind="search", query="total")
    place = f"{shop.revision}/billing/money.py"
    pages = [f"/s/{link.token}", f"/r/shop/blob/{place}", f"/r/shop/raw/{place}"]
    pages += ["/?q=total&repository=shop", "/?q=total+repo:shop", "/r/shop/"]
    assert [client.get(one).status_code for one in pages] == [200] * 6

    Repository.objects.update(visibility="staff")

    refusals = [client.get(one).status_code for one in pages]
    assert refusals == [404, 404, 404, 400, 404, 404]
    assert "shop" not in page_of(client, "/?q=total")
    refused = Markup(client.get(pages[1]).content.decode())
    unknown = Markup(client.get(pages[1].replace("shop", "none")).content.decode())
    assert refused.text.replace("shop", "none") == unknown.text


ADMINISTERED: tuple[tuple[str, dict[str, str]], ...] = (
    ("/repositories/add/", {"name": "x", "source": "https://example.org/x.git"}),
    ("/repositories/shop/build/", {}),
    ("/repositories/shop/cancel/", {}),
    ("/jobs/1/cancel/", {}),
    ("/jobs/1/retry/", {}),
    ("/jobs/1/again/", {}),
    ("/r/shop/settings/", {"name": "y"}),
    ("/r/shop/remove/", {}),
    ("/profiles/add/", {"name": "x"}),
    ("/profiles/symbol/delete/", {}),
    ("/profiles/symbol/index/", {"repository": "shop"}),
    ("/configs/add/", {"name": "x"}),
    ("/configs/default/", {"name": "x"}),
    ("/configs/x/delete/", {}),
    ("/queries/forget/", {}),
)


def test_admin_posts_of_others_are_refused_and_logged(
    client: Client, shop: Build, ada: User, caplog: pytest.LogCaptureFixture
) -> None:
    for who in (None, ada):
        if who:
            client.force_login(who)
        for address, form in ADMINISTERED:
            caplog.clear()
            assert client.post(address, form).status_code == 403, address
            (line,) = [
                one for one in caplog.records if one.name == "codesearch.views.site"
            ]
            name = who.username if who else "nobody"
            assert line.getMessage() == f"refused {name}: POST {address}"

    assert list(Repository.objects.values_list("name", flat=True)) == ["shop"]
    assert Build.objects.count() == Profile.objects.filter(name="symbol").count() == 1
    assert not LogEntry.objects.exists()


def test_a_form_of_an_ended_session_leads_to_the_log_in_and_back(
    admin: Client, shop: Build
) -> None:
    admin.logout()
    page = "http://testserver/r/shop/?x=1"

    refused = admin.post("/r/shop/remove/", headers={"Referer": page})
    asked = admin.get("/queries/?page=2")

    there = f'href="/accounts/login/?{urlencode({"next": page})}"'
    assert there in refused.content.decode()
    there = f'href="/accounts/login/?{urlencode({"next": "/queries/?page=2"})}"'
    assert there in asked.content.decode()


def test_admin_posts_are_lines_of_the_log(admin: Client, shop: Build) -> None:
    admin.post("/r/shop/remove/")

    (told,) = LogEntry.objects.all()
    assert (str(told), told.user.username) == ("Deleted “shop.”", "root")


def test_admin_buttons_need_the_token_of_a_form(shop: Build) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.create_superuser("root"))

    answers = [strict.post(address, form) for address, form in ADMINISTERED]

    assert {answer.status_code for answer in answers} == {403}
    assert Build.objects.count() == 1


def test_secrets_are_skipped_counted_and_never_logged(
    client: Client, hostile: Build, caplog: pytest.LogCaptureFixture
) -> None:
    page = page_of(client, "/r/hostile/coverage/?reason=secret")
    shown = page_of(client, f"/r/hostile/blob/{hostile.revision}/secret/.env")
    raw = client.get(f"/r/hostile/raw/{hostile.revision}/secret/.env")

    assert "secret/.env" in page
    assert "Not indexed: secret." in shown
    assert raw.status_code == 404
    lines = page_of(client, '/?q="TOKEN%3Dnot-a"&view=lines')
    assert all("not-a-real-token" not in text for text in (page, shown, lines))
    # The log of the build, which a fixture made, is that of the setup.
    records = [*caplog.get_records("setup"), *caplog.records]
    told = [one.getMessage() for one in records]
    assert f"build {hostile.pk} is complete" in told
    assert all("not-a-real" not in one for one in told)


def test_download_headers_make_every_file_harmless(
    client: Client,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
) -> None:
    evil = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>\n'
    build = build_of("evil", make_repository({"evil.html": evil, "evil.svg": evil}))

    for name in ("evil.html", "evil.svg"):
        answer = client.get(f"/r/evil/raw/{build.revision}/{name}")
        assert answer.content.decode() == evil
        assert answer["Content-Type"] == "text/plain; charset=utf-8"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
        assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert "no-store" in answer["Cache-Control"]


def test_clickjack_no_page_may_be_framed(admin: Client, shop: Build) -> None:
    place = f"{shop.revision}/billing/money.py"
    pages = ["/", "/repositories/", "/r/shop/settings/", "/r/shop/remove/", "/jobs/"]
    pages += ["/admin/", "/accounts/login/", "/configs/", "/profiles/", "/nothing"]
    pages += [f"/r/shop/blob/{place}", f"/r/shop/raw/{place}"]
    for address in pages:
        answer = admin.get(address)
        assert answer["X-Frame-Options"] == "DENY", address
        if "/raw/" not in address:
            assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]


ASKING = {
    "HX-Request": "true",
    "HX-Current-URL": "http://testserver/r/shop/?x=1",
    "X-Signed-In": "yes",  # As each page of who is signed in says.
}


def test_htmx_login_redirect_of_whoever_is_not_signed_in_any_more(
    admin: Client, shop: Build
) -> None:
    Repository.objects.update(visibility="staff")
    place = f"{shop.revision}/billing/money.py"
    asked = ["/repositories/shop/card/", f"/r/shop/inspect/{place}"]
    asked += [f"/jobs/{shop.pk}/"]
    asked += [f"/r/shop/names/{shop.revision}/?name=total", "/queries/", "/?q=total"]
    assert [admin.get(one, headers=ASKING).status_code for one in asked] == [200] * 6

    admin.logout()

    answers = [admin.get(one, headers=ASKING) for one in asked]
    answers += [admin.post("/cases/right/", {"q": "total"}, headers=ASKING)]
    back = f"/accounts/login/?{urlencode({'next': '/r/shop/?x=1'})}"
    assert [one["HX-Redirect"] for one in answers] == [back] * 7
    assert {one.content for one in answers} == {b""}


def test_htmx_login_redirect_goes_to_no_other_host(client: Client, shop: Build) -> None:
    for there in ("//evil.com/x", "http://evil.com/x", "javascript:alert(1)"):
        headers = ASKING | {"HX-Current-URL": there}
        answer = client.get("/repositories/none/card/", headers=headers)
        assert answer["HX-Redirect"] == "/accounts/login/?next=%2F"
