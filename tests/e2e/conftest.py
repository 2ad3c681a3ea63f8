"""A site that has indexed the shop, and a browser to look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from tests.codesearch.conftest import FILES
from tests.conftest import MakeRepository
from tests.e2e.people import peopled_site
from tests.looking import FLAGS
from tests.terminal import Terminal

# For all tests of the process: the first search loads the model.
expect.set_options(timeout=60_000)


@pytest.fixture(scope="module")
def browser(browser_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=list(FLAGS)
        )
        yield browser
        browser.close()


@pytest.fixture
def site(
    browser_path: str, start: Callable[[], Terminal], make_repository: MakeRepository
) -> Terminal:
    """A running site that has indexed the shop."""
    terminal = start()
    terminal.wait_for("codesearch is at")
    terminal.manage("index", str(make_repository(FILES)), "--name", "shop", "--wait")
    return terminal


@pytest.fixture(scope="session")
def shared_site(
    browser_path: str,
    tmp_path_factory: pytest.TempPathFactory,
    make_repository: MakeRepository,
) -> Iterator[Terminal]:
    """One site with the shop and `PEOPLE`, for tests that bear what others leave."""
    folder = tmp_path_factory.mktemp("shared") / "data"
    with peopled_site(folder, {"shop": make_repository(FILES)}) as site:
        yield site


@pytest.fixture
def plain_page(browser: Browser) -> Iterator[Page]:
    """A page without JavaScript."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


@pytest.fixture
def troubled_page(browser: Browser) -> Iterator[Page]:
    """A page whose console tells of requests that failed, and of nothing else."""
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    yield page
    context.close()
    expected = ("Failed to load resource", "htmx: htmx:error: ")
    assert [text for text in said if not text.startswith(expected)] == []


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page whose console must stay empty: a CSP violation would be a line in it."""
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        said.append(message.text)

    page.on("console", hear)
    yield page
    context.close()
    assert said == []
