"""The search page in a real browser: typing, its history, and without a script."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect

from tests.conftest import MakeRepository
from tests.terminal import Terminal

FOLLOWS = "meaning follows"
MAKE_CONFIG = (
    "from codesearch.models import NamedConfig;"
    "NamedConfig.objects.create(name='words', pairs=[['k', '20']])"
)


def asked(sent: Request | Page) -> str:
    """Return the query of a search, or of a page, by its address; "" without one."""
    address = urlsplit(sent.url)
    found = parse_qs(address.query).get("q", [""])[0]
    return found if address.path == "/" else ""


def by_enter(request: Request) -> bool:
    """Tell whether a request was sent by the form."""
    return request.headers.get("hx-source") == "form#search"


def by_typing(request: Request) -> bool:
    """Tell whether a request was sent by a key."""
    return request.headers.get("hx-source") == "input#q"


@pytest.fixture
def warm(shared_site: Terminal, page: Page) -> Terminal:
    """The site once its model answers, and the page at its start."""
    page.goto(f"{shared_site.url}?q=invoice")
    expect(by_meaning(page)).to_be_visible()
    page.goto(shared_site.url)
    return shared_site


def by_meaning(page: Page) -> Locator:
    """Return what only the whole answer has: the first hit's rank by meaning."""
    return page.locator("#hit-1 .leg--purpose b")


def hold(page: Page, wanted: Callable[[Request], bool]) -> list[Route]:
    """Let the matching requests wait; return those that do, in order."""
    held: list[Route] = []

    def handle(route: Route) -> None:
        if wanted(route.request):
            held.append(route)
        else:
            route.continue_()

    page.route(re.compile(r"^\w+://[^/]+/\?"), handle)
    return held


def test_words_come_first_and_meaning_follows_in_place(
    warm: Terminal, page: Page
) -> None:
    held = hold(page, lambda request: not by_typing(request))
    box = page.get_by_role("combobox", name="Query")

    box.press_sequentially("format money", delay=20)

    expect(page).to_have_title("format money · codesearch")  # Of the last key.
    status = page.locator("#result-summary")
    expect(status).to_contain_text(FOLLOWS)
    first = page.locator("#hit-1")
    expect(first).to_contain_text("format_money")
    page.evaluate("document.getElementById('hit-1').seen = true")
    page.wait_for_timeout(300)
    [whole] = held
    whole.continue_()
    expect(status).not_to_contain_text(FOLLOWS)
    expect(by_meaning(page)).to_be_visible()
    assert page.evaluate("document.getElementById('hit-1').seen")  # Not made anew.
    assert page.evaluate("document.activeElement.id") == "q"
    expect(page).to_have_title("format money · codesearch")


def test_an_answer_that_comes_late_never_covers_a_newer_one(
    warm: Terminal, page: Page
) -> None:
    held = hold(page, lambda request: asked(request) == "invoice")
    box = page.get_by_role("combobox", name="Query")
    box.fill("invoice")
    page.wait_for_timeout(200)
    assert len(held) == 1

    box.fill("format money")
    expect(page.locator("#hit-1")).to_contain_text("format_money")
    held[0].fulfill(body='<div id="results">stale</div>', content_type="text/html")
    page.wait_for_timeout(300)

    expect(page.locator("#hit-1")).to_contain_text("format_money")
    expect(page.locator("#results")).not_to_contain_text("stale")
    assert asked(page) == "format money"


def test_what_follows_an_older_key_gives_way_to_a_newer_one(
    warm: Terminal, page: Page
) -> None:
    held = hold(page, lambda request: asked(request) == "format money")
    box = page.get_by_role("combobox", name="Query")
    box.fill("invoice")
    expect(page.locator("#follows")).to_be_visible()
    box.fill("format money")
    page.wait_for_timeout(400)  # By now the first would have been followed.

    [newer] = held
    newer.continue_()

    expect(page.locator("#hit-1")).to_contain_text("format_money")
    expect(page).to_have_title("format money · codesearch")


def test_a_query_is_one_entry_of_the_history_however_it_was_typed(
    warm: Terminal, page: Page
) -> None:
    box = page.get_by_role("combobox", name="Query")
    box.press_sequentially("format money", delay=90)
    with page.expect_response(
        lambda one: one.request.headers.get("hx-source") == "form#search"
    ):
        box.press("Enter")
    expect(by_meaning(page)).to_be_visible()
    box.fill("send an invoice")
    expect(page).to_have_title("send an invoice · codesearch")
    expect(by_meaning(page)).to_be_visible()

    page.go_back()

    expect(page.get_by_role("combobox", name="Query")).to_have_value("format money")
    expect(page.locator("#hit-1")).to_contain_text("format_money")
    expect(page).to_have_title("format money · codesearch")
    page.go_back()
    expect(page.get_by_role("heading", name="Ask in words")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("combobox", name="Query")).to_have_value("format money")
    page.go_forward()
    expect(page.locator("#results")).to_contain_text("Invoice.send")
    expect(page.get_by_role("banner")).to_be_visible()  # It is the whole page.


def test_enter_right_after_the_last_key_asks_for_the_whole_once(
    warm: Terminal, page: Page
) -> None:
    sent: list[Request] = []
    page.on("request", lambda one: sent.append(one) if asked(one) else None)

    box = page.get_by_role("combobox", name="Query")
    box.fill("format money")
    box.press("Enter")
    expect(by_meaning(page)).to_be_visible()
    page.wait_for_timeout(300)

    assert [by_typing(request) for request in sent] == [False]


def test_a_field_that_is_cleared_shows_the_beginning_again(
    warm: Terminal, page: Page
) -> None:
    box = page.get_by_role("combobox", name="Query")
    box.fill("format money")
    expect(by_meaning(page)).to_be_visible()

    box.fill("")

    expect(page.get_by_role("heading", name="Ask in words")).to_be_visible()
    expect(page).to_have_title("Search · codesearch")


@pytest.mark.parametrize("there", ["?q={}", "?q=%22{}%22", "trace/?q={}&target=send"])
def test_a_word_of_any_length_makes_no_page_wider(
    warm: Terminal, page: Page, there: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})

    page.goto(warm.url + there.format("a" * 1500))

    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_reload_and_a_closed_tab_that_is_opened_again_show_the_whole_page(
    warm: Terminal, page: Page
) -> None:
    page.get_by_role("combobox", name="Query").fill("format money")
    expect(by_meaning(page)).to_be_visible()
    address = page.url

    page.reload()
    expect(page.get_by_role("banner")).to_be_visible()
    expect(page.locator("#hit-1")).to_contain_text("format_money")
    again = page.context.new_page()
    again.goto(address)
    expect(again.get_by_role("combobox", name="Query")).to_have_value("format money")
    expect(again.locator("#hit-1")).to_contain_text("format_money")


def test_without_a_script_everything_is_a_form_or_a_link(
    warm: Terminal, plain_page: Page
) -> None:
    page = plain_page
    page.goto(warm.url)
    page.get_by_role("combobox", name="Query").fill("format money")
    page.get_by_role("button", name="Search").click()

    expect(page.locator("#hit-1")).to_contain_text("format_money")
    expect(page.locator("#result-summary")).not_to_contain_text(FOLLOWS)
    page.get_by_role("link", name="List", exact=True).click()
    assert re.search(r"view=list", page.url)
    narrow = page.get_by_role("region", name="Narrow")
    narrow.get_by_role("link", name="method").click()
    expect(page.get_by_role("combobox", name="Query")).to_have_value(
        "format money kind:method"
    )
    narrow.get_by_role("link", name="Without method").click()
    expect(page.get_by_role("combobox", name="Query")).to_have_value("format money")
    expect(page.get_by_role("table", name="Hits by rank")).to_be_visible()


def test_what_is_typed_goes_with_a_repository_and_a_config(
    site: Terminal, page: Page, make_repository: MakeRepository
) -> None:
    other = make_repository({"a.py": "def total():\n    return 1\n"})
    site.manage("index", str(other), "--name", "other", "--wait")
    site.manage("shell", "-c", MAKE_CONFIG)
    page.goto(f"{site.url}?q=invoice")
    page.locator("#q").fill("total")
    page.locator("#q").blur()

    page.get_by_label("config", exact=True).select_option("words")
    expect(page.get_by_text("Ranked with the config")).to_be_visible()
    expect(page).to_have_url(re.compile("q=total&config=words$"))

    page.get_by_role("button", name="repo:other").click()
    expect(page).to_have_url(re.compile("q=total&config=words&repository=other$"))
    page.locator("#q").fill("send")
    page.locator("#q").blur()
    page.get_by_role("button", name="Remove filter repo:other").click()
    expect(page).to_have_url(re.compile(r"\?q=send&config=words$"))


@pytest.mark.parametrize("has_script", [True, False])
def test_a_long_text_is_led_to_an_address_that_says_what_it_holds(
    shared_site: Terminal, browser: Browser, *, has_script: bool
) -> None:
    context = browser.new_context(java_script_enabled=has_script)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(shared_site.url)

    page.locator("#q").fill("查" * 900)
    if not has_script:
        page.locator("#q").press("Enter")

    expect(page.get_by_text("an address can hold 666 of them")).to_be_visible()
    expect(page.locator("#q")).to_have_value("查" * 666)
    assert said == []
    context.close()
