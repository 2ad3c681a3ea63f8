"""Sites of the browser tests with people, and how they sign in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from tests.terminal import Terminal, free_port

PASSWORD = "a long word"  # noqa: S105 - of a test
# For `manage.py shell`: a user, and a superuser, who may do all that staff may.
PEOPLE = (
    "from django.contrib.auth.models import User;"
    f"User.objects.create_user('ada', password='{PASSWORD}');"
    f"User.objects.create_superuser('sam', password='{PASSWORD}')"
)


@contextmanager
def peopled_site(data: Path, sources: Mapping[str, Path]) -> Iterator[Terminal]:
    """Run a site that has indexed repositories by name, and knows `PEOPLE`."""
    site = Terminal(data, free_port())
    try:
        site.wait_for("codesearch is at")
        site.read_on()
        for name, source in sources.items():
            site.manage("index", str(source), "--name", name, "--wait")
        site.manage("shell", "--command", PEOPLE)
        yield site
        site.stop()
    finally:
        site.process.kill()
        site.process.wait()


def sign_in(site: Terminal, page: Page, name: str, there: str = "/") -> Page:
    """Sign in by the form, which leads to the address `there`."""
    page.goto(f"{site.url}accounts/login/?next={there}")
    return fill_in(page, name)


def fill_in(page: Page, name: str) -> Page:
    """Fill in the form of the log-in that is on the page."""
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    return page
