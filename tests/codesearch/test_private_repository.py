"""Of a repository that may not be read nothing is told: it is as one that never was.

Neither its name, paths, symbols, code nor counts, on any page, as JSON or in an error,
and no address of it answers otherwise than that of a name that nothing has.
"""

from __future__ import annotations

from urllib.parse import unquote_plus

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client

from codesearch.services import share
from indexer.access import COMMAND_LINE
from indexer.models import Build, Repository
from tests.codesearch.conftest import build_of
from tests.conftest import MakeRepository
from tests.web_cases import Markup

HUSHED = '''def whisperplan(amount):
    """Mumble an amount of money quietly."""
    return "hushword"
'''
WORDS = ("vaultxq", "quietpath", "whisperplan", "hushword", "Mumble")
# Asked in words that only the hidden repository has, and in words that both have.
OPEN = (
    "/",
    "/?q={word}",
    "/?q={word}&view=list",
    "/?q={word}&format=json",
    "/?q=%22{word}%22&view=lines",
    "/?q=/{part}/&view=lines",
    "/?q=/{part}/&format=json",
    "/?q=sym:{word}",
    "/?q=path:{part}",
    "/?q=amount+-{word}",
    "/?q=repo:{part}",
    "/?q=-repo:{part}+money",
    "/?q=money+rev:{part}",
    "/?q=money+rev:main",
    '/?q=File+"quietpath/a.py",+line+1,+in+{word}',
    "/?q=amount+money&format=json",
    "/complete/?q={part}",
    "/complete/?q=sym:{part}",
    "/complete/?q=path:{part}",
    "/complete/?q=repo:{part}",
    "/complete/?q=repo:",
    "/complete/?q=lang:",
    "/complete/?q=rev:",
    "/trace/?q=money&target={word}",
    "/trace/?q=money&target={word}&format=json",
    "/trace/lines/?q=money&target={word}",
    "/trace/phrasings/?q=money&target={word}",
    "/symbols/?target={part}",
    "/like/?target={word}",
    "/like/?target=format_money",
    "/like/?target=format_money&format=json",
    "/repositories/",
    "/jobs/",
    "/jobs/?format=json",
    "/profiles/",
    "/configs/",
    "/cases/",
    "/audits/",
    "/experiments/",
    "/compare/",
    "/compare/profiles/",
)
# Of the hidden repository and of one that never was: the answers are alike.
CLOSED = (
    "/r/{name}/",
    "/r/{name}/coverage/",
    "/r/{name}/coverage/?format=json",
    "/r/{name}/blob/{revision}/quietpath/a.py",
    "/r/{name}/blob/main/quietpath/a.py",
    "/r/{name}/raw/{revision}/quietpath/a.py",
    "/r/{name}/tree/{revision}/",
    "/r/{name}/tree/main/",
    "/r/{name}/inspect/{revision}/quietpath/a.py",
    "/r/{name}/map/{revision}/quietpath/a.py",
    "/r/{name}/excerpt/{revision}/quietpath/a.py?own=1-3",
    "/r/{name}/names/{revision}/?name=whisperplan",
    "/r/{name}/uses/{revision}/?name=whisperplan",
    "/repositories/{name}/card/",
    "/repositories/{name}/progress/",
    "/?q=money&repository={name}",
    "/?q=money+repo:^{name}$",
    "/?q=money&repository={name}&format=json",
    "/trace/?q=money&target=a&repository={name}",
    "/like/?target={name}:quietpath/a.py",
    "/like/?target=whisperplan&repository={name}",
    "/complete/?q=sym:wh&repository={name}",
    "/symbols/?target=wh&repository={name}",
    "/compare/profiles/?repository={name}",
    "/experiments/?repository={name}",
    "/jobs/?repository={name}",
)
POSTS = (
    "/repositories/{}/build/",
    "/repositories/{}/cancel/",
    "/r/{}/settings/",
    "/r/{}/remove/",
    "/hooks/{}/",
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def hidden(shop: Build, make_repository: MakeRepository) -> Build:
    """The build of a repository for staff, beside the shop, which is public."""
    build = build_of("vaultxq", make_repository({"quietpath/a.py": HUSHED}))
    Repository.objects.filter(name="vaultxq").update(visibility="staff")
    return build


@pytest.fixture
def readers(ada: User) -> tuple[Client, Client]:
    """Nobody, and someone who is signed in and is not staff."""
    signed_in = Client()
    signed_in.force_login(ada)
    return Client(), signed_in


def told(answer: HttpResponseBase) -> str:
    """Return all that an answer says, in its headers as well."""
    assert isinstance(answer, HttpResponse)
    return answer.content.decode() + str(answer.headers)


def said(answer: HttpResponseBase) -> str:
    """Return where an answer leads and what it says, without its form's tokens."""
    assert isinstance(answer, HttpResponse)
    body, there = answer.content.decode(), answer.get("Location", "")
    is_page = answer["Content-Type"].startswith("text/html")
    return there + (Markup(body).text if is_page else body)


def test_no_page_says_a_word_of_it(
    readers: tuple[Client, Client], hidden: Build
) -> None:
    for reader in readers:
        for pattern in OPEN:
            for word in ("whisperplan", "hushword", "quietpath", "vaultxq"):
                address = pattern.format(word=word, part=word[:5])
                answer = reader.get(address, headers={"HX-Request": "true"})
                asked = unquote_plus(address)
                found = [w for w in WORDS if w in told(answer) and w not in asked]
                assert answer.status_code < 500, address
                assert found == [], address
                if "{" not in pattern:
                    break


def test_its_addresses_answer_as_those_of_one_that_never_was(
    readers: tuple[Client, Client], hidden: Build
) -> None:
    for reader in readers:
        for pattern in CLOSED:
            there, nowhere = (
                pattern.format(name=name, revision=hidden.revision)
                for name in ("vaultxq", "nothing")
            )
            for headers in ({}, {"HX-Request": "true"}):
                hers, none = (
                    reader.get(one, headers=headers) for one in (there, nowhere)
                )
                assert hers.status_code == none.status_code, there
                assert said(hers).replace("vaultxq", "nothing") == said(none), there


def test_what_would_change_it_answers_as_for_one_that_never_was(
    readers: tuple[Client, Client], hidden: Build
) -> None:
    for reader in readers:
        for pattern in POSTS:
            hers, none = (
                reader.post(pattern.format(name), {}, content_type="application/json")
                for name in ("vaultxq", "nothing")
            )
            assert hers.status_code == none.status_code, pattern
            assert hers.status_code in (403, 404)
        form = {
            "kind": "file",
            "path_url": "quietpath/a.py",
            "revision": hidden.revision,
        }
        names = ("vaultxq", "nothing")
        shares = [reader.post("/share/", {**form, "repository": one}) for one in names]
        assert [one.status_code for one in shares] == [400, 400]
        assert shares[0].content == shares[1].content


def test_a_link_to_it_answers_as_one_that_never_was(
    readers: tuple[Client, Client], hidden: Build
) -> None:
    link = share(
        viewer=COMMAND_LINE, user=AnonymousUser(), kind="search", query="whisperplan"
    )
    for reader in readers:
        for more in ("", "?format=json", "?page=2"):
            hers = reader.get(f"/s/{link.token}{more}")
            none = reader.get(f"/s/{'x' * 16}{more}")
            assert hers.status_code == none.status_code == 404
            assert said(hers) == said(none)
            assert not [word for word in WORDS if word in told(hers)]


def test_a_reading_changes_nothing(
    readers: tuple[Client, Client], hidden: Build
) -> None:
    changing = ["/share/", "/cases/save/", "/queries/forget/", "/configs/default/"]
    changing += ["/repositories/shop/build/", "/jobs/1/cancel/", "/theme/"]
    changing += ["/profiles/symbol/index/", "/profiles/symbol/delete/"]

    for reader in readers:
        assert {reader.get(one).status_code for one in changing} == {405}
