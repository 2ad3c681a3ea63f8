"""A person asks for a build and watches it end, in a real browser."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.terminal import Terminal

PHONE = {"width": 390, "height": 844}
PASSWORD = "steady-hopper-7"  # noqa: S105 - of a test


def test_a_build_is_asked_for_and_watched_until_it_is_ready(
    site: Terminal, page: Page, browser: Browser
) -> None:
    site.manage(
        "shell",
        "-c",
        "from django.contrib.auth.models import User; "
        f"User.objects.create_user('ada', password='{PASSWORD}', is_staff=True)",
    )
    page.goto(f"{site.url}accounts/login/?next=/jobs/")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.locator("#ended").get_by_role("link", name="shop").click()
    page.get_by_role("button", name="Index the newest").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Build 2 of shop")
    expect(page.locator("#job")).to_contain_text("Ready after", timeout=60_000)
    expect(page.locator("#job[hx-trigger]")).to_have_count(0)
    address = page.url
    page.get_by_role("link", name="All jobs").click()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Build 2 of shop")

    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme, viewport=PHONE)  # type: ignore[arg-type] # one of its literals
        reader = context.new_page()
        for url in (f"{site.url}jobs/", address):
            reader.goto(url)
            expect(reader.locator("#main")).to_contain_text("shop")
            found = Axe().run(reader)
            assert found.violations_count == 0, found.generate_report()
            width = reader.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"], url
        context.close()
