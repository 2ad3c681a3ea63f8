"""A session that ends under a page, and what is left to see after signing out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.people import fill_in, sign_in
from tests.terminal import Terminal

CODE = "format_money"  # In the code of the shop, not in the queries of these tests.
FILE = "r/shop/blob/main/billing/money.py"
SEARCH = "?q=print+an+amount"
TRACE = "trace/?q=print+an+amount&target=Invoice.send"


def show_to(site: Terminal, visibility: str) -> None:
    code = (
        "from indexer.models import Repository;"
        f"Repository.objects.update(visibility='{visibility}')"
    )
    site.manage("shell", "--command", code)


@pytest.fixture(scope="module")
def vault(shared_site: Terminal) -> Iterator[Terminal]:
    """The site while only staff may read the shop."""
    show_to(shared_site, "staff")
    yield shared_site
    show_to(shared_site, "public")


@pytest.fixture
def sam(vault: Terminal, page: Page) -> Page:
    return sign_in(vault, page, "sam")


def end_session(context: BrowserContext) -> None:
    context.clear_cookies(name="sessionid")


def next_of(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query)["next"][0]


def expect_log_in(page: Page) -> None:
    """Expect the log-in as a page of its own, with nothing of what was private."""
    page.wait_for_url("**/accounts/login/?next=*")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    expect(page.locator("main form")).to_have_count(1)
    assert CODE not in page.content()


def test_typing_leads_to_the_log_in_and_back_to_what_was_typed(
    vault: Terminal, sam: Page
) -> None:
    sam.goto(f"{vault.url}?q=invoice&view=list")
    expect(sam.locator("#hit-1")).to_be_visible()
    end_session(sam.context)

    sam.get_by_role("combobox", name="Query").fill("print an amount")

    expect_log_in(sam)
    fill_in(sam, "sam")
    expect(sam.get_by_role("combobox", name="Query")).to_have_value("print an amount")
    expect(sam.get_by_role("table", name="Hits by rank")).to_be_visible()
    expect(sam.locator("#results")).to_contain_text(CODE)


def press_right_one(page: Page) -> None:
    page.get_by_role("button", name="This was the right one").first.click()


def press_around(page: Page) -> None:
    page.get_by_role("link", name="Around").first.click()


def make_link(page: Page) -> None:
    page.locator("#share-trace summary").click()
    page.get_by_role("button", name="Make a link").click()


def turn_bm25_off(page: Page) -> None:
    page.locator("#off-bm25").click()


def hover_a_name(page: Page) -> None:
    page.locator("#L18 .code__src a").hover()


@pytest.mark.parametrize(
    ("address", "ready", "act"),
    [
        (SEARCH, "#hit-1", press_right_one),
        (SEARCH, "#hit-1", press_around),
        (TRACE, "#whatif-form", make_link),
        (TRACE, "#whatif-form", turn_bm25_off),
        (FILE, "#L18", hover_a_name),
    ],
)
def test_a_click_leads_to_the_log_in_and_back_to_its_page(
    vault: Terminal,
    sam: Page,
    address: str,
    ready: str,
    act: Callable[[Page], None],
) -> None:
    sam.goto(f"{vault.url}{address}")
    expect(sam.locator(ready)).to_be_visible()
    # Parts that come once they are scrolled to would lead to the log-in before.
    sam.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    sam.wait_for_load_state("networkidle")
    there = sam.url
    end_session(sam.context)

    act(sam)

    expect_log_in(sam)
    fill_in(sam, "sam")
    sam.wait_for_url(there)
    expect(sam.locator(ready)).to_be_visible()


def test_a_page_that_asks_again_by_itself_leads_to_the_log_in(
    vault: Terminal, sam: Page
) -> None:
    sam.goto(f"{vault.url}jobs/")
    end_session(sam.context)

    sam.evaluate(
        "htmx.ajax('GET', '/jobs/', {source: '#jobs', target: '#jobs'})"
    )  # As it does every two seconds while a job runs.

    expect_log_in(sam)
    assert next_of(sam) == "/jobs/"


def test_back_after_the_session_has_ended_leads_to_the_log_in(
    vault: Terminal, sam: Page
) -> None:
    sam.goto(f"{vault.url}{SEARCH}")
    expect(sam.locator("#hit-1")).to_be_visible()
    box = sam.get_by_role("combobox", name="Query")
    box.fill("invoice")
    expect(sam).to_have_title("invoice · codesearch")
    expect(sam.locator("#hit-1 .leg--purpose b")).to_be_visible()  # All has come.
    end_session(sam.context)

    sam.go_back()

    expect_log_in(sam)
    assert next_of(sam) == f"/{SEARCH}"


def test_back_after_signing_out_shows_no_code_and_nothing_is_kept(
    vault: Terminal, browser: Browser
) -> None:
    context = browser.new_context()  # A refusal is a line of its console.
    page = sign_in(vault, context.new_page(), "sam")
    addresses = (SEARCH, TRACE, FILE, "r/shop/", "jobs/")
    for address in addresses:
        answer = page.goto(f"{vault.url}{address}")
        assert answer
        assert "no-store" in answer.headers["cache-control"], address
        page.wait_for_load_state("networkidle")
    page.goto(f"{vault.url}{FILE}")
    expect(page.locator("#code")).to_contain_text(CODE)
    page.get_by_role("button", name="sign out").click()
    page.wait_for_url(vault.url)

    for _ in addresses:
        page.go_back()
        page.wait_for_load_state("networkidle")
        assert CODE not in page.content(), page.url
        assert page.locator("#code, .hit, .verdict").count() == 0, page.url
    kept = page.evaluate(
        "[...Object.values(localStorage), ...Object.values(sessionStorage)].join()"
    )
    assert CODE not in kept
    assert page.evaluate("caches.keys()") == []
    context.close()


@pytest.fixture
def opened(shared_site: Terminal) -> Terminal:
    """The site once everyone may read the shop again."""
    show_to(shared_site, "public")
    return shared_site


def test_signing_in_leads_back_to_what_has_been_typed_since(
    opened: Terminal, page: Page
) -> None:
    page.goto(opened.url)
    page.get_by_role("combobox", name="Query").fill("print an amount")
    expect(page).to_have_title("print an amount · codesearch")

    page.get_by_role("link", name="Sign in").first.click()
    fill_in(page, "ada")

    expect(page.get_by_role("combobox", name="Query")).to_have_value("print an amount")


def test_a_page_of_nobody_asks_as_nobody_and_goes_on(
    opened: Terminal, page: Page
) -> None:
    page.goto(f"{opened.url}{SEARCH}")
    page.get_by_role("link", name="Around").first.click()

    expect(page.get_by_role("link", name="more lines around")).to_be_visible()
