"""A browser on a furnished site, as tests and screenshots look at its pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser
from playwright.sync_api import Page as Tab

from tests.furnished import Furnished
from tests.pages import Viewer

WIDE, PHONE = 1280, 390
HEIGHT = 900
PATIENCE_MS = 90_000  # The first search loads the model, and tests share a machine.
ROUNDS = 5  # A card that is painted may be higher than it was taken for.
FADED = """() => Promise.allSettled(document.getAnimations()
  .filter(one => one instanceof CSSTransition).map(one => one.finished))"""
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
    *("--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


@contextmanager
def open_tab(
    browser: Browser, site: Furnished, viewer: Viewer, *, script: bool = True
) -> Iterator[Tab]:
    """Open a tab of a browser that nobody but `viewer` is signed in with."""
    context = browser.new_context(
        viewport={"width": WIDE, "height": HEIGHT}, java_script_enabled=script
    )
    context.set_default_timeout(PATIENCE_MS)
    if viewer != "anyone":
        token = site.facts[viewer]
        context.add_cookies([{"name": "sessionid", "value": token, "url": site.url}])
    yield context.new_page()
    context.close()


def choose_theme(tab: Tab, theme: str) -> None:
    """Show a page in a theme once its colours are there: Django's own let them fade."""
    tab.emulate_media(color_scheme=theme)  # type: ignore[arg-type] # a literal
    tab.evaluate(FADED)


def show_all(tab: Tab, width: int) -> None:
    """Make the window as high as the page, or cards beyond its end are not painted."""
    height, needed = 0, HEIGHT
    for _ in range(ROUNDS):
        if needed <= height:
            return
        height = needed
        tab.set_viewport_size({"width": width, "height": height})
        needed = tab.evaluate("document.documentElement.scrollHeight")
