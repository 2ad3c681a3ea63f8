"""Requests that take long, fail or come late: told in words, and the page stays."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.terminal import Terminal

STAYS = "What the page shows is as it was."
TYPED = re.compile(r"^\w+://[^/]+/\?q=format")


@pytest.fixture
def found(shared_site: Terminal, troubled_page: Page) -> Page:
    """A search page that shows what was found for “invoice”."""
    troubled_page.goto(f"{shared_site.url}?q=invoice")
    expect(troubled_page.locator("#hit-1")).to_be_visible()
    return troubled_page


def box(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Query")


def answer(
    status: int, body: str = "<!doctype html><body>?"
) -> Callable[[Route], None]:
    def fulfil(route: Route) -> None:
        route.fulfill(status=status, body=body, content_type="text/html")

    return fulfil


def hold(page: Page, address: re.Pattern[str]) -> list[Route]:
    """Let requests wait until they are continued; return those that do."""
    held: list[Route] = []
    page.route(address, lambda route: held.append(route))
    return held


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (500, "The server could not answer (500)."),
        (429, "The server has too much to do. Try again in a moment."),
        (403, "You may not do this. Reload the page if you think you may."),
    ],
)
def test_an_error_while_typing_is_told_and_what_was_found_stays(
    found: Page, status: int, words: str
) -> None:
    address = found.url
    found.route(TYPED, answer(status))

    box(found).fill("format money")

    expect(found.get_by_role("alert")).to_have_text(f"{words} {STAYS}Close")
    expect(found.locator("#hit-1")).to_be_visible()
    expect(box(found)).to_have_value("format money")
    assert found.url == address


def test_the_next_answer_takes_the_words_away(found: Page) -> None:
    found.route(TYPED, lambda route: route.abort())
    box(found).fill("format money")
    alert = found.get_by_role("alert")
    expect(alert).to_contain_text(f"The server cannot be reached. {STAYS}")

    found.unroute(TYPED)
    box(found).fill("format money for")

    expect(alert).to_be_hidden()
    expect(found.locator("#hit-1")).to_contain_text("format_money")


def test_the_words_are_put_away_by_hand(found: Page) -> None:
    found.route(TYPED, answer(500))
    box(found).fill("format money")
    alert = found.get_by_role("alert")

    alert.get_by_role("button", name="Close").click()

    expect(alert).to_be_hidden()


def test_a_server_that_has_no_turn_left_says_so_itself_and_is_asked_again(
    found: Page,
) -> None:
    busy = '<div id="results"><p>All turns are taken.</p></div>'
    found.route(TYPED, answer(429, busy))

    box(found).fill("format money")

    expect(found.locator("#results")).to_have_text("All turns are taken.")
    expect(found.locator("#failure")).to_be_hidden()


def test_results_are_busy_until_the_newest_answer_is_there(found: Page) -> None:
    held = hold(found, TYPED)
    results = found.locator("#results")

    box(found).fill("format")
    expect(results).to_have_attribute("aria-busy", "true")
    found.wait_for_timeout(100)
    box(found).fill("format money")
    found.wait_for_timeout(300)  # By now the first is aborted.

    expect(results).to_have_attribute("aria-busy", "true")
    expect(found.locator("#hit-1")).to_be_visible()  # What was found before.
    assert len(held) == 2
    held[1].continue_()
    expect(found.locator("#hit-1")).to_contain_text("format_money")
    expect(results).not_to_have_attribute("aria-busy", "true")
    expect(found.locator("#failure")).to_be_hidden()  # An abort is no failure.


def test_a_button_that_fails_stays_and_can_be_pressed_again(found: Page) -> None:
    link = found.locator("#hit-1").get_by_role("link", name="Around")
    found.route("**/excerpt/**", answer(500))
    link.click()
    alert = found.get_by_role("alert")
    expect(alert).to_contain_text("The server could not answer (500).")

    found.unroute("**/excerpt/**")
    link.click()

    expect(alert).to_be_hidden()
    expect(found.locator("#hit-1").get_by_text("more lines around")).to_be_visible()


def test_parts_of_a_trace_that_fail_leave_their_links(
    shared_site: Terminal, troubled_page: Page
) -> None:
    page = troubled_page
    page.route("**/trace/whatif/*", answer(500))
    page.route("**/trace/changes/*", lambda route: route.abort())

    page.goto(f"{shared_site.url}trace/?q=format+money&target=format_money")

    expect(page.get_by_role("alert")).to_contain_text(STAYS)
    expect(page.locator("#whatif a")).to_have_text("Turn the settings")
    expect(page.locator("#changes a")).to_have_text("Look for the least change")


def test_a_name_that_cannot_be_looked_up_shows_no_card_of_another(
    shared_site: Terminal, troubled_page: Page
) -> None:
    page = troubled_page
    page.goto(f"{shared_site.url}r/shop/blob/main/billing/money.py")
    card = page.locator("#name-card")
    page.locator("#L18 .code__src a").hover()
    expect(card).to_contain_text("Invoice.send")

    page.route("**/names/**", answer(500))
    page.locator("#L6 .code__src a").hover()

    expect(page.get_by_role("alert")).to_contain_text("could not answer (500)")
    expect(card).to_be_hidden()
