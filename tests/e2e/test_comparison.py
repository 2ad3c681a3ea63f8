"""Another system's runs, brought and compared in a real browser, readable for all."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.terminal import Terminal

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
PHONE = {"width": 390, "height": 844}
NEW_USER = (
    "from django.contrib.auth.models import User;"
    "User.objects.create_user('ada', password='a long word')"
)


@pytest.fixture
def compared(site: Terminal) -> Terminal:
    """A site with two systems over one set of queries, and a user."""
    site.manage("shell", "-c", NEW_USER)
    qrels = ("--qrels", str(EXAMPLES / "help-centre.qrels"), "--open")
    for name, page in (("one", "prompt"), ("two", "titles")):
        runs = (f"leg:texts={EXAMPLES}/texts.run", f"page:page@3={EXAMPLES}/{page}.run")
        arguments = [part for run in runs for part in ("--run", run)]
        site.manage("audit_import", "--system", name, *qrels, *arguments)
    return site


def sign_in(site: Terminal, page: Page) -> None:
    page.goto(f"{site.url}accounts/login/?next=/audits/import/")
    page.get_by_label("Name", exact=True).fill("ada")
    page.get_by_label("Password").fill("a long word")
    page.get_by_role("button", name="Sign in").click()


def test_a_pipeline_is_brought_by_the_form(compared: Terminal, page: Page) -> None:
    sign_in(compared, page)

    page.get_by_label("Its name and version").fill("mine")
    page.locator("#id_document").set_input_files(EXAMPLES / "help-centre.json")
    page.get_by_role("button", name="Import").click()

    expect(
        page.get_by_text("mine was imported: 12 queries in 7 stages")
    ).to_be_visible()


def test_two_audits_are_chosen_and_compared(compared: Terminal, page: Page) -> None:
    page.goto(f"{compared.url}compare/")

    page.get_by_role("link", name="Compare #2").click()

    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Compare: two 2 with one 1"
    )
    expect(page.get_by_role("heading", name="Metrics")).to_be_visible()
    page.get_by_label("Stage").select_option("page")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("link", name="A worse").click()
    expect(page.get_by_text("by A").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_import_and_comparison_break_no_rule_of_accessibility(
    compared: Terminal, browser: Browser, scheme: str
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport=PHONE)  # type: ignore[arg-type] # one of its literals
    page = context.new_page()
    sign_in(compared, page)

    for address in ("audits/import/", "compare/", "compare/?a=1&b=2&stage=page"):
        page.goto(f"{compared.url}{address}")
        page.wait_for_load_state("networkidle")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], address
    context.close()
