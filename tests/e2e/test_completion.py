"""A query is completed by keyboard and pointer, and typed as ever without."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.terminal import Terminal


def test_a_word_is_completed_by_keyboard_and_pointer(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(shared_site.url)
    field = page.get_by_role("combobox", name="Query")
    options = page.get_by_role("listbox").get_by_role("option")

    field.press_sequentially("send pat")
    expect(options).to_have_count(1)
    expect(field).to_have_attribute("aria-expanded", "true")
    field.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "completion-1")
    expect(options.first).to_have_attribute("aria-selected", "true")
    field.press("Enter")
    expect(field).to_have_value("send path:")

    field.press_sequentially("bil")
    options.get_by_text("billing/").click()
    expect(field).to_have_value("send path:billing/")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#understood")).to_contain_text("path:billing/")


def test_the_list_closes_and_leaves_what_was_typed(
    shared_site: Terminal, page: Page
) -> None:
    page.goto(shared_site.url)
    field = page.get_by_role("combobox", name="Query")
    field.press_sequentially("format_m")
    options = page.get_by_role("listbox").get_by_role("option")
    expect(options).to_have_count(1)

    field.press("Escape")

    expect(options).to_have_count(0)
    expect(field).to_be_focused()
    field.press("Enter")
    expect(page.locator("#hit-1")).to_contain_text("format_money")
    expect(field).to_have_value("format_m")


def test_an_unfinished_filter_leaves_the_results_and_a_finished_one_is_marked(
    shared_site: Terminal, page: Page, plain_page: Page
) -> None:
    page.goto(f"{shared_site.url}?q=format+money")
    field = page.get_by_role("combobox", name="Query")
    expect(page.locator("#hit-1")).to_contain_text("format_money")

    field.press("End")
    with page.expect_response(lambda response: response.status == 204):
        field.press_sequentially(" lang:pyth")

    expect(page.locator("#hit-1")).to_contain_text("format_money")
    plain_page.goto(f"{shared_site.url}?q=format+lang:pyth+money")
    expect(plain_page.locator(".marked mark")).to_have_text("lang:pyth")
