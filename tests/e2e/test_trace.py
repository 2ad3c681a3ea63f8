"""The trace in a real browser: two clicks away, and readable for everyone."""

from __future__ import annotations

from urllib.parse import quote_plus

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.terminal import Terminal

QUERY = "format money for a locale"
TARGETS = ("format_money", "Invoice.send", "logo.png", "shop/nowhere.py")
PHONE = {"width": 390, "height": 844}


def test_the_reason_is_two_clicks_from_the_search_page(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}?q={quote_plus(QUERY)}")
    expect(page.get_by_role("heading", name="Lines to read")).to_be_visible()

    page.get_by_label("Expected something else?").click()
    page.keyboard.type("send")
    page.get_by_role("link", name="Invoice.send").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("Invoice.send")
    verdict = page.locator(".verdict").first
    expect(verdict).to_contain_text("Invoice.send")
    assert f"q={quote_plus(QUERY)}" in page.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_of_a_trace_breaks_a_rule_of_accessibility(
    shared_site: Terminal, browser: Browser, scheme: str
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport=PHONE)  # type: ignore[arg-type] # one of its literals
    page = context.new_page()
    search = f"{shared_site.url}?q={quote_plus(QUERY)}"
    traces = [
        f"{shared_site.url}trace/?q={quote_plus(QUERY)}&target={quote_plus(target)}"
        for target in TARGETS
    ]

    sweep = traces[0].replace("/trace/?", "/trace/phrasings/?") + "&phrasing=zebra"

    for address in (search, *traces, sweep):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], address
    context.close()


@pytest.mark.parametrize("has_script", [True, False])
def test_a_number_says_what_it_means(
    shared_site: Terminal, browser: Browser, *, has_script: bool
) -> None:
    context = browser.new_context(java_script_enabled=has_script, viewport=PHONE)  # type: ignore[arg-type] # one of its literals
    page = context.new_page()
    page.goto(f"{shared_site.url}trace/?q={quote_plus(QUERY)}&target=Invoice.send")
    told = page.locator("#about-margin")

    page.get_by_role("button", name="Margin").first.focus()
    page.keyboard.press("Enter")

    expect(told).to_contain_text("Raw score minus floor")
    box = told.bounding_box()
    assert box is not None
    assert 0 <= box["x"] <= PHONE["width"] - box["width"]
    if has_script:
        assert Axe().run(page).violations_count == 0
    page.keyboard.press("Escape")
    expect(told).to_be_hidden()
    page.get_by_role("button", name="What is meant by cut").click()
    page.get_by_role("link", name="All terms").click()
    expect(page.locator("#cut")).to_be_in_viewport()
    context.close()


def test_a_trace_is_whole_without_a_script(
    shared_site: Terminal, plain_page: Page
) -> None:
    page = plain_page
    address = f"{shared_site.url}trace/?q={quote_plus(QUERY)}&target=Invoice.send"

    for link, heading in (
        ("Turn the settings", "What if"),
        ("Look for the least change", "Changes that admit it"),
        ("Ask in other words", "Phrasings"),
    ):
        page.goto(address)
        expect(page.locator(".verdict").first).to_contain_text("Invoice.send")
        page.get_by_role("link", name=link).click()
        expect(page.get_by_role("heading", level=2, name=heading)).to_be_visible()
    page.goto(f"{address}&off=bm25")
    expect(page.get_by_text("off in this config").first).to_be_visible()
