"""The chunk map and the profiles side by side, in a real browser."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.terminal import Terminal


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_moves_with_its_slider_and_both_pages_are_accessible(
    shared_site: Terminal, page: Page, scheme: str
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(f"{shared_site.url}?q=format+money")
    page.locator("#results").get_by_text("format_money").first.wait_for()
    page.locator('#results a[href*="/blob/"]').first.click()
    page.get_by_role("link", name="Chunk map").click()

    expect(page.get_by_role("img", name="Functions against windows")).to_be_visible()
    assert Axe().run(page).response["violations"] == []
    page.get_by_role("slider").press("ArrowRight")
    expect(page.locator("#map")).to_contain_text("moved down by 1")
    assert "shift=1" in page.url
    expect(page.get_by_role("slider")).to_be_focused()

    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_role("link", name="The whole repository").click()
    expect(page.locator("#sides")).to_contain_text("has no window index yet")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert Axe().run(page).response["violations"] == []
