"""Audits in a real browser: started from the page, finished by a real worker."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.terminal import Terminal

PHONE = {"width": 390, "height": 844}
SECONDS = 60_000.0
SIGN_IN = ("admin", "right-horse-battery")


def sign_in(site: Terminal, page: Page) -> None:
    """Make an account, if there is none yet, and sign in with it."""
    name, word = SIGN_IN
    code = (
        "from django.contrib.auth.models import User;"
        f"User.objects.filter(username={name!r}).exists() or"
        f" User.objects.create_user({name!r}, password={word!r})"
    )
    site.manage("shell", "--command", code)
    page.goto(f"{site.url}accounts/login/")
    page.locator("#id_username").fill(name)
    page.locator("#id_password").fill(word)
    page.locator("#id_password").press("Enter")
    page.wait_for_url(site.url)


def save_cases(site: Terminal, page: Page) -> None:
    """Save two traces as cases: one that is found, and one that is not."""
    for query, target in (("format money", "format_money"), ("money", "notes.txt")):
        page.goto(f"{site.url}trace/?q={query.replace(' ', '+')}&target={target}")
        page.get_by_role("button", name="Save as case").click(timeout=SECONDS)
        expect(page.locator("#case-notice")).to_be_visible()


def start_audit(site: Terminal, page: Page, note: str) -> None:
    """Start an audit of the only set, with a small pool, and wait for its end."""
    page.goto(f"{site.url}audits/")
    page.get_by_text("Settings; empty is as shipped").click()
    page.get_by_label("Pool size").fill("20")
    page.get_by_label("Note: what is tried").fill(note)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Recall at k")).to_be_visible(
        timeout=SECONDS
    )


def test_an_audit_runs_while_its_page_is_watched_and_is_read_by_everyone(
    site: Terminal, page: Page, browser: Browser
) -> None:
    sign_in(site, page)
    save_cases(site, page)
    start_audit(site, page, "the first")
    start_audit(site, page, "the second")
    expect(page.get_by_role("heading", name="Against the run before")).to_be_visible()
    address = page.url

    term = page.get_by_role("link", name="recall, page one")
    term.click()
    expect(page.locator("#def-recall")).to_be_visible()
    page.goto(f"{site.url}audits/")
    page.keyboard.press("g")
    page.keyboard.press("a")
    expect(page.get_by_role("row", name="the second")).to_be_visible()

    read_on_a_phone(site, browser, address)
    read_without_a_script(browser, address)


def read_on_a_phone(site: Terminal, browser: Browser, address: str) -> None:
    """Check both pages in both themes: no rule broken, nothing wider than it."""
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme, viewport=PHONE)  # type: ignore[arg-type] # one of its literals
        page = context.new_page()
        for url in (address, f"{site.url}audits/"):
            page.goto(url)
            page.wait_for_load_state("networkidle")
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"], url
        context.close()


def read_without_a_script(browser: Browser, address: str) -> None:
    """Check that all of an audit is there without a script."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    for heading in ("What was lost, and where", "Recall at k", "Over time"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    page.get_by_text("As a table").first.click()
    expect(page.get_by_role("rowheader", name="not on page one")).to_be_visible()
    context.close()


def test_the_navigation_scrolls_inside_itself_where_it_is_too_wide(
    site: Terminal, page: Page
) -> None:
    for width in (390, 768, 1024):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{site.url}audits/")
        page.evaluate(
            """() => ["Compare", "Experiments", "Profiles"].forEach((words) => {
              const link = document.createElement("a");
              link.href = "/"; link.textContent = words;
              document.querySelector(".nav").append(link);
            })"""
        )

        assert page.evaluate("document.documentElement.scrollWidth") <= width
        last = page.get_by_role("link", name="Profiles")
        last.focus()
        box = last.bounding_box()
        assert box
        assert 0 <= box["x"] <= width - box["width"]
        nav = page.locator(".nav")
        assert nav.evaluate("(it) => it.scrollHeight <= it.clientHeight")
