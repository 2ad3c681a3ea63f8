"""Every page, in both themes, on a desk and on a phone, with a script and without.

None breaks a rule of axe, says anything in the console, is refused anything by its own
policy, scrolls sideways or carries a style; and each is whole without a script.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.urls import URLPattern, resolve, reverse
from playwright.sync_api import Browser, ConsoleMessage, expect
from playwright.sync_api import Page as Tab

from codesearch.urls import urlpatterns
from tests.furnished import Furnished, furnished_sites
from tests.looking import PATIENCE_MS, PHONE, WIDE, choose_theme, open_tab, show_all
from tests.pages import PAGES, Page

AXE = Axe().axe_script
RULES_BROKEN = """async colours => {
  const found = await axe.run(document, {
    resultTypes: ["violations"], rules: {"color-contrast": {enabled: colours}}});
  return found.violations.map(
    one => one.id + ": " + one.nodes.map(node => node.target.join(" ")).join(", "));
}"""
HEAR_REFUSALS = """
  window.refused = [];
  document.addEventListener("securitypolicyviolation",
    event => window.refused.push(event.violatedDirective + " " + event.blockedURI));
"""
# Of every form: where it goes, and whether a button sends it.
INCOMPLETE_FORMS = """() => [...document.forms].filter(form =>
  !form.hasAttribute("action")
  || ![...form.elements].some(one => one.type === "submit" && !one.disabled)
).map(form => form.outerHTML.slice(0, 200))"""
# Contrasts, the dear rule, do not depend on the width: they are looked at once a theme.
LOOKS = (
    ("light", WIDE, True),
    ("light", PHONE, False),
    ("dark", PHONE, True),
    ("dark", WIDE, False),
)

# Addresses that are no pages: forms are sent there, ...
POSTED = {
    *("ask_phrasings", "request_audit", "cancel_audit", "delete_audit"),
    *("save_case", "right_one", "import_cases", "generate_cases"),
    *("change_set", "delete_set", "add_case", "change_case", "delete_case"),
    *("forget_refused", "index_profile", "start_experiment", "cancel_experiment"),
    *("cancel_job", "retry_job", "index_again", "build", "cancel", "hook"),
    *("revoke_link", "extend_link", "share", "default_config", "delete_config"),
    *("delete_profile", "index_with_profile", "forget_queries", "theme", "logout"),
}
# ... or what answers is a part of a page, a file, or for machines.
PARTS = {
    "complete": "a part: the list below the query",
    "audit_misses": "a part: a page of the misses of an audit",
    "card": "a part: one repository of the list",
    "progress": "a part: how far a build is",
    "excerpt": "a part: the lines of a hit",
    "download_set": "a file",
    "refused_lines": "a file",
    "audit_json": "a file",
    "audit_csv": "a file",
    "audit_run": "a file",
    "audit_qrels": "a file",
    "raw": "a file",
    "healthz": "for machines",
    "readyz": "for machines",
}


NOWHERE = "/nowhere/"
ROUTES = {one.name: one for one in urlpatterns if isinstance(one, URLPattern)}

Sites = Mapping[str, Furnished]
each_page = pytest.mark.parametrize("page", PAGES, ids=[one.name for one in PAGES])


@pytest.fixture(scope="module")
def sites(
    browser_path: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sites]:
    with furnished_sites(tmp_path_factory.mktemp("sites")) as sites:
        yield sites


def go(tab: Tab, site: Furnished, page: Page) -> None:
    """Open a page, which answers as it should and shows what makes it this one."""
    response = tab.goto(site.url.rstrip("/") + page.address(site.facts))
    assert response is not None
    assert response.status == page.status
    main = tab.locator("main")
    expect(main).to_contain_text(page.shows, ignore_case=True, timeout=PATIENCE_MS)


@each_page
def test_a_page_is_fit_for_everyone_in_both_themes(
    sites: Sites, browser: Browser, page: Page
) -> None:
    site = sites[page.site]
    said: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if page.status == 200 or message.location["url"] != tab.url:  # Its own status.
            said.append(message.text)

    with open_tab(browser, site, page.viewer) as tab:
        tab.on("console", hear)
        tab.add_init_script(HEAR_REFUSALS)
        go(tab, site, page)
        show_all(tab, WIDE)
        tab.wait_for_load_state("networkidle")  # What is fetched as it comes in view.
        assert tab.evaluate("window.refused") == []
        assert tab.locator("[style]").count() == 0
        tab.evaluate(AXE)
        for theme, width, colours in LOOKS:
            choose_theme(tab, theme)
            show_all(tab, width)
            look = f"{theme}, {width} pixels"
            broken = tab.evaluate(RULES_BROKEN, colours)
            assert broken == [], f"{look}: {broken}"
            shown = tab.evaluate("document.documentElement.scrollWidth")
            assert shown <= width, look
    assert said == []


@each_page
def test_a_page_is_whole_without_a_script(
    sites: Sites, browser: Browser, page: Page
) -> None:
    site = sites[page.site]
    with open_tab(browser, site, page.viewer, script=False) as tab:
        go(tab, site, page)

        expect(tab.locator("h1")).to_have_count(1)
        assert tab.evaluate(INCOMPLETE_FORMS) == []


def looked_at() -> set[str]:
    """Return the names of the addresses that pages of the list have."""
    any_facts: Mapping[str, str] = defaultdict(lambda: "1")
    addresses = [urlsplit(page.address(any_facts)).path for page in PAGES]
    found = [resolve(unquote(path)) for path in addresses if path != NOWHERE]
    return {one.url_name for one in found if one.url_name and not one.app_name}


def test_every_address_is_looked_at_or_is_no_page() -> None:
    assert ROUTES.keys() == looked_at() | POSTED | PARTS.keys()
    assert not looked_at() & (POSTED | PARTS.keys())


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(POSTED))
def test_what_is_only_posted_to_shows_no_page(client: Client, name: str) -> None:
    arguments = dict.fromkeys(ROUTES[name].pattern.converters, 1)

    assert client.get(reverse(name, kwargs=arguments)).status_code == 405
