"""Keys of the search page, a trace and a file; switched off they do nothing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.people import sign_in
from tests.terminal import Terminal

SEARCH = "?q=send"
TRACE = "trace/?q=format+money&target=format_money"
FILE = "r/shop/blob/main/billing/money.py"
CURRENT = "hit__part--current"


@pytest.fixture
def found(shared_site: Terminal, page: Page) -> Page:
    """A search page with hits, and a clipboard."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{shared_site.url}{SEARCH}")
    expect(page.locator("#hit-2")).to_be_visible()
    return page


def copied(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def hit(page: Page, number: int) -> Locator:
    return page.locator("[data-hit]").nth(number)


def switch(page: Page) -> Locator:
    """Return the button that turns the keys off or on."""
    page.evaluate("document.getElementById('keysheet').open = true")
    return page.locator("#keys-switch")


def test_hits_are_walked_by_j_and_k_and_said(found: Page) -> None:
    found.keyboard.press("j")
    expect(hit(found, 0)).to_have_class(re.compile(CURRENT))
    found.keyboard.press("j")
    expect(hit(found, 1)).to_have_class(re.compile(CURRENT))
    expect(found.locator(f".{CURRENT}")).to_have_count(1)
    name = hit(found, 1).get_attribute("aria-label") or ""
    assert name.startswith("Hit ")
    expect(found.locator("#said")).to_have_text(name)

    found.keyboard.press("k")
    found.keyboard.press("k")

    expect(hit(found, 0)).to_have_class(re.compile(CURRENT))


def test_the_current_hit_is_opened_traced_and_copied(found: Page) -> None:
    found.keyboard.press("j")
    open_url = hit(found, 0).locator("[data-open]").get_attribute("href") or ""
    found.keyboard.press("y")
    expect(found.locator("#said")).to_have_text("Permalink copied")
    assert copied(found).endswith(open_url)
    found.keyboard.press("c")
    expect(found.locator("#said")).to_have_text("Code copied")
    assert "def send(self):" in copied(found)

    with found.context.expect_page() as opened:
        found.keyboard.press("o")
    assert opened.value.url.endswith(open_url)
    found.keyboard.press("Enter")
    found.wait_for_url(f"**{open_url}")
    found.go_back()
    expect(hit(found, 0)).to_be_visible()
    found.keyboard.press("j")
    found.keyboard.press("t")
    found.wait_for_url("**/trace/?*")


def test_the_query_is_reached_by_a_slash_and_left_by_escape(found: Page) -> None:
    box = found.get_by_role("combobox", name="Query")
    found.keyboard.press("/")
    expect(box).to_be_focused()
    found.keyboard.type("j")  # In a field a key is a letter; the slash chose them all.
    expect(box).to_have_value("j")
    expect(found.locator(f".{CURRENT}")).to_have_count(0)

    found.keyboard.press("Escape")
    found.keyboard.press("Escape")

    expect(box).not_to_be_focused()


def test_the_list_of_keys_is_opened_by_its_key_and_its_link(found: Page) -> None:
    sheet = found.locator("#keysheet")
    found.keyboard.press("?")
    expect(sheet).to_have_attribute("open", "")
    expect(found.get_by_role("button", name="Turn keys off")).to_be_visible()

    found.goto(found.url)
    expect(sheet).not_to_have_attribute("open", "")
    found.get_by_role("link", name="Keyboard help").click()
    expect(sheet).to_have_attribute("open", "")


@pytest.mark.parametrize(
    ("key", "there"),
    [
        ("s", "/"),
        ("t", "/trace/"),
        ("a", "/audits/"),
        ("r", "/repositories/"),
        ("j", "/jobs/"),
    ],
)
@pytest.mark.parametrize("here", [SEARCH, TRACE, FILE])
def test_places_are_gone_to(
    shared_site: Terminal, page: Page, here: str, key: str, there: str
) -> None:
    page.goto(f"{shared_site.url}{here}")

    page.keyboard.press("g")
    page.keyboard.press(key)

    page.wait_for_url(f"{shared_site.url.rstrip('/')}{there}")


def test_keys_stay_off_after_swaps_back_and_on_other_pages(
    shared_site: Terminal, found: Page
) -> None:
    switch(found).click()
    expect(switch(found)).to_have_text("Turn keys on", use_inner_text=True)
    box = found.get_by_role("combobox", name="Query")
    box.fill("format money")
    expect(found).to_have_title("format money · codesearch")
    expect(found.locator("#hit-1 .leg--purpose b")).to_be_visible()
    found.go_back()
    expect(found).to_have_title("send · codesearch")

    expect(switch(found)).to_be_visible()
    expect(switch(found)).to_have_text("Turn keys on", use_inner_text=True)
    for address in ("", TRACE, FILE):
        if address:
            found.goto(f"{shared_site.url}{address}")
        found.locator("body").click(position={"x": 2, "y": 300})
        here = found.url
        for key in ("/", "j", "t", "y", "e", "l", "b", "]", "g", "a"):
            found.keyboard.press(key)
        found.wait_for_timeout(200)
        assert found.url == here
        expect(found.locator(f"#said:not(:empty), .{CURRENT}")).to_have_count(0)
        expect(found.locator("input:focus")).to_have_count(0)
    switch(found).click()
    expect(switch(found)).to_have_text("Turn keys off", use_inner_text=True)
    found.locator("body").click(position={"x": 2, "y": 300})
    found.keyboard.press("l")
    expect(found.get_by_label("Go to line")).to_be_focused()


def test_keys_work_on_after_back_within_the_search_page(found: Page) -> None:
    found.get_by_role("combobox", name="Query").fill("format money")
    expect(found).to_have_title("format money · codesearch")
    found.go_back()
    expect(found).to_have_title("send · codesearch")
    found.evaluate("document.activeElement.blur()")

    found.keyboard.press("j")

    expect(hit(found, 0)).to_have_class(re.compile(CURRENT))
    expect(switch(found)).to_have_text("Turn keys off", use_inner_text=True)
    switch(found).click()
    expect(switch(found)).to_have_text("Turn keys on", use_inner_text=True)


def test_a_trace_is_walked_by_numbers_and_its_phrasings_by_brackets(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}{TRACE}")
    second = page.locator(".toc a").nth(1).get_attribute("href") or ""
    page.keyboard.press("2")
    assert page.url.endswith(second)

    page.locator("#phrasings").scroll_into_view_if_needed()
    rows = page.locator("#phrasings tbody th a")
    expect(rows.nth(1)).to_be_visible()
    traced = page.locator("#phrasings .is-target th a")
    expect(traced).to_have_text("format money")
    page.keyboard.press("]")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("[")
    expect(rows.nth(0)).to_be_focused()

    page.keyboard.press("e")
    page.wait_for_url("**/blob/**#L6-L8")


def test_a_trace_is_saved_by_a_key_for_who_is_signed_in(
    shared_site: Terminal, page: Page
) -> None:
    sign_in(shared_site, page, "ada", "/trace/?q=send%26target=Report.send")
    page.goto(f"{shared_site.url}trace/?q=send&target=Report.send")

    page.keyboard.press("s")

    expect(page.locator("#case-notice")).to_contain_text("This question is a case")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_reduced_motion_is_heeded(
    shared_site: Terminal, page: Page, motion: str
) -> None:
    page.emulate_media(reduced_motion="reduce" if motion == "reduce" else None)
    page.add_init_script(
        "window.scrolls = []; const by = Element.prototype.scrollBy;"
        "Element.prototype.scrollBy = function (options) {"
        " scrolls.push(options.behavior); return by.call(this, options); };"
    )
    page.set_viewport_size({"width": 1200, "height": 200})
    page.goto(f"{shared_site.url}{FILE}")

    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")

    page.wait_for_function("scrolls.length > 0")
    expected = "auto" if motion == "reduce" else "smooth"
    assert set(page.evaluate("scrolls")) == {expected}
    assert page.evaluate("document.getAnimations().length") == 0
