"""The search page works as a page, as a fragment, as JSON and as a link."""

from __future__ import annotations

import html
import re
import socket
from typing import Any
from urllib.parse import unquote_plus

import pytest
from django.test import Client

from codesearch import services
from codesearch.errors import (
    NothingIndexed,
    SearchError,
    UnknownRepository,
    UnreadableQuery,
)
from codesearch.funnel.query import read_query
from codesearch.payloads.builds import stamp_of
from codesearch.payloads.filters import filters_payload
from codesearch.turns import Turns
from codesearch.views import search as views
from indexer import files, selectors
from indexer.selectors import RepositoryCard
from indexer.stages import Stage
from tests.codesearch.example_payload import (
    FILTERED,
    REVISION,
    make_folded,
    make_hit,
    make_search,
    standing,
)

HTMX = {"HX-Request": "true"}
TYPING = HTMX | {"HX-Source": "input#q"}
TEXT = "\n".join(f"def line{n}(): return '<b>{n}</b>' # money" for n in range(1, 80))


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch, db: None) -> list[dict[str, Any]]:
    """Every search finds the example; the list holds what was asked."""
    calls: list[dict[str, Any]] = []

    def search(**wish: Any) -> dict[str, Any]:  # Any: stands in for the service
        calls.append(wish)
        return make_search(query=wish["query"])

    def read_texts(viewer: object, wanted: Any) -> dict[Any, str]:
        return {key: TEXT for key in wanted if key[2] == "shop/money.py"}

    monkeypatch.setattr(services, "search", search)
    monkeypatch.setattr(selectors, "repository_names", lambda viewer: ["shop", "till"])
    monkeypatch.setattr(selectors, "is_searchable", lambda viewer: True)
    monkeypatch.setattr(files, "read_texts", read_texts)
    return calls


def fail(error: Exception) -> Any:  # Any: stands in for the service
    def search(**wish: object) -> None:
        raise error

    return search


def test_a_browser_gets_the_whole_page(client: Client) -> None:
    response = client.get("/", {"q": "format money"})

    assert response.templates[0].name == "codesearch/search.html"
    assert b"<!doctype html>" in response.content
    assert b"format_money" in response.content


def test_htmx_gets_only_the_results(client: Client) -> None:
    response = client.get("/", {"q": "format money"}, headers=HTMX)

    assert b"<!doctype html>" not in response.content
    assert b'<div id="results">' in response.content


def test_the_results_set_the_title_that_the_page_has(client: Client) -> None:
    fragment = client.get("/", {"q": "a <b>"}, headers=HTMX).content.decode()
    page = client.get("/", {"q": "a <b>"}).content.decode()

    title = "<title>a &lt;b&gt; · codesearch</title>"
    assert fragment.count("<title>") == page.count("<title>") == 1
    assert title in fragment
    assert title in page


def test_history_restore_gets_the_whole_page(client: Client) -> None:
    headers = HTMX | {"HX-History-Restore-Request": "true"}

    response = client.get("/", {"q": "format money"}, headers=headers)

    assert b"<!doctype html>" in response.content


def test_caches_keep_page_and_fragment_apart_and_private(client: Client) -> None:
    response = client.get("/", {"q": "format money"})

    assert "HX-Request" in response["Vary"]
    assert "HX-Source" in response["Vary"]
    assert "HX-History-Restore-Request" in response["Vary"]
    assert "no-store" in response["Cache-Control"]


def test_the_scope_reaches_the_service(
    client: Client, asked: list[dict[str, Any]]
) -> None:
    client.get("/", {"q": " a b ", "repository": ["shop", "shop"], "profile": "window"})

    assert asked[0]["query"] == "a b"
    assert asked[0]["repositories"] == ("shop",)
    assert asked[0]["profile"] == "window"


def test_scores_are_shown_raw_with_their_kind_and_never_normalised(
    client: Client,
) -> None:
    page = client.get("/", {"q": "format money"}).content.decode()

    assert "bm25 19.00" in page
    assert "rrf 0.016393" in page
    assert "within this query" not in page


def test_an_absent_leg_is_a_dash(client: Client) -> None:
    page = client.get("/", {"q": "format money"}).content.decode()

    assert "leg--absent leg--symbol" in page
    assert "nothing of it" in page


def test_code_is_escaped_and_its_range_linked(client: Client) -> None:
    page = client.get("/", {"q": "format money"}).content.decode()

    assert "&lt;b&gt;10&lt;/b&gt;" in page
    assert "<b>10</b>" not in page
    assert f'href="/r/shop/blob/{REVISION}/shop/money.py#L10-L13"' in page


def test_copies_and_stubs_are_listed_beneath_their_hit(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    hit = make_hit(
        1,
        1,
        "shop/money.py",
        "format_money",
        copies=[make_folded("till/money.py", "format_money")],
        re_exports=[make_folded("shop/__init__.py", "")],
    )
    monkeypatch.setattr(services, "search", lambda **wish: make_search(hits=[hit]))

    page = client.get("/", {"q": "format money"}).content.decode()

    assert "One of 2 copies found" in page
    assert "Re-exported by 1 file" in page
    for path in ("till/money.py", "shop/__init__.py"):
        assert f'href="/r/shop/blob/{REVISION}/{path}#L90-L93"' in page


def test_a_folded_hit_has_no_code_until_its_card_is_unfolded(client: Client) -> None:
    folded = client.get("/", {"q": "format money"}).content.decode()
    unfolded = client.get("/", {"q": "format money", "unfold": "1"}).content.decode()

    stamp = stamp_of(make_search())
    assert f'href="/?q=format+money&amp;unfold=1&amp;of={stamp}#card-1"' in folded
    assert 'hx-select="#card-1"' in folded
    assert 'aria-label="shop/money.py, lines 50 to 53"' not in folded
    assert 'aria-label="shop/money.py, lines 50 to 53"' in unfolded
    assert 'href="/?q=format+money#card-1"' in unfolded


def test_the_list_has_one_row_a_hit_and_stays_in_every_link(client: Client) -> None:
    page = client.get("/", {"q": "format money", "view": "list"}).content.decode()

    rows = re.findall(r'<tr data-hit id="hit-(\d+)">', page)
    assert rows == ["1", "2", "3", "4", "5", "6"]
    assert "shop/money.py:50–53" in page
    assert '<input type="hidden" name="view" value="list">' in page
    assert 'href="/?q=format+money" aria-current' not in page
    assert 'href="/?q=format+money&amp;view=list" aria-current="true">List' in page


def test_a_view_that_does_not_exist_is_an_error(client: Client) -> None:
    assert client.get("/", {"q": "format money", "view": "map"}).status_code == 400


def test_a_hit_whose_text_is_gone_says_so(client: Client) -> None:
    page = client.get("/", {"q": "format money"}).content.decode()

    assert "is no longer on this server" in page


def test_why_this_rank_leads_to_the_trace_of_that_hit(client: Client) -> None:
    page = client.get("/", {"q": "format money"}).content.decode()

    link = (
        "/trace/?q=format+money&amp;target=shop%3Ashop%2Fmoney.py%23format_money%4010"
    )
    assert link in page


def test_typing_two_characters_does_not_search(
    client: Client, asked: list[dict[str, Any]]
) -> None:
    response = client.get("/", {"q": "ab"}, headers=TYPING)

    assert asked == []
    assert b"at least 3 characters" in response.content


def test_a_field_that_is_cleared_is_answered_by_the_beginning(
    client: Client,
) -> None:
    response = client.get("/", {"q": ""}, headers=TYPING)

    assert b"Ask in words" in response.content
    assert b"at least 3 characters" not in response.content


def test_two_characters_and_enter_search(
    client: Client, asked: list[dict[str, Any]]
) -> None:
    client.get("/", {"q": "ab"}, headers=HTMX | {"HX-Source": "form"})

    assert [wish["query"] for wish in asked] == ["ab"]


def test_typing_asks_for_words_and_names_and_then_for_the_whole_by_itself(
    client: Client, asked: list[dict[str, Any]]
) -> None:
    wish = {"q": "format money", "repository": "shop", "view": "list"}
    first = client.get("/", wish, headers=TYPING).content.decode()
    found = re.search(r'hx-get="([^"]+)"\s+hx-trigger="load delay:150ms"', first)
    assert found
    address = html.unescape(found[1])

    source = HTMX | {"HX-Source": "span#follows"}
    whole = client.get(address, headers=source).content.decode()

    assert [(one["query"], one["by_words"]) for one in asked] == [
        ("format money", True),
        ("format money", False),
    ]
    assert asked[0]["repositories"] == asked[1]["repositories"] == ("shop",)
    assert "Words and names; meaning follows" in first
    assert "meaning follows" not in whole
    assert 'id="hit-1"' in first
    assert '<tr data-hit id="hit-1">' in whole


def test_enter_and_a_plain_request_ask_for_the_whole_at_once(
    client: Client, asked: list[dict[str, Any]]
) -> None:
    for headers in ({}, HTMX | {"HX-Source": "form"}):
        page = client.get("/", {"q": "format money"}, headers=headers)
        assert b"follows" not in page.content

    assert [one["by_words"] for one in asked] == [False, False]


def test_a_request_that_nobody_waits_for_any_more_is_not_answered(
    client: Client, asked: list[dict[str, Any]]
) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        waiting: Any = {"gunicorn.socket": ours}  # Any: no header
        first = client.get("/", {"q": "format money"}, headers=TYPING, **waiting)
        theirs.close()
        stale = client.get("/", {"q": "format money"}, headers=TYPING, **waiting)
        plain = client.get("/", {"q": "format money"}, **waiting)

    assert [one.status_code for one in (first, stale, plain)] == [200, 204, 200]
    assert len(asked) == 2


def test_words_and_names_alone_do_not_say_how_close_the_best_is(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    closeness = make_search()["closeness"] | {"band": "nothing"}
    word = {"word": "mony", "df": 0, "parts": [], "share": 1.0, "near": ["money"]}
    found = make_search(closeness=closeness, words=[word])
    monkeypatch.setattr(services, "search", lambda **wish: found)

    typed = client.get("/", {"q": "mony"}, headers=TYPING).content.decode()
    asked = client.get("/", {"q": "mony"}, headers=HTMX).content.decode()

    assert "Least far away" in asked
    assert "occurs nowhere" in asked
    assert "Lines to read" in typed
    assert "occurs nowhere" not in typed
    assert "hit--weak" not in typed


def test_words_and_names_that_find_nothing_yet_leave_the_word_to_the_other_legs(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = make_search(hits=[], places=[])
    monkeypatch.setattr(services, "search", lambda **wish: empty)

    page = client.get("/", {"q": "format money"}, headers=TYPING).content.decode()

    assert "meaning follows" in page
    assert "No chunk and no file" not in page


def test_a_leg_that_did_not_run_is_not_said_to_have_found_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    legs = make_search()["legs"]
    legs["body"] |= {"ran": False, "note": "no vectors are made yet"}
    monkeypatch.setattr(services, "search", lambda **wish: make_search(legs=legs))

    page = client.get("/", {"q": "format money"}).content.decode()

    assert page.count("did not run</span>") == 5  # Of each hit with its scores.
    assert "The body leg did not run: no vectors are made yet." in page


def test_nothing_asked_explains_the_legs(client: Client) -> None:
    response = client.get("/")

    assert b"Ask in words" in response.content


def test_nothing_found_says_what_is_not_covered(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = make_search(hits=[], places=[])
    monkeypatch.setattr(services, "search", lambda **wish: empty)

    page = client.get("/", {"q": "format money"}).content.decode()

    assert "No chunk and no file holds anything of this query" in page
    assert "9 of 10 files indexed" in page


def test_an_index_that_is_not_there_yet_is_a_state_of_its_own(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "search", fail(NothingIndexed("Not indexed yet.")))

    response = client.get("/", {"q": "format money"})

    assert b"Nothing can be searched yet" in response.content
    assert b"Not indexed yet." in response.content
    assert b"hx-trigger" not in response.content.split(b'id="results"')[1]


def test_an_index_in_work_shows_its_stages_and_its_job_and_asks_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "search", fail(NothingIndexed("Not indexed yet.")))
    stage = Stage("parsing", "busy", 3, 10, "3 of 10, 30%")
    known: dict[str, Any] = {  # Any: the rest of a card
        **dict.fromkeys(("source", "sentence", "revision"), ""),
        **dict.fromkeys(("committed_at", "finished_at")),
        **{"visibility": "public", "build_id": 7},
    }
    cards = [
        RepositoryCard(
            pk=1,
            name="shop",
            state="indexing",
            state_label="parsing 30%",
            is_active=True,
            searchable=False,
            stages=[stage],
            **known,
        ),
        RepositoryCard(
            pk=2,
            name="till",
            state="ready",
            state_label="ready",
            is_active=False,
            searchable=True,
            **known,
        ),
    ]
    monkeypatch.setattr(selectors, "repository_cards", lambda viewer: cards)

    page = client.get("/", {"q": "format money"}).content.decode()

    assert "parsing 30%" in page
    assert 'href="/jobs/7/"' in page
    assert "3 of 10, 30%" in page
    assert 'hx-get="/?q=format+money" hx-trigger="every 3s"' in page
    assert "till</b>" not in page


def test_an_unknown_repository_is_an_error_and_not_ignored(
    client: Client, asked: list[dict[str, Any]]
) -> None:
    response = client.get("/", {"q": "format money", "repository": "<secret>"})

    assert response.status_code == 400
    assert asked == []
    assert "There is no repository “&lt;secret&gt;” here." in response.content.decode()


def test_a_repository_that_vanished_is_not_found(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "search", fail(UnknownRepository("No shop.")))

    assert client.get("/", {"q": "format money"}).status_code == 404


def test_a_search_that_cannot_run_says_why(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = SearchError("The cross-encoder cannot be loaded.")
    monkeypatch.setattr(services, "search", fail(error))

    response = client.get("/", {"q": "format money"})

    assert response.status_code == 503
    assert b"The cross-encoder cannot be loaded." in response.content


def test_json_is_the_payload_itself(client: Client) -> None:
    response = client.get("/", {"q": "format money", "format": "json"})

    assert response.json() == make_search()


def test_json_without_a_query_is_an_error(client: Client) -> None:
    response = client.get("/", {"format": "json"})

    assert response.status_code == 400
    assert response.json()["schema"] == 1


def test_a_query_is_shown_escaped(client: Client) -> None:
    response = client.get("/", {"q": "<img src=x>"})

    assert b"<img src=x>" not in response.content


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        *((text, 1) for text in ("", "0", "-1", "abc", "1e9", "2.5", "9" * 5000)),
        *(("2", 2), ("\u0663", 3), ("3", 3)),
        *(("4", 3), ("99999", 3), ("9" * 30, 3)),
    ],
)
def test_a_page_that_cannot_be_is_the_nearest_that_can(
    client: Client, monkeypatch: pytest.MonkeyPatch, page: str, shown: int
) -> None:
    hits = [make_hit(n, n, f"shop/{n}.py", f"f{n}") for n in range(1, 25)]
    monkeypatch.setattr(services, "search", lambda **wish: make_search(hits=hits))

    asked = {"q": "format money", "page": page, "page_size": "1000000"}
    response = client.get("/", asked)

    text = response.content.decode()
    first = 10 * (shown - 1) + 1
    cards = [int(n) for n in re.findall(r'id="card-(\d+)"', text)]
    assert response.status_code == 200
    assert cards == list(range(first, min(first + 10, 25)))
    is_beyond = page.isascii() and page.isdigit() and int(page[:9] or 0) > 3
    assert ("There is no page" in text) == (is_beyond and len(page) < 100)


def test_a_link_to_another_page_names_the_layers_and_their_change_is_said(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    hits = [make_hit(n, n, f"shop/{n}.py", f"f{n}") for n in range(1, 25)]
    found = make_search(hits=hits)
    monkeypatch.setattr(services, "search", lambda **wish: found)
    first = client.get("/", {"q": "format money"}).content.decode()
    second = f"/?q=format+money&page=2&of={stamp_of(found)}"
    assert second.replace("&", "&amp;") in first
    same = client.get(second).content.decode()

    found["builds"][0]["id"] += 1
    moved = client.get(second).content.decode()
    again = client.get("/", {"q": "format money", "of": "0" * 16}).content.decode()

    notice = "The index has moved on since you began"
    assert [notice in page for page in (first, same, moved, again)] == [
        *(False, False, True, False)
    ]
    assert '<a class="button button--small" href="/?q=format+money">Begin' in moved
    assert f"page=3&amp;of={stamp_of(found)}" in moved


@pytest.mark.parametrize(
    "query", ["x " * 10_000, "a" * 199_999, 'd["k"] = f(x)\n' * 70_000]
)
def test_a_query_beyond_the_most_is_cut_and_that_is_said(
    client: Client, asked: list[dict[str, Any]], query: str
) -> None:
    response = client.get("/", {"q": query})

    page = response.content.decode()
    assert response.status_code == 200
    assert [len(one["query"]) for one in asked] == [2000]
    assert f"this one has {len(query.strip()):,}: what lies beyond is left out" in page
    assert len(page.partition('id="results"')[2]) < 500_000
    refused = client.get("/", {"q": query, "format": "json"})
    assert refused.status_code == 400
    assert "2,000 characters at most" in refused.json()["error"]


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_blanks_ask_for_nothing(
    client: Client, asked: list[dict[str, Any]], query: str
) -> None:
    response = client.get("/", {"q": query})

    assert response.status_code == 200
    assert b"Ask in words" in response.content
    assert asked == []


def test_a_query_without_a_word_says_so_and_offers_its_signs_as_a_phrase(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    legs = make_search()["legs"]
    for leg in legs.values():
        leg |= {"ran": False, "note": "the query has no words"}
    nothing: dict[str, Any] = {"hits": [], "places": [], "terms": [], "words": []}
    found = make_search(query='"!\\', legs=legs, **nothing)
    monkeypatch.setattr(services, "search", lambda **wish: found)

    for headers in ({}, HTMX, TYPING):
        page = client.get("/", {"q": '"!\\'}, headers=headers).content.decode()
        assert "There is no word to rank by" in page
        assert 'href="/?q=%22%5C%22%21%5C%5C%22"' in page
        assert "did not run:" not in page
        assert "follows" not in page


def test_more_searches_than_can_wait_are_asked_to_come_back(
    client: Client, monkeypatch: pytest.MonkeyPatch, asked: list[dict[str, Any]]
) -> None:
    turns = Turns(running=1, waiting=0)
    monkeypatch.setattr(views, "_turns", turns)

    with turns.take():
        refused = client.get("/", {"q": "format money"})
        as_json = client.get("/", {"q": "format money", "format": "json"})
    taken = client.get("/", {"q": "format money"})

    assert [one.status_code for one in (refused, as_json, taken)] == [429, 429, 200]
    assert refused["Retry-After"] == as_json["Retry-After"] == "2"
    page = refused.content.decode()
    assert "The server is busy with other searches" in page
    assert 'hx-trigger="load delay:2s"' in page
    assert 'href="/?q=format+money">Ask again now' in page
    assert "busy" in as_json.json()["error"]
    assert len(asked) == 1


def test_the_page_forbids_inline_scripts_and_styles(client: Client) -> None:
    response = client.get("/", {"q": "format money"})

    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert b"style=" not in response.content
    assert b"<script>" not in response.content


def test_each_filter_is_a_chip_as_it_was_understood_and_a_link_without_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "search", lambda **wish: make_search(**FILTERED))

    page = client.get("/", {"q": FILTERED["query"], "view": "list"}).content.decode()

    assert re.findall(r'chip__key">([^<]+)</span><span[^>]*>([^<]+)<', page) == [
        ("lang:", "python"),
        ("-path:", "&lt;b&gt;"),
    ]
    assert 'href="/?q=money+-path%3A%3Cb%3E&amp;view=list"' in page
    assert 'href="/?q=lang%3Apy+money&amp;view=list"' in page
    assert 'aria-label="Remove filter -path:&lt;b&gt;"' in page
    assert "12 of 1,234 chunks in scope" in page


def test_filters_that_leave_no_hit_are_named_with_what_they_cost(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = [
        {"filters": [0], "hits": 14},
        {"filters": [1], "hits": 0},
        {"filters": [0, 1], "hits": 1},
    ]
    found = make_search(**FILTERED, hits=[], places=[], without=without)
    monkeypatch.setattr(services, "search", lambda **wish: found)

    page = client.get("/", {"q": FILTERED["query"]}).content.decode()

    text = " ".join(re.sub(r"<[^>]+>", "", page).split())
    assert (
        "The filters leave no hit. Without lang:py there are 14."
        " Without lang:py -path:&lt;b&gt; there is 1."
    ) in text
    assert '<a href="/?q=money"><code>' in page
    assert "No chunk and no file in scope holds anything of this query" in text


def test_a_search_without_filters_has_no_chip(client: Client) -> None:
    page = client.get("/", {"q": "format money"}).content.decode()

    assert "chip__key" not in page
    assert "chunks in scope" not in page


def test_a_filter_that_cannot_be_read_is_the_fault_of_who_typed_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = UnreadableQuery("“kind:clas” at character 1: no kind is called clas.")
    monkeypatch.setattr(services, "search", fail(refusal))

    response = client.get("/", {"q": "kind:clas money"})

    assert response.status_code == 400
    assert "“kind:clas” at character 1" in response.content.decode()


def test_the_part_that_cannot_be_read_is_marked_in_the_query(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = UnreadableQuery("No kind is called <clas>.", (6, 17))
    monkeypatch.setattr(services, "search", fail(refusal))

    page = client.get("/", {"q": "money kind:<clas> x"}).content.decode()

    marked = 'class="marked">money <mark>kind:&lt;clas&gt;</mark> x</code>'
    assert marked in page


@pytest.mark.parametrize(
    ("query", "span", "headers", "status"),
    [
        ("money kind:cla", (6, 14), TYPING, 204),
        ("money kind:cla ", (6, 14), TYPING, 204),
        ("kind:cla money", (0, 8), TYPING, 400),
        ("money kind:cla", (6, 14), HTMX, 400),
        ("money", None, TYPING, 400),
    ],
)
def test_an_end_that_is_still_typed_leaves_the_page_as_it_is(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    query: str,
    span: tuple[int, int] | None,
    headers: dict[str, str],
    status: int,
) -> None:
    monkeypatch.setattr(services, "search", fail(UnreadableQuery("No.", span)))

    assert client.get("/", {"q": query}, headers=headers).status_code == status


def test_every_condition_is_a_chip_with_a_link_without_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = '"a b" AND -/x+/ save -(old OR "c") (lang:go OR path:a)'
    rows = filters_payload(read_query(typed))
    found = make_search(query=typed, filters=rows, in_scope=3)
    monkeypatch.setattr(services, "search", lambda **wish: found)

    page = client.get("/", {"q": typed}).content.decode()

    chips = re.findall(
        r'chip__key">([^<]*)</span><span[^>]*>([^<]+)</span>'
        r'<a class="chip__drop" href="/\?q=([^"]+)"',
        page,
    )
    assert [(key, html.unescape(value)) for key, value, _ in chips] == [
        ("", '"a b"'),
        ("-", "/x+/"),
        ("-", '(old OR "c")'),
        ("", "lang:go OR path:a"),
    ]
    assert [unquote_plus(link) for *_, link in chips] == [
        '-/x+/ save -(old OR "c") (lang:go OR path:a)',
        '"a b" save -(old OR "c") (lang:go OR path:a)',
        '"a b" AND -/x+/ save (lang:go OR path:a)',
        '"a b" AND -/x+/ save -(old OR "c")',
    ]


def test_what_cannot_be_seen_in_a_champion_s_name_is_written_out(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = make_hit(14, 11, "a.py", "x\u202ey", legs={"symbol": standing(1, 1.0)})
    monkeypatch.setattr(services, "search", lambda **wish: make_search(hits=[far]))

    page = client.get("/", {"q": "x"}).content.decode()

    assert (
        'x<span class="ctrl" data-code="U+202E"><bdi>\u202e</bdi></span>y</a>' in page
    )


def test_a_repository_is_added_and_removed_with_what_is_typed(client: Client) -> None:
    page = client.get("/", {"q": "old", "repository": "shop"}).content.decode()
    bar = page.partition("<form")[2].partition('id="results"')[0]

    assert 'name="without" value="shop"' in bar
    assert 'name="repository" value="till" type="submit" form="search"' in bar
    assert "?q=old" not in bar
    answer = client.post("/", {"q": "new", "repository": "shop", "without": "shop"})
    assert (answer.status_code, answer["Location"]) == (303, "/?q=new")


def test_enter_presses_no_button_that_removes(client: Client) -> None:
    page = client.get("/", {"q": "old", "repository": "shop"}).content.decode()
    form = page.partition('id="search"')[2].partition("</form>")[0]

    first = re.findall(r"<button[^>]*>", form)[0]

    assert "name=" not in first
