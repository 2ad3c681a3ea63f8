"""A person searches, opens a trace and shares it, in a real browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.terminal import Terminal


def test_search_then_trace_then_share(
    shared_site: Terminal, page: Page, plain_page: Page
) -> None:
    page.goto(shared_site.url)
    page.get_by_role("combobox", name="Query").fill("format money for a locale")
    hit = page.locator("#results").get_by_text("format_money").first
    expect(hit).to_be_visible()
    assert "q=format" in page.url  # What is on screen can be linked.
    page.get_by_role("combobox", name="Query").press("Enter")
    expect(page.get_by_role("heading", name="Places to explore")).to_be_visible()
    expect(page.get_by_role("heading", name="Lines to read")).to_be_visible()

    page.get_by_role("link", name="Why this rank").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("format_money")
    legs = page.get_by_role("region", name="Legs").first
    for leg in ("purpose", "body", "bm25", "symbol"):
        expect(legs.get_by_role("rowheader", name=leg)).to_be_visible()

    share = page.locator("#share-trace")
    share.locator("summary").click()
    share.get_by_role("button", name="Make a link").click()
    link = share.get_by_label("The link", exact=True)
    link.wait_for()
    page.goto(link.input_value())
    expect(page.get_by_role("heading", level=1)).to_contain_text("format money")

    # The link works for someone else, without a script.
    reader = plain_page
    reader.goto(page.url)
    expect(reader.get_by_text("format_money").first).to_be_visible()
    reader.goto(f"{shared_site.url}?q=send+an+invoice")
    expect(reader.get_by_text("Invoice.send").first).to_be_visible()
    reader.goto(f"{shared_site.url}repositories/")
    expect(reader.get_by_role("heading", name="shop")).to_be_visible()


def test_a_wish_that_cannot_be_met_is_answered_with_its_stage(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}trace/?q=format+money&target=logo.png")

    expect(page.locator("#main")).to_contain_text("skipped")
    page.goto(f"{shared_site.url}trace/?q=send+it&target=send")
    expect(page.get_by_role("link", name="Report.send")).to_be_visible()
    expect(page.get_by_role("link", name="Invoice.send")).to_be_visible()
