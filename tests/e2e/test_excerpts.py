"""Lines of a hit in a real browser: more of them, without leaving the page."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.terminal import Terminal

ADDRESS = "?q=format+money&view="


def test_lines_around_a_hit_come_in_place_and_take_the_focus(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}{ADDRESS}")
    hit = page.locator("[data-hit]", has_text="format_money").first
    before = hit.locator(".code__no").count()

    hit.get_by_role("link", name="Around").click()

    more = hit.get_by_role("link", name="more lines around")
    expect(more).to_be_visible()
    assert hit.locator(".code__no").count() >= before
    assert page.url.endswith(ADDRESS)
    more.focus()
    page.keyboard.press("Enter")
    expect(hit.locator(".code")).to_be_focused()


def test_without_a_script_more_lines_are_in_the_file(
    shared_site: Terminal, plain_page: Page
) -> None:
    page = plain_page
    page.goto(f"{shared_site.url}{ADDRESS}")

    page.get_by_role("link", name="Around").first.click()

    expect(page.locator("#code")).to_be_visible()
    assert "/blob/" in page.url
