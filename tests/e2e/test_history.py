"""Back, forward, reload and an address opened again, on the pages that htmx changes."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from tests.terminal import Terminal

FILE = "r/shop/blob/main/billing/money.py"
MAP = "r/shop/map/main/billing/money.py"
TRACE = "trace/?q=format+money&target=Invoice.send"
SETTINGS = "trace/whatif/?q=format+money&target=Invoice.send"


def is_restore(request: Request) -> bool:
    return request.headers.get("hx-history-restore-request") == "true"


def go_back(page: Page) -> str:
    """Go back within the page; return what the server gave for it."""
    with page.expect_response(lambda one: is_restore(one.request)) as answer:
        page.go_back()
    return answer.value.text()


def test_a_way_back_is_asked_for_whole(shared_site: Terminal, page: Page) -> None:
    page.goto(f"{shared_site.url}?q=format+money")
    expect(page.locator("#hit-1")).to_be_visible()
    page.get_by_role("combobox", name="Query").fill("invoice")
    expect(page).to_have_title("invoice · codesearch")

    answer = go_back(page)

    assert answer.startswith("<!doctype html>")
    expect(page.get_by_role("banner")).to_have_count(1)
    expect(page.locator("#hit-1")).to_contain_text("format_money")
    expect(page.get_by_role("combobox", name="Query")).to_have_value("format money")
    page.get_by_role("combobox", name="Query").fill("send")  # It goes on from there.
    expect(page).to_have_title("send · codesearch")


def test_the_map_goes_back_and_forth_by_its_addresses(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}{MAP}")
    slider = page.get_by_role("slider")
    for shift in ("1", "2"):
        slider.press("ArrowRight")
        expect(page.locator("#map")).to_contain_text(f"moved down by {shift}")

    assert go_back(page).startswith("<!doctype html>")

    expect(page.locator("#map")).to_contain_text("moved down by 1")
    expect(slider).to_have_value("1")
    expect(page.get_by_role("banner")).to_have_count(1)
    page.go_back()
    expect(slider).to_have_value("0")
    page.go_forward()
    expect(page.locator("#map")).to_contain_text("moved down by 1")
    address = page.url
    page.reload()
    expect(slider).to_have_value("1")
    again = page.context.new_page()  # As a tab that was closed is opened again.
    page.close()
    again.goto(address)
    expect(again.locator("#map")).to_contain_text("moved down by 1")
    expect(again.get_by_role("banner")).to_have_count(1)


def test_a_trace_is_left_and_come_back_to_with_its_settings(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}{TRACE}")
    first = page.url
    page.locator("#off-bm25").check()
    expect(page).not_to_have_url(first)
    expect(page.locator("#off-bm25")).to_be_checked()
    turned = page.url
    assert "/trace/?" in turned
    page.get_by_role("link", name="Search page").click()
    expect(page.locator("#results")).to_be_visible()

    page.go_back()

    assert page.url == turned
    expect(page.get_by_role("banner")).to_have_count(1)
    expect(page.locator("#off-bm25")).to_be_checked()
    page.reload()
    expect(page.locator("#off-bm25")).to_be_checked()
    expect(page.locator(".verdict").first).to_contain_text("Invoice.send")


def test_sections_of_a_trace_are_steps_that_ask_for_nothing(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}{TRACE}")
    expect(page.locator("#whatif-form")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.get_by_role("link", name="Ranks", exact=True).click()
    page.get_by_role("link", name="Scores", exact=True).click()
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))

    page.go_back()
    assert page.url.endswith("#ranks")
    page.go_back()

    page.wait_for_timeout(300)
    assert page.url == f"{shared_site.url}{TRACE}"
    assert [url for url in asked if "/trace/?" in url] == []
    expect(page.locator("#whatif-form")).to_be_visible()


def test_lines_and_names_of_a_file_survive_a_way_back(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}{FILE}")
    page.locator("#L18 .code__src a").hover()
    expect(page.locator("#name-card")).to_contain_text("Invoice.send")
    page.keyboard.press("Escape")
    page.mouse.move(2, 2)
    outline = page.get_by_role("navigation", name="Outline")
    outline.get_by_role("link", name="format_money").click()
    outline.get_by_role("link", name="total").click()
    words = page.locator("#selection")
    expect(words).to_have_text("Lines 14–16 selected")

    page.go_back()

    expect(words).to_have_text("Lines 6–8 selected")
    page.keyboard.press("]")  # The script still holds the page that is shown.
    expect(words).not_to_have_text("Lines 6–8 selected")
    expect(page.locator("tr.sel").first).to_be_visible()


def test_lists_are_left_and_come_back_to_whole(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}jobs/")
    page.locator("#ended").get_by_role("link", name="shop").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("of shop")
    page.get_by_role("link", name="shop", exact=True).first.click()

    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("of shop")
    expect(page.get_by_role("banner")).to_have_count(1)
    page.go_back()
    expect(page.locator("#ended")).to_be_visible()
    expect(page.get_by_role("banner")).to_have_count(1)
    page.go_forward()
    expect(page.get_by_role("heading", level=1)).to_contain_text("of shop")


@pytest.mark.parametrize(
    "address",
    ["?q=format+money", MAP, SETTINGS, SETTINGS.replace("whatif", "changes"), "jobs/"],
)
def test_an_address_has_a_part_for_htmx_and_the_whole_for_a_way_back(
    shared_site: Terminal, page: Page, address: str
) -> None:
    url = f"{shared_site.url}{address}"
    asks = {"HX-Request": "true"}

    part = page.request.get(url, headers=asks)
    back = page.request.get(url, headers=asks | {"HX-History-Restore-Request": "true"})

    assert "<html" not in part.text()
    assert back.text().startswith("<!doctype html>")
    for answer in (part, back):
        assert "no-store" in answer.headers["cache-control"]
        assert "HX-Request" in answer.headers["vary"]
        assert "HX-History-Restore-Request" in answer.headers["vary"]


def test_a_way_back_to_what_is_gone_says_so_on_a_page_of_its_own(
    shared_site: Terminal, troubled_page: Page
) -> None:
    page = troubled_page
    page.goto(f"{shared_site.url}?q=format+money")
    expect(page.locator("#hit-1")).to_be_visible()
    page.get_by_role("combobox", name="Query").fill("invoice")
    expect(page).to_have_title("invoice · codesearch")
    gone = "<!doctype html><body><h1>Not here</h1></body>"
    page.route(
        "**/*format*",
        lambda route: route.fulfill(status=404, body=gone, content_type="text/html"),
    )

    page.go_back()

    expect(page.get_by_role("heading", level=1)).to_have_text("Not here")
    expect(page.locator("#results")).to_have_count(0)
