"""Who uses the site of the browser tests, and how they sign in."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.terminal import Terminal

PASSWORD = "a long word"  # noqa: S105 - of a test
# For `manage.py shell`: a user, and a superuser, who may do all that staff may.
PEOPLE = (
    "from django.contrib.auth.models import User;"
    f"User.objects.create_user('ada', password='{PASSWORD}');"
    f"User.objects.create_superuser('sam', password='{PASSWORD}')"
)


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
