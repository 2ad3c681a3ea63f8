"""Pages that lead on from what was found: alike chunks, frames, names and folders."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.terminal import Terminal

STACK = """Traceback (most recent call last):
  File "/usr/lib/python3.11/runpy.py", line 5, in run
    go()
  File "/srv/app/billing/money.py", line 8, in format_money
    return f"{amount} {locale}"
ValueError: cannot format money
"""


def test_more_like_a_hit_is_a_page_whose_hits_lead_on(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}?q=format+money")
    hit = page.locator("#hit-1")
    expect(hit).to_contain_text("format_money")
    hit.get_by_role("link", name="More like this").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("More like format_money")
    alike = page.get_by_role("region", name="Most alike")
    first = alike.locator("[data-hit]").first
    expect(first).to_contain_text("cosine")
    expect(first).not_to_contain_text("format_money")
    first.get_by_role("link", name="Around").click()
    expect(first.get_by_role("link", name="more lines around")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("#code")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("More like format_money")


def test_a_stack_trace_is_pasted_and_its_frames_come_first(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(shared_site.url)
    box = page.get_by_role("combobox", name="Query")
    box.focus()

    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const field = document.activeElement;
          const asked = new ClipboardEvent("paste", {
            clipboardData: data, bubbles: true, cancelable: true });
          if (!field.dispatchEvent(asked)) return;
          document.execCommand("insertText", false, text);
        }""",
        STACK,
    )
    box.press("Enter")

    frames = page.get_by_role("table", name="Frames in indexed files")
    expect(frames.get_by_role("row")).to_have_count(2)
    page.get_by_text("1 frame in no indexed file").click()
    expect(page.get_by_text("/usr/lib/python3.11/runpy.py:5")).to_be_visible()
    expect(page.locator("#hit-1")).to_contain_text("format_money")
    frames.get_by_role("link", name="format_money").click()
    assert page.url.endswith("#L8")
    expect(page.locator("tr.sel")).to_have_count(1)
    page.go_back()
    expect(frames).to_be_visible()


def test_a_name_leads_to_its_definitions_its_uses_and_back_to_lines(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}r/shop/names/main/?name=send")
    expect(page.get_by_role("heading", level=1)).to_have_text("Definitions of send")
    listed = page.get_by_role("region", name="Definitions").get_by_role("listitem")
    expect(listed).to_have_count(2)

    page.get_by_role("link", name="Uses of this name").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Uses of the name send")
    expect(page.locator("#main")).to_contain_text("2 lines in 2 files")
    expect(page.locator("tr.on")).to_have_count(2)
    page.get_by_role("link", name="2 definitions").click()
    listed.filter(has_text="Invoice.send").get_by_role("link").click()

    expect(page.locator("#selection")).to_have_text("Lines 18–19 selected")


def test_a_name_that_nothing_has_and_none_at_all_are_told(
    shared_site: Terminal, page: Page, troubled_page: Page
) -> None:
    page.goto(f"{shared_site.url}r/shop/names/main/?name=nothing_like_it")
    expect(page.locator("#main")).to_contain_text("Nothing in this build is called so.")
    page.goto(f"{shared_site.url}r/shop/uses/main/?name=nothing_like_it")
    expect(page.locator("#main")).to_contain_text("0 lines in 0 files")

    troubled_page.goto(f"{shared_site.url}r/shop/names/main/")
    expect(troubled_page.get_by_role("alert").first).to_be_visible()


def test_a_folder_says_what_was_indexed_and_leads_to_files_and_up(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(f"{shared_site.url}r/shop/tree/main/")
    rows = page.get_by_role("table", name="Root folder").get_by_role("row")
    expect(rows.filter(has_text="logo.png")).to_contain_text("binary")
    expect(rows.filter(has_text="billing/")).to_contain_text("2 files")

    page.get_by_role("link", name="billing/").click()
    page.get_by_role("link", name="money.py").click()
    expect(page.locator("#L6")).to_contain_text("def format_money")
    page.get_by_role("link", name="shop", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("shop")
    page.go_back()
    page.go_back()
    page.get_by_role("link", name="(the folder above)").click()
    expect(rows.filter(has_text="notes.txt")).to_be_visible()


def test_a_search_is_narrowed_read_traced_and_shared_without_a_script(
    shared_site: Terminal, plain_page: Page
) -> None:
    page = plain_page
    page.goto(shared_site.url)
    page.get_by_role("combobox", name="Query").fill("send lang:python -path:exports")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("link", name="Remove filter lang:python")).to_be_visible()
    expect(page.locator("#hit-1")).to_contain_text("Invoice.send")
    expect(page.locator("#results")).not_to_contain_text("exports.py")
    found = page.url

    page.locator("#hit-1").get_by_role("link", name="Open").click()
    expect(page.locator("#L18")).to_contain_text("def send")
    page.goto(found)
    page.locator("#hit-1").get_by_role("link", name="More like this").click()
    expect(page.get_by_role("region", name="Most alike")).to_be_visible()
    page.goto(found)
    page.get_by_label("Expected something else?").fill("Report.send")
    page.get_by_role("button", name="Trace").click()
    expect(page.locator(".verdict").first).to_contain_text("Report.send")
    page.locator("#share-trace > summary").click()
    page.get_by_role("button", name="Make a link").click()
    expect(page.locator("#link")).to_contain_text(page.url)
    expect(page.locator(".verdict").first).to_contain_text("Report.send")


def test_what_needs_a_script_is_not_offered_without_one(
    shared_site: Terminal, plain_page: Page
) -> None:
    for address in ("?q=send", "trace/?q=send&target=Report.send", "repositories/"):
        plain_page.goto(f"{shared_site.url}{address}")
        for button in plain_page.locator(".needs-js").all():
            expect(button).to_be_hidden()
        plain_page.locator("#keysheet summary").click()
        expect(plain_page.get_by_role("button", name="Turn keys off")).to_be_hidden()
        expect(plain_page.locator("#failure")).to_be_hidden()
