"""Long texts: what a form posts is led to an address that holds as much as it can."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import QueryDict
from django.test import Client

from codesearch.addresses import QUERY_BYTES, search_address, shorten
from codesearch.funnel.stack_trace import read_stack
from indexer.models import Build

FRAME = '  File "/srv/shop/billing/money.py", line {}, in format_money\n'
TRACE = (
    "Traceback (most recent call last):\n"
    + "".join(FRAME.format(n) + f"    step {n} of some code\n" for n in range(1, 200))
    + 'shop.RateError: no rate for "EUR"\n'
)


def asked(address: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(address).query)


def test_a_short_query_is_its_own_address() -> None:
    sent = QueryDict("repository=&repository=shop&q=a+%22b%22&config=words&profile=")

    assert search_address(sent) == "/?repository=shop&q=a+%22b%22&config=words"


def test_a_repository_is_left_out_by_name() -> None:
    sent = QueryDict("repository=shop&repository=till&q=a&without=shop")

    assert search_address(sent) == "/?repository=till&q=a"


def test_a_long_text_is_cut_and_its_length_is_kept() -> None:
    sent = QueryDict(mutable=True)
    sent["q"] = "word " * 600

    found = asked(search_address(sent))

    assert found["given"] == ["3000"]
    assert len(found["q"][0]) == 2000


@pytest.mark.parametrize("sign", ["查", "é", "🚀", "x", '"'])
def test_an_address_is_never_longer_than_servers_take(sign: str) -> None:
    sent = QueryDict(mutable=True)
    sent["q"] = sign * 5000

    address = search_address(sent)

    assert len(address) < QUERY_BYTES + 100
    assert set(shorten(sign * 5000)) == {sign}


def test_as_much_is_kept_as_fits() -> None:
    assert len(shorten("查" * 900)) == QUERY_BYTES // 9
    assert len(shorten("x" * 2001)) == 2000


def test_of_a_stack_trace_the_newest_frames_are_kept() -> None:
    whole = read_stack(TRACE)

    short = read_stack(shorten(TRACE))

    assert whole is not None
    assert short is not None
    assert short.query == whole.query == "shop.RateError no rate EUR"
    assert short.frames == whole.frames[: len(short.frames)]
    assert len(short.frames) > 20


def test_what_is_posted_leads_to_results(client: Client, shop: Build) -> None:
    answer = client.post("/", {"q": TRACE, "repository": ""})

    assert answer.status_code == 303
    page = client.get(answer["Location"]).content.decode()
    assert "Frames" in page
    assert "format_money" in page
    assert "characters at most" not in page


def test_what_was_cut_is_said_beside_the_results(client: Client, shop: Build) -> None:
    answer = client.post("/", {"q": "总额" * 450})

    page = client.get(answer["Location"]).content.decode()

    assert "has 900 characters, and an address can hold 666 of them" in page


def test_of_what_a_browser_cuts_no_exact_count_is_said(
    client: Client, shop: Build
) -> None:
    answer = client.post("/", {"q": "total " * 33_333 + "to"})

    page = client.get(answer["Location"]).content.decode()

    assert "this one has 200,000 or more: what lies beyond is left out" in page


def test_the_form_posts_without_a_script_and_says_no_token(
    client: Client, db: None
) -> None:
    strict = Client(enforce_csrf_checks=True)

    form = client.get("/").content.decode().partition('id="search"')[2]

    assert 'method="post"' in form.partition(">")[0]
    assert "csrfmiddlewaretoken" not in form.partition("</form>")[0]
    assert strict.post("/", {"q": "a"})["Location"] == "/?q=a"
