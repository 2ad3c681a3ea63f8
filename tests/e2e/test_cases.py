"""Cases in a real browser: saved in place, imported, and readable for everyone."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.terminal import Terminal

PHONE = {"width": 390, "height": 844}
MAKE_USER = (
    "from django.contrib.auth.models import User;"
    "User.objects.create_user('ada', password='ada-passes-here')"
)
TABLE = "id,query,target\nq1,format money,format_money\nq 2,send,Report.send\n"


@pytest.fixture
def signed_in(site: Terminal, page: Page) -> Page:
    """A page of someone who is signed in."""
    site.manage("shell", "--command", MAKE_USER)
    sign_in(site, page)
    return page


def sign_in(site: Terminal, page: Page) -> None:
    page.goto(f"{site.url}accounts/login/")
    page.locator("input[name=username]").fill("ada")
    page.locator("input[name=password]").fill("ada-passes-here")
    page.locator("main").get_by_role("button").click()
    page.wait_for_url(site.url)


def test_a_right_one_is_saved_without_leaving_the_page(
    site: Terminal, signed_in: Page
) -> None:
    address = f"{site.url}?q=format+money"
    signed_in.goto(address)

    signed_in.get_by_role("button", name="This was the right one").first.click()

    saved = signed_in.get_by_text("Saved in saved for shop")
    expect(saved).to_be_visible()
    assert signed_in.url == address
    saved.get_by_role("link", name="a case").click()
    expect(signed_in.get_by_label("Query")).to_have_value("format money")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_of_cases_breaks_a_rule_of_accessibility(
    site: Terminal, signed_in: Page, browser: Browser, tmp_path: Path, scheme: str
) -> None:
    table = tmp_path / "bills.csv"
    table.write_text(TABLE)
    context = browser.new_context(color_scheme=scheme, viewport=PHONE)  # type: ignore[arg-type] # one of its literals
    page = context.new_page()
    sign_in(site, page)
    page.goto(f"{site.url}cases/")
    page.get_by_label("File with cases, or qrels").set_input_files(table)

    page.get_by_role("button", name="Import").click()

    expect(page.get_by_text("1 case taken. 1 line not taken.")).to_be_visible()
    there = page.url
    page.get_by_role("link", name="Change the case").click()
    for address in (page.url, there, f"{site.url}cases/", f"{site.url}?q=money"):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], address
    context.close()
