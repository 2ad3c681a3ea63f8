"""Sharing in a real browser: links are made, opened by others, expire, are revoked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.terminal import Terminal

PHONE = {"width": 390, "height": 844}
USERS = (
    "from django.contrib.auth.models import User;"
    "[User.objects.create_user(name, password='a long word') for name in ('ada','bob')]"
)
SEARCH = "?q=format+money&repository=shop"
TRACE = "trace/?q=format+money&repository=shop&target=format_money"


@pytest.fixture
def shop(site: Terminal) -> Terminal:
    """A site with an index and two users."""
    site.manage("shell", "-c", USERS)
    return site


@pytest.fixture
def ada(shop: Terminal, page: Page) -> Page:
    return sign_in(shop, page, "ada")


@pytest.fixture
def other(browser: Browser) -> Iterator[BrowserContext]:
    """Another browser, that nobody is signed in with."""
    context = browser.new_context()
    yield context
    context.close()


def sign_in(site: Terminal, page: Page, name: str) -> Page:
    page.goto(f"{site.url}accounts/login/?next=/s/")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password").fill("a long word")
    page.get_by_role("button", name="Sign in").click()
    return page


def share(site: Terminal, page: Page, address: str, kind: str) -> str:
    """Share what a page shows, as its form does, and return the address made."""
    page.goto(f"{site.url}{address}")
    form = page.locator(f"#share-{kind}")
    form.locator("summary").click()
    form.get_by_role("button", name="Make a link").click()
    made = form.get_by_label("The link", exact=True)
    made.wait_for()
    return made.input_value()


def open_first(page: Page) -> None:
    """Open the forms of the first link of the list."""
    page.get_by_role("row").nth(1).locator("summary").click()


def file_address(site: Terminal, page: Page) -> str:
    page.goto(f"{site.url}{SEARCH}")
    href = page.locator(".crumbs__path").first.get_attribute("href")
    assert href is not None
    return f"{href.lstrip('/')}#L6-L8"


def test_a_link_is_made_in_the_page_and_copied(shop: Terminal, ada: Page) -> None:
    ada.context.grant_permissions(["clipboard-read", "clipboard-write"])

    link = share(shop, ada, SEARCH, "search")
    ada.get_by_role("button", name="Copy", exact=True).last.click()

    expect(ada.get_by_text("Whoever may read shop can open it.")).to_be_visible()
    assert ada.evaluate("navigator.clipboard.readText()") == link
    ada.goto(link)
    expect(ada.get_by_role("heading", level=1)).to_have_text("format money")


def test_the_form_closes_by_escape_and_asks_for_a_date_when_one_is_chosen(
    shop: Terminal, other: BrowserContext
) -> None:
    ada = sign_in(shop, other.new_page(), "ada")  # A refusal is heard in the console.
    ada.goto(f"{shop.url}{TRACE}")
    ada.locator("#share-trace > summary").click()
    date = ada.locator("#until-trace")
    expect(date).to_be_hidden()

    ada.locator("#expires-trace").select_option("date")
    expect(date).to_be_visible()
    ada.get_by_role("button", name="Make a link").click()

    told = "Give the date on which the link expires."
    expect(ada.locator("#made-trace")).to_contain_text(told)
    date.press("Escape")
    expect(date).to_be_hidden()


def test_the_lines_that_are_selected_are_shared(
    shop: Terminal, ada: Page, other: BrowserContext
) -> None:
    link = share(shop, ada, file_address(shop, ada), "file")

    page = other.new_page()
    page.goto(link)

    expect(page.get_by_role("heading", level=1)).to_contain_text("money.py:6-8")
    assert page.locator("#code tr.on").count() == 3


def test_a_link_is_for_anyone_until_its_maker_revokes_it(
    shop: Terminal, ada: Page, other: BrowserContext
) -> None:
    link = share(shop, ada, TRACE, "trace")
    bob = sign_in(shop, other.new_page(), "bob")
    assert bob.goto(link).status == 200  # type: ignore[union-attr]
    expect(bob.get_by_role("button", name="Revoke")).to_have_count(0)

    ada.goto(f"{shop.url}s/")
    expect(ada.get_by_role("row").nth(1)).to_contain_text("1")
    open_first(ada)
    ada.get_by_role("button", name="Revoke").click()

    expect(ada.get_by_text("The link is revoked")).to_be_visible()
    assert bob.reload().status == 410  # type: ignore[union-attr]
    expect(bob.get_by_text("This link was revoked on")).to_be_visible()


def test_a_link_that_expires_leads_nowhere_until_it_is_extended(
    shop: Terminal, ada: Page, other: BrowserContext
) -> None:
    link = share(shop, ada, SEARCH, "search")
    shop.manage(
        "shell",
        "-c",
        "from django.utils import timezone; from codesearch.models import ShareLink;"
        "ShareLink.objects.update(expires_at=timezone.now())",
    )
    page = other.new_page()
    assert page.goto(link).status == 410  # type: ignore[union-attr]

    ada.goto(f"{shop.url}s/")
    open_first(ada)
    ada.get_by_label("When the link expires").select_option("7")
    ada.get_by_role("button", name="Set expiry").click()

    assert page.reload().status == 200  # type: ignore[union-attr]


def test_access_that_is_taken_away_closes_an_open_page(
    shop: Terminal, ada: Page, other: BrowserContext
) -> None:
    link = share(shop, ada, SEARCH, "search")
    page = other.new_page()
    page.goto(link)

    shop.manage(
        "shell",
        "-c",
        "from indexer.models import Repository;"
        "Repository.objects.update(visibility='staff')",
    )
    page.get_by_role("link", name="List", exact=True).click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Not here")
    assert "format money" not in page.content()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()


def test_without_a_script_the_form_goes_to_the_page_of_the_link(
    shop: Terminal, browser: Browser
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{shop.url}{TRACE}")

    page.locator("#share-trace > summary").click()
    page.locator("#expires-trace").select_option("30")
    page.get_by_role("button", name="Make a link").click()

    expect(page.locator("#link")).to_contain_text(page.url)
    expect(page.locator("#link")).to_contain_text("whoever may read shop")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_shared_pages_break_no_rule_of_accessibility(
    shop: Terminal, browser: Browser, scheme: str
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport=PHONE)  # type: ignore[arg-type] # one of its literals
    page = sign_in(shop, context.new_page(), "ada")
    links = [
        share(shop, page, SEARCH, "search"),
        share(shop, page, TRACE, "trace"),
        share(shop, page, file_address(shop, page), "file"),
    ]

    for address in (*links, f"{shop.url}s/"):
        page.goto(address)
        check(page, address)
    open_first(page)
    check(page, "the list, changing")
    page.get_by_role("button", name="Revoke").first.click()
    page.goto(links[-1])
    check(page, "closed")
    page.goto(f"{shop.url}{TRACE}")
    page.locator("#share-trace > summary").click()
    check(page, "the form")
    context.close()


def check(page: Page, what: str) -> None:
    page.wait_for_load_state("networkidle")
    found = Axe().run(page)
    assert found.violations_count == 0, f"{what}: {found.generate_report()}"
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"], what
