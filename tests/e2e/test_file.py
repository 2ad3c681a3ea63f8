"""A person reads a file: lines, symbols, names and folders, by pointer and by keys."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.terminal import Terminal

FILE = "billing/money.py"


@pytest.fixture
def address(shared_site: Terminal, page: Page) -> str:
    """The address of a file of the shop, which its branch leads to."""
    page.goto(f"{shared_site.url}r/shop/blob/main/{FILE}")
    return page.url


def test_the_page_is_pinned_to_a_commit_and_lines_are_selected_by_pointer(
    address: str, page: Page
) -> None:
    assert len(address.split("/blob/")[1].split("/")[0]) == 40

    page.locator("#L6 .code__no a").click()
    page.locator("#L8 .code__no a").click(modifiers=["Shift"])

    assert page.url.endswith("#L6-L8")
    expect(page.locator("#selection")).to_have_text("Lines 6–8 selected")
    expect(page.locator("tr.sel")).to_have_count(3)


def test_lines_and_symbols_are_reached_by_keys(address: str, page: Page) -> None:
    page.keyboard.press("l")
    page.keyboard.type("11-12")
    page.keyboard.press("Enter")
    assert page.url.endswith("#L11-L12")

    page.keyboard.press("Shift+ArrowDown")
    assert page.url.endswith("#L11-L13")
    page.keyboard.press("]")
    expect(page.locator("#selection")).not_to_have_text("Lines 11–13 selected")
    page.keyboard.press("b")
    page.wait_for_url("**/*chunks=1*")
    expect(page.locator("tr.gap").first).to_contain_text("chunk:")


def test_a_name_says_what_it_means_until_it_is_put_away(
    address: str, page: Page
) -> None:
    card = page.locator("#name-card")
    page.locator("#L18 .code__src a").hover()
    expect(card).to_contain_text("Invoice.send")
    expect(card).to_contain_text("2 of this name")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()

    page.mouse.move(2, 2)
    page.keyboard.press("l")
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    page.keyboard.press("d")
    expect(page.locator("#L6 .code__src a")).to_be_focused()
    expect(card).to_contain_text("format_money(amount, locale)")
    card.get_by_role("link", name="Uses of this name").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("format_money")
    expect(page.locator("#main")).to_contain_text("1 line in 1 file")


def test_what_is_embedded_of_a_chunk_stands_beside_its_lines(
    address: str, page: Page
) -> None:
    page.select_option("#chunk", label="total, 14–16")

    expect(page.locator("#inspected")).to_contain_text("Invoice.total")
    expect(page.locator("#inspected")).to_contain_text("Add the lines up.")


def test_folders_lead_to_files_and_back(
    address: str, page: Page, plain_page: Page
) -> None:
    page.get_by_role("link", name="billing", exact=True).click()
    expect(page.get_by_role("row")).to_have_count(4)
    page.get_by_role("link", name="exports.py").click()
    expect(page.locator("#L1")).to_contain_text("def total")
    page.go_back()
    expect(page.get_by_role("link", name="exports.py")).to_be_visible()

    reader = plain_page
    reader.goto(f"{address}?line=6")
    assert reader.url.endswith(f"{FILE}#L6")
    reader.locator("#L6 .code__src a").click()
    assert reader.url.endswith("#L6-L8")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_every_page_is_accessible_and_fits(
    address: str, browser: Browser, theme: str, width: int
) -> None:
    context = browser.new_context(
        color_scheme="dark" if theme == "dark" else "light",
        viewport={"width": width, "height": 900},
        bypass_csp=True,  # axe is a script of the test's own.
    )
    page = context.new_page()
    base, revision = address.split("/blob/")[0], address.split("/blob/")[1][:40]
    pages = (
        f"{address}?chunks=1#L6-L8",
        f"{base}/tree/{revision}/",
        f"{base}/names/{revision}/?name=send",
        f"{base}/uses/{revision}/?name=send",
        f"{base}/blob/{revision}/nothing.py",
    )
    for url in pages:
        page.goto(url)
        found = Axe().run(page).response["violations"]
        assert [one["id"] for one in found] == [], url
        assert page.evaluate("document.documentElement.scrollWidth") == width, url
    context.close()
