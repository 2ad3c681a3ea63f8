"""Experiments in a real browser: a click runs one, its link is read by everyone."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.terminal import Terminal

PHONE = {"width": 390, "height": 844}
PASSWORD = "coarse-flour-12"  # noqa: S105 - of a test


def test_a_click_runs_a_finding_and_its_link_is_readable(
    site: Terminal, page: Page, browser: Browser
) -> None:
    site.manage(
        "shell",
        "-c",
        "from django.contrib.auth.models import User; "
        f"User.objects.create_user('ada', password='{PASSWORD}')",
    )
    page.goto(f"{site.url}accounts/login/?next=/experiments/")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Run on shop: Position drift").click()

    page.wait_for_url("**/experiments/*/")
    outcome = page.get_by_role("region", name="Outcome")
    expect(outcome).to_contain_text("On this repository", timeout=60_000)
    expect(page.get_by_role("heading", name="Figures")).to_be_visible()

    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme, viewport=PHONE)  # type: ignore[arg-type] # one of its literals
        reader = context.new_page()
        for address in (f"{site.url}experiments/", page.url):
            reader.goto(address)
            expect(reader.locator("#main")).to_contain_text("On this repository")
            found = Axe().run(reader)
            assert found.violations_count == 0, found.generate_report()
            width = reader.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"], address
        context.close()
