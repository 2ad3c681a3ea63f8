"""Links lead to records: each apart, until it is revoked or expires, for who may read.

What somebody may not read answers as a link that never was.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from codesearch import services, sharing
from codesearch.models import RecordedText, SearchRecord, ShareLink
from codesearch.share_forms import TermsForm
from indexer import removal
from indexer.access import ANYONE, COMMAND_LINE
from indexer.models import Build, RemovedRepository, Repository
from indexer.pipeline.full_texts import FullTexts
from indexer.places import full_texts_of

TOKENS = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"')  # Each is another.


def user(name: str, *, is_staff: bool = False) -> User:
    return User.objects.create_user(name, is_staff=is_staff)


def client_of(who: User) -> Client:
    client = Client()
    client.force_login(who)
    return client


def share(who: User | AnonymousUser, query: str = "format money") -> ShareLink:
    return services.share(viewer=ANYONE, user=who, kind="search", query=query)


def share_lines(client: Client, build: Build, **more: str) -> ShareLink:
    wish = {"kind": "file", "repository": "shop", "path_url": "billing/money.py"}
    client.post("/share/", wish | {"revision": build.revision} | more)
    return ShareLink.objects.latest("pk")


def test_revoking_a_link_leaves_those_of_others(shop: Build) -> None:
    ada, bob = user("ada"), user("bob")
    mine, other = share(ada), share(bob)

    client_of(ada).post(f"/s/{mine.token}/revoke/")

    assert mine.record == other.record
    assert client_of(ada).get(f"/s/{mine.token}").status_code == 410
    assert client_of(ada).get(f"/s/{other.token}").status_code == 200


def test_a_revoked_link_says_so_in_every_form(client: Client, shop: Build) -> None:
    link = share(user("ada"))
    ShareLink.objects.update(revoked_at=datetime(2026, 6, 11, 9, 5, tzinfo=UTC))

    page = client.get(f"/s/{link.token}")
    as_json = client.get(f"/s/{link.token}", {"format": "json"})
    as_run = client.get(f"/s/{link.token}", {"format": "trec", "stage": "pool"})

    sentence = "This link was revoked on 11 Jun 2026 09:05 UTC."
    assert (page.status_code, as_json.status_code, as_run.status_code) == (410,) * 3
    assert sentence in page.content.decode()
    assert "format money" not in page.content.decode()
    assert as_json.json()["error"] == sentence
    assert as_run.content.decode() == sentence


def test_expiry_is_looked_at_when_a_page_is_asked_for(
    client: Client, shop: Build
) -> None:
    link = share(user("ada"))
    address = f"/s/{link.token}"
    ShareLink.objects.update(expires_at=timezone.now() + timedelta(hours=1))
    before = client.get(address).status_code

    ShareLink.objects.update(expires_at=timezone.now())

    assert before == 200
    assert client.get(address).status_code == 410
    assert "This link was expired" not in client.get(address).content.decode()
    assert "This link expired on" in client.get(address).content.decode()


def test_a_link_that_expired_leads_there_again_once_it_is_extended(
    shop: Build,
) -> None:
    ada = user("ada")
    link = share(ada)
    ShareLink.objects.update(expires_at=timezone.now())
    client = client_of(ada)

    client.post(f"/s/{link.token}/extend/", {"expires": "7"})

    assert client.get(f"/s/{link.token}").status_code == 200


def test_what_was_revoked_stays_so(shop: Build) -> None:
    ada = user("ada")
    link = share(ada)
    client = client_of(ada)
    client.post(f"/s/{link.token}/revoke/")

    page = client.post(f"/s/{link.token}/extend/", {"expires": "7"}, follow=True)

    assert "A link that was revoked stays so" in page.content.decode()
    assert client.get(f"/s/{link.token}").status_code == 410


def test_only_its_maker_and_staff_change_a_link(shop: Build) -> None:
    link = share(user("ada"))
    addresses = [f"/s/{link.token}/{what}/" for what in ("revoke", "extend")]
    others = (Client(), client_of(user("bob")))

    refused = [one.post(url).status_code for one in others for url in addresses]
    done = [client_of(user("eve", is_staff=True)).post(addresses[0]).status_code]

    assert refused == [404] * 4
    assert done == [302]
    assert ShareLink.objects.get().revoked_at is not None


def test_what_may_not_be_read_answers_as_a_link_that_never_was(shop: Build) -> None:
    link = share(user("ada"))
    Repository.objects.update(visibility="staff")
    bob = client_of(user("bob"))

    def answers(token: str) -> list[tuple[int, str]]:
        asked = [one.get(f"/s/{token}") for one in (Client(), bob)]
        pages = [TOKENS.sub("", a.content.decode().replace(token, "")) for a in asked]
        return [(a.status_code, page) for a, page in zip(asked, pages, strict=True)]

    hidden = answers(link.token)
    ShareLink.objects.update(revoked_at=timezone.now())

    assert hidden == answers("never-was")
    assert answers(link.token) == hidden
    assert hidden[0][0] == 404
    assert "format money" not in hidden[0][1]


@pytest.mark.parametrize(
    "more", [{}, {"view": "list"}, {"page": "2"}, {"format": "json"}]
)
def test_access_that_is_taken_away_is_gone_at_the_next_request(
    client: Client, shop: Build, more: dict[str, str]
) -> None:
    link = share(AnonymousUser())
    before = client.get(f"/s/{link.token}", more).status_code

    Repository.objects.update(visibility="staff")

    assert before == 200
    assert client.get(f"/s/{link.token}", more).status_code == 404


def test_a_preview_names_what_is_shared_and_no_engine_lists_it(
    client: Client, shop: Build
) -> None:
    link = share(AnonymousUser(), "format <money>")

    answer = client.get(f"/s/{link.token}")

    page = answer.content.decode()
    assert "<title>format &lt;money&gt; · codesearch</title>" in page
    assert '<meta property="og:title" content="format &lt;money&gt;">' in page
    assert f'og:url" content="http://testserver/s/{link.token}"' in page
    told = f'content="Search in shop@{shop.revision[:12]}, '
    assert f'<meta name="description" {told}' in page
    assert f'<meta property="og:description" {told}' in page
    assert '<meta name="robots" content="noindex">' in page
    assert answer["X-Robots-Tag"] == "noindex"
    # Nobody elsewhere learns the address, and forms of the page still name theirs.
    assert answer["Referrer-Policy"] == "same-origin"
    assert "no-store" in answer["Cache-Control"]


def test_visits_of_others_are_counted_once_a_page(client: Client, shop: Build) -> None:
    ada = user("ada")
    link = share(ada)

    client_of(ada).get(f"/s/{link.token}")
    client.get(f"/s/{link.token}")
    client.get(f"/s/{link.token}", {"page": "2"})
    client.get(f"/s/{link.token}", {"format": "json"})

    link.refresh_from_db()
    assert link.opened == 1
    assert link.opened_at is not None


def test_the_list_has_the_links_of_one_and_for_staff_all(shop: Build) -> None:
    ada, bob = user("ada"), user("bob")
    share(ada, "format money")
    share(bob, "send report")

    mine = client_of(ada).get("/s/").content.decode()
    every = client_of(user("eve", is_staff=True)).get("/s/").content.decode()

    assert "format money" in mine
    assert "send report" not in mine
    assert '<option value="7">in 7 days</option>' in mine
    assert "format money" in every
    assert "send report" in every


def test_the_list_tells_nothing_of_what_its_maker_may_not_read_any_more(
    shop: Build,
) -> None:
    ada = user("ada")
    share(ada)
    Repository.objects.update(visibility="staff")

    page = client_of(ada).get("/s/").content.decode()

    assert "not for you any more" in page
    assert "format money" not in page


def test_a_long_list_asks_no_more_than_a_short_one(
    shop: Build, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    ada = user("ada")
    client = client_of(ada)
    share(ada, "format money")
    with CaptureQueriesContext(connection) as short:
        client.get("/s/")
    for query in ("send report", "invoice", "total"):
        share(ada, query)

    with django_assert_max_num_queries(len(short)):
        page = client.get("/s/").content.decode()

    assert "invoice" in page


def test_the_list_is_for_those_who_signed_in(client: Client, db: None) -> None:
    assert client.get("/s/")["Location"] == "/accounts/login/?next=/s/"


def test_equal_links_of_nobody_are_one(shop: Build) -> None:
    terms = sharing.Terms(timezone.now() + timedelta(days=1))
    again = [share(AnonymousUser()) for _ in range(2)]
    what = {"viewer": ANYONE, "user": AnonymousUser(), "kind": "search", "query": "a"}

    until = [services.share(**what, terms=terms) for _ in range(2)]  # type: ignore[arg-type] # by name

    assert len(set(again)) == len(set(until)) == 1
    assert again[0] != until[0]


def test_each_sharing_of_someone_is_a_link_of_its_own_up_to_a_number(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "OPEN_LINKS", 2)
    ada = user("ada")
    assert share(ada) != share(ada)
    client, wish = client_of(ada), {"kind": "search", "q": "format money"}

    full = client.post("/share/", wish)
    ShareLink.objects.update(expires_at=timezone.now())

    assert full.status_code == 400
    assert full.content.decode().startswith("You have 2 links that are open.")
    assert client.post("/share/", wish).status_code == 302


def test_a_link_that_htmx_asks_for_is_put_into_the_page(
    client: Client, shop: Build
) -> None:
    wish = {"kind": "search", "q": "format money", "expires": "1"}

    made = client.post("/share/", wish, headers={"HX-Request": "true"})
    refused = client.post("/share/", {"kind": "<b>"}, headers={"HX-Request": "true"})

    page = made.content.decode()
    assert f'value="http://testserver/s/{ShareLink.objects.get().token}"' in page
    assert "Whoever may read shop can open it, until" in page
    assert refused.status_code == 400
    assert "&lt;b&gt;" in refused.content.decode()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"expires": "date"}, "Give the date on which the link expires."),
        ({"until": "2100-01-01"}, "A date is given"),
        ({"expires": "date", "until": "2020-01-01"}, "2020-01-01 is past."),
        ({"expires": "soon"}, "Select a valid choice"),
    ],
)
def test_an_expiry_that_cannot_be_is_refused(
    data: dict[str, str], sentence: str
) -> None:
    form = TermsForm(data)

    assert not form.is_valid()
    assert sentence in " ".join(form.sentences)


def test_an_expiry_is_a_full_hour_and_a_date_ends_at_its_midnight() -> None:
    day = TermsForm({"expires": "1"})
    date = TermsForm({"expires": "date", "until": "2100-01-01"})
    assert day.is_valid()
    assert date.is_valid()

    moment = day.terms.expires_at

    assert moment is not None
    assert timedelta(days=1) < moment - timezone.now() <= timedelta(hours=25)
    assert (moment.minute, moment.second, moment.microsecond) == (0, 0, 0)
    assert date.terms.expires_at == datetime(2100, 1, 2, tzinfo=UTC)


def test_of_a_removed_repository_its_readers_learn_nothing(
    client: Client, shop: Build
) -> None:
    ada = user("ada")
    links = [share(ada), share_lines(client_of(ada), shop)]

    removal.remove_repository(repository=shop.index.repository)

    for link in links:
        for asker in (client, client_of(User.objects.get_or_create(username="b")[0])):
            assert asker.get(f"/s/{link.token}").status_code == 404
            asked = asker.get(f"/s/{link.token}", {"format": "json"})
            assert asked.status_code == 404


@pytest.mark.parametrize("query", ["", "?format=json"])
def test_who_shared_it_and_staff_learn_what_was_removed_and_no_code(
    shop: Build, query: str
) -> None:
    ada = user("ada")
    result, lines = share(ada), share_lines(client_of(ada), shop, start="6")

    removal.remove_repository(repository=shop.index.repository)

    for asker in (client_of(ada), client_of(user("eve", is_staff=True))):
        page = asker.get(f"/s/{result.token}{query}").content.decode()
        file = asker.get(f"/s/{lines.token}{query}").content.decode()
        for text in (page, file):
            assert "billing/money.py" in text
            for word in ("Format an amount", "amount,", "def ", "Money:"):
                assert word not in text
            assert "og:title" not in text
        assert "format money" in page
        assert "rrf 0.0" in page
    removed = RemovedRepository.objects.get()
    told = client_of(ada).get(f"/s/{result.token}").content.decode()
    assert f"shop was removed from this server on {removed.removed_at.day} " in told
    assert not RecordedText.objects.exists()


def test_of_a_removed_trace_it_is_told_where_its_targets_came(shop: Build) -> None:
    ada = user("ada")
    link = services.share(
        viewer=ANYONE,
        user=ada,
        kind="trace",
        query="format money",
        targets=["format_money", "logo.png"],
    )

    removal.remove_repository(repository=shop.index.repository)

    found = client_of(ada).get(f"/s/{link.token}", {"format": "json"}).json()
    page = client_of(ada).get(f"/s/{link.token}").content.decode()
    assert [row["rank"] for row in found["rows"]][:3] == [
        "target: 1",
        "target: lost at the corpus",
        "1",
    ]
    assert found["rows"][0]["place"] == "shop › billing/money.py:6–8"
    assert found["removed"] == ["shop"]
    assert "who made it, and staff" in page


def test_who_could_not_read_it_at_the_end_learns_nothing_though_they_shared_it(
    shop: Build,
) -> None:
    ada = user("ada")
    link = share(ada)
    Repository.objects.update(visibility="staff")

    repository = Repository.objects.get()
    removal.remove_repository(repository=repository)

    assert client_of(ada).get(f"/s/{link.token}").status_code == 404


def test_of_two_repositories_one_removed_hides_all_from_readers(
    client: Client, shop: Build
) -> None:
    attic = Repository.objects.create(name="attic", source="/srv/attic")
    ada = user("ada")
    link = share(ada)
    SearchRecord.objects.update(names={str(attic.pk): "attic", **link.record.names})
    both = client.get(f"/s/{link.token}").status_code

    removal.remove_repository(repository=attic)

    assert both == 200
    assert client.get(f"/s/{link.token}").status_code == 404
    page = client_of(ada).get(f"/s/{link.token}").content.decode()
    assert "attic was removed from this server on" in page
    Repository.objects.update(visibility="staff")
    assert client_of(ada).get(f"/s/{link.token}").status_code == 404


def test_a_repository_that_nobody_noted_the_removal_of_is_told_to_staff(
    shop: Build,
) -> None:
    ada = user("ada")
    link = share(ada)
    removal.remove_repository(repository=shop.index.repository)
    RemovedRepository.objects.all().delete()

    page = client_of(user("eve", is_staff=True)).get(f"/s/{link.token}")

    assert "shop was removed from this server." in page.content.decode()
    assert client_of(ada).get(f"/s/{link.token}").status_code == 404


def test_a_renamed_repository_has_its_name_of_then_and_links_to_that_of_now(
    client: Client, shop: Build
) -> None:
    link = share(AnonymousUser())
    Repository.objects.update(name="store")

    page = client.get(f"/s/{link.token}").content.decode()
    found = client.get(f"/s/{link.token}", {"format": "json"}).json()

    assert 'shop is called <a href="/r/store/">store</a> now' in page
    assert '<a href="/r/store/">shop</a>' in page
    assert "no longer on this server" not in page
    assert {hit["repository"] for hit in found["hits"]} == {"shop"}
    assert SearchRecord.objects.get().answer["builds"][0]["repository"] == "shop"


def test_the_command_line_sees_every_link(shop: Build) -> None:
    link = share(user("ada"))

    assert sharing.own_link(COMMAND_LINE, link.token) == link
    assert sharing.own_link(ANYONE, link.token) is None


def test_a_shared_search_says_what_was_not_looked_at(
    client: Client, shop: Build
) -> None:
    FullTexts(full_texts_of(shop.index.repository)).keep([])
    link = share(AnonymousUser(), '"return" send')

    found = client.get(f"/s/{link.token}", {"format": "json"}).json()
    page = client.get(f"/s/{link.token}").content.decode()

    assert found["unsearched"][0] in page
    assert "were looked for in 0 of 4 files" in page


def test_who_asks_for_the_head_alone_gets_it_and_is_no_visit(
    client: Client, shop: Build
) -> None:
    link = share(user("ada"))

    for address in ("/", "/healthz", f"/s/{link.token}"):
        answer = client.head(address)
        assert (answer.status_code, answer.content) == (200, b"")
    link.refresh_from_db()
    assert link.opened == 0
