"""The word at the caret is completed from what the viewer may read, and only that."""

from __future__ import annotations

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from codesearch.completion import complete, typed_at
from indexer.access import ANYONE, COMMAND_LINE
from indexer.models import Build, Repository
from tests.codesearch.conftest import build_of
from tests.conftest import MakeRepository


def texts(typed: str, at: int | None = None) -> list[str]:
    found = complete(ANYONE, typed, len(typed) if at is None else at)
    return [option.text for option in found]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("l", ["lang:"]),
        ("money -pa", ["path:"]),
        ("(ki", ["kind:"]),
        ("k", ["kind:"]),
        ("lang:p", ["python"]),
        ("l:", ["gettext", "python", "text"]),
        ("kind:cl", ["class"]),
        ("-is:te", ["test", "generated"]),
        ("type:", ["code", "doc", "place"]),
        ("repo:", ["shop"]),
        ("r:ho", ["shop"]),
        ("path:bil", ["billing/"]),
        ("f:loc", ["locale/"]),
        ("sym:Inv", ["Invoice", "Invoice.send", "Invoice.total"]),
        ("format_m", ["format_money"]),
        ("the invoice.t", ["Invoice.total"]),
        ('"in a phrase', []),
        ("a:b", []),
        ("count:1", []),
        ("rev:h", ["HEAD"]),
        ("branch:v9", []),
        ("money ", []),
        ("", []),
        ("path:*.p", []),
    ],
)
def test_a_word_is_completed(shop: Build, typed: str, offered: list[str]) -> None:
    assert texts(typed) == offered


def test_an_option_is_written_so_that_it_means_what_it_names(
    shop: Build, make_repository: MakeRepository
) -> None:
    text = "export function $pay() {}\n"
    build_of("web", make_repository({"app/[id]/(shop)/pay.js": text}))

    assert texts("path:app/") == ["app/\\[id]/", '"app/\\\\[id]/(shop)/"']
    assert texts("file:app/") == ["app/\\[id\\]/", '"app/\\\\[id\\\\]/\\\\(shop\\\\)/"']
    assert texts("sym:$") == ["\\$pay"]


def test_an_option_takes_the_place_of_the_word_at_the_caret(shop: Build) -> None:
    (option,) = complete(ANYONE, "money lang:pyt path:a", 13)

    assert (option.text, option.start, option.end) == ("python", 11, 14)


def test_revisions_that_are_kept_are_offered_by_branch_and_by_commit(
    shop: Build, make_repository: MakeRepository
) -> None:
    Build.objects.update(wanted="v1.0")
    web = build_of("web", make_repository({"main.ts": "export function pay() {}\n"}))

    def offered(typed: str) -> list[tuple[str, str]]:
        found = complete(ANYONE, typed, len(typed))
        return [(option.text, option.note) for option in found]

    commits = [(web.revision[:10], "web"), (shop.revision[:10], "shop")]
    assert offered("pay rev:") == [
        ("HEAD", "what is searched now"),
        ("v1.0", "shop"),
        *commits,
    ]
    assert offered("pay repo:web b:") == [
        ("HEAD", "what is searched now"),
        commits[0],
    ]
    assert offered("rev:V") == [("v1.0", "shop")]
    assert offered(f"rev:{web.revision[:6]}") == commits[:1]
    assert offered("pay repo:shop@") == [
        ("shop@HEAD", "what is searched now"),
        ("shop@v1.0", "shop"),
        (f"shop@{shop.revision[:10]}", "shop"),
    ]
    assert offered("repo:shop@v") == [("shop@v1.0", "shop")]
    assert offered("repo:none@") == []
    Repository.objects.update(visibility=Repository.Visibility.STAFF)
    assert [offered(typed) for typed in ("rev:v", "repo:shop@")] == [[], []]


def test_the_query_of_a_trace_is_completed_too(client: Client, shop: Build) -> None:
    form = client.get("/trace/", {"q": "money"}).content.decode()
    typed = {"q": "money l", "at": "7", "repository": "", "target": "pay"}

    page = client.get("/complete/", typed).content.decode()

    assert 'data-complete="/complete/"' in form
    assert 'id="completions"' in form
    assert 'data-text="lang:"' in page


def test_what_a_viewer_may_not_read_is_not_offered(shop: Build) -> None:
    Repository.objects.update(visibility=Repository.Visibility.STAFF)

    for typed in ("repo:sh", "lang:py", "path:bil", "format_m", "repo:shop sym:Inv"):
        assert texts(typed) == []
    assert [one.text for one in complete(COMMAND_LINE, "repo:sh", 7)] == ["shop"]


def test_only_what_the_rest_of_the_query_is_asked_of_is_offered(shop: Build) -> None:
    assert texts("-repo:shop format_m") == ["format_money"]  # Nothing would be left.
    assert texts("format_m repo:shop", 8) == ["format_money"]


def test_the_list_is_private_and_says_where_each_option_goes(
    client: Client, shop: Build
) -> None:
    response = client.get("/complete/", {"q": "money lang:py", "at": "13"})

    page = response.content.decode()
    assert 'role="listbox"' in page
    assert 'data-text="python" data-start="11" data-end="13"' in page
    assert "no-store" in response["Cache-Control"]
    assert "private" in response["Cache-Control"]


@pytest.mark.parametrize(
    "asked",
    [{"q": "x" * 3000}, {"q": "la", "at": "-1"}, {"q": "la", "repository": "none"}, {}],
)
def test_what_no_page_of_ours_asks_is_answered_with_an_empty_list(
    client: Client, shop: Build, asked: dict[str, str]
) -> None:
    response = client.get("/complete/", asked)

    assert response.status_code == 200
    assert "hidden" in response.content.decode()
    assert "data-text" not in response.content.decode()


@given(st.text(st.sampled_from('ab:"() -\\lang'), max_size=20), st.integers(0, 25))
def test_a_completion_is_of_characters_that_are_there(typed: str, at: int) -> None:
    found = typed_at(typed, at)

    if found is not None:
        assert 0 <= found.start <= min(at, len(typed)) <= found.end <= len(typed)
