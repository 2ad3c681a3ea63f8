"""The trace page: verdict, funnel, tables, and what to do with many names."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from codesearch import selectors, services
from codesearch.errors import AmbiguousTarget, Candidate
from codesearch.views import trace as view
from tests.codesearch.example_payload import FILTERED, make_target, make_trace

WISH = {"q": "format money", "target": "Cart.discount"}
CANDIDATES = [
    Candidate(
        target=f"shop:shop/{name}.py#total@9",
        repository="shop",
        path=f"shop/{name}.py",
        symbol="total",
        kind="function",
        start_line=3,
        end_line=9,
    )
    for name in ("cart", "till")
]


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch, db: None) -> list[dict[str, Any]]:
    """Every trace gives the example; the list holds what was asked."""
    calls: list[dict[str, Any]] = []

    def trace(**wish: Any) -> dict[str, Any]:  # Any: stands in for the service
        calls.append(wish)
        return make_trace()

    monkeypatch.setattr(services, "trace", trace)
    monkeypatch.setattr(view, "repository_names", lambda viewer: ["shop"])
    return calls


def test_a_trace_without_all_vectors_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = make_trace()
    found["builds"][0] |= {"status": "running"}
    found["builds"][0]["coverage"] |= {"body": 0.21}
    found["builds"][0]["surfaces"]["body"] |= {"done": 259}
    monkeypatch.setattr(services, "trace", lambda **wish: found)

    page = client.get("/trace/", WISH).content.decode()

    assert 'hx-get="/repositories/shop/progress/"' in page
    assert "summaries 9 of 9, purposes 1,225 of 1,225, bodies 259 of 1,234" in page


def test_a_record_from_before_there_were_counts_has_shares(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = make_trace()
    del found["builds"][0]["surfaces"]
    del found["builds"][0]["coverage"]["summary"]
    found["builds"][0]["coverage"] |= {"body": 0.999}
    monkeypatch.setattr(services, "trace", lambda **wish: found)

    page = client.get("/trace/", WISH).content.decode()

    assert "purposes 100%, bodies 99%. Its bm25" in page


def test_a_leg_that_has_no_vector_of_the_target_yet_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = make_trace(make_target(unembedded=["body"]))
    monkeypatch.setattr(services, "trace", lambda **wish: found)

    page = client.get("/trace/", WISH).content.decode()

    assert "body has no vector yet and symbol has nothing of it." in page
    assert "no vector yet</span>" in page
    assert page.count("nothing of it</span>") == 1


def test_the_verdict_is_a_state_and_a_sentence(client: Client) -> None:
    page = client.get("/trace/", WISH).content.decode()

    assert "Died at the pool: outvoted" in page
    assert "It came 214th in the fusion, and the pool takes 200." in page
    assert "A pool of 214." in page


def test_the_funnel_is_drawn_and_stands_in_a_table(client: Client) -> None:
    page = client.get("/trace/", WISH).content.decode()

    assert '<svg class="plot"' in page
    assert "Funnel as a table" in page
    assert "cut: 214 &gt; 200" in page


def test_a_normalised_score_is_labelled_and_beside_its_raw_score(
    client: Client,
) -> None:
    page = client.get("/trace/", WISH).content.decode()

    assert "Normalised within this query</button>" in page
    assert "bm25 8.02" in page


def test_htmx_gets_only_the_result(client: Client) -> None:
    response = client.get("/trace/", WISH, headers={"HX-Request": "true"})

    assert response.content.lstrip().startswith(b'<div id="trace-result">')


def test_several_targets_are_traced_at_once(
    client: Client, asked: list[dict[str, Any]]
) -> None:
    client.get("/trace/", {"q": "format money", "target": ["a", "b", ""]})

    assert asked[0]["targets"] == ["a", "b"]


def test_an_empty_form_asks_for_query_and_target(
    client: Client, asked: list[dict[str, Any]]
) -> None:
    response = client.get("/trace/", {"q": "format money"})

    assert response.status_code == 200
    assert asked == []


def test_an_ambiguous_target_lists_what_it_may_mean_as_links(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trace(**wish: object) -> None:
        raise AmbiguousTarget("total", CANDIDATES)

    monkeypatch.setattr(services, "trace", trace)

    page = client.get("/trace/", {"q": "money", "target": ["a", "total"]})

    link = "/trace/?q=money&amp;target=a&amp;target=shop%3Ashop%2Ftill.py%23total%409"
    assert link in page.content.decode()


def test_of_very_many_names_the_page_shows_the_first_and_json_all(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trace(**wish: object) -> None:
        raise AmbiguousTarget("total", CANDIDATES * 15)

    monkeypatch.setattr(services, "trace", trace)

    page = client.get("/trace/", WISH).content.decode()
    found = client.get("/trace/", WISH | {"format": "json"}).json()

    assert "“total” stands for 30 chunks." in page
    assert page.count("%23total%409") == 20
    assert len(found["candidates"]) == 30


@pytest.mark.parametrize(
    ("section", "service"),
    [
        ("whatif", "exploring.what_if"),
        ("changes", "exploring.changes"),
        ("lines", "views.lines.trace_lines"),
    ],
)
def test_a_section_alone_shows_the_first_of_very_many_names(
    client: Client, monkeypatch: pytest.MonkeyPatch, section: str, service: str
) -> None:
    def explore(**wish: object) -> None:
        raise AmbiguousTarget("total", CANDIDATES * 15)

    monkeypatch.setattr(f"codesearch.{service}", explore)

    page = client.get(f"/trace/{section}/", WISH).content.decode()

    assert page.count("%23total%409") == 20


def test_an_ambiguous_target_is_an_error_in_json(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trace(**wish: object) -> None:
        raise AmbiguousTarget("total", CANDIDATES)

    monkeypatch.setattr(services, "trace", trace)

    response = client.get("/trace/", WISH | {"format": "json"})

    assert response.status_code == 400
    assert len(response.json()["candidates"]) == 2


def test_a_target_without_a_chunk_has_a_verdict_and_no_leg_table(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = dict.fromkeys(("chunk", "repository", "path", "path_url", "symbol"))
    death = {
        "stage": "corpus",
        "reason": "not_in_repository",
        "detail": "Nothing is called so.",
        "needed": None,
    }
    target = make_target(
        **nowhere,
        legs=dict.fromkeys(("purpose", "bm25")),
        fused=None,
        terms=[],
        death=death,
    )
    monkeypatch.setattr(services, "trace", lambda **wish: make_trace(target))

    page = client.get("/trace/", WISH).content.decode()

    assert "Died at the corpus: not in repository" in page
    assert "Nothing is called so." in page
    assert 'id="legs-1-h"' not in page


def test_json_is_the_payload_itself(client: Client) -> None:
    assert client.get("/trace/", WISH | {"format": "json"}).json() == make_trace()


def test_too_many_targets_are_an_error(client: Client) -> None:
    many = {"q": "a", "target": [str(n) for n in range(11)]}

    assert client.get("/trace/", many).status_code == 400


def test_a_query_that_is_too_long_is_an_error_and_never_cut(client: Client) -> None:
    form = client.get("/trace/").content.decode()
    answer = client.get("/trace/", {"q": "x" * 2001, "target": "a"})

    assert 'maxlength="2001"' in form
    assert answer.status_code == 400
    said = "A query has 2,000 characters at most, and this one has more."
    assert said in answer.content.decode()


def test_a_name_is_looked_up_while_it_is_typed(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "find_symbols", lambda *args, **kwargs: CANDIDATES)

    response = client.get(
        "/symbols/", {"q": "money", "target": "tot"}, headers={"HX-Request": "true"}
    )

    assert response.content.lstrip().startswith(b'<div id="target-options"')
    assert b"target=shop%3Ashop%2Fcart.py%23total%409" in response.content


def test_the_lookup_is_a_page_too(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "find_symbols", lambda *args, **kwargs: [])

    response = client.get("/symbols/", {"target": "<zz>"})

    assert b"<!doctype html>" in response.content
    assert b"<zz>" not in response.content


def test_a_target_out_of_scope_shows_the_rank_that_it_has_without_filters(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = make_target(
        legs=dict.fromkeys(("purpose", "body", "bm25", "symbol")),
        fused=None,
        death={
            "stage": "scope",
            "reason": "filter:path",
            "detail": "“-path:<b>” leaves it out.",
            "needed": "A search without “-path:<b>”.",
        },
    )
    found = make_trace(target, **FILTERED)
    monkeypatch.setattr(services, "trace", lambda **wish: found)

    page = client.get("/trace/", {**WISH, "q": FILTERED["query"]}).content.decode()

    assert "Died at the scope: filter (path)" in page
    assert "out of scope; unfiltered rank 1,482" in page
    assert "left out by path:" in page
    assert "over the 12 chunks in scope" in page
    assert 'href="/trace/?q=lang%3Apy+money&amp;target=Cart.discount"' in page
