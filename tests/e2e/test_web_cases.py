"""The cases of `tests/cases/web` in a browser: what is shown, run, framed, copied."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from indexer.pipeline.paths import path_url
from tests.conftest import MakeRepository
from tests.e2e.people import fill_in, peopled_site, sign_in
from tests.terminal import Terminal
from tests.web_cases import CASES, values

SAID = "</code></pre><script>alert('xss')</script><mark>"
TURNED = 'access = "user\u202e \u2066# only admin\u2069 \u2066"'
TURNED_PATH = "odd/\u202efdp.py"
ODD = {
    "turned.py": f"def allow_turned():\n    {TURNED}\n    return access\n",
    TURNED_PATH: "def from_the_right():\n    return 1\n",
}


@pytest.fixture(scope="module")
def odd(
    browser_path: str,
    tmp_path_factory: pytest.TempPathFactory,
    make_repository: MakeRepository,
    hostile_repository: Path,
) -> Iterator[Terminal]:
    """A site with the hostile repository, another of turned texts, and people."""
    folder = tmp_path_factory.mktemp("odd") / "data"
    sources = {"hostile": hostile_repository, "odd": make_repository({**ODD})}
    with peopled_site(folder, sources) as site:
        yield site


@pytest.fixture
def dialogs(page: Page) -> list[str]:
    """What the page has said in windows of its own: nothing is right."""
    said: list[str] = []

    def close(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", close)
    return said


def visited(site: Terminal, path: str, symbol: str) -> Iterator[str]:
    """Yield the addresses of the pages of a file and of what finds it."""
    encoded = path_url(path.encode())
    query = urlencode({"q": symbol})
    for place in ("blob", "inspect", "map"):
        yield f"{site.url}r/hostile/{place}/trunk/{encoded}"
    yield f"{site.url}r/hostile/tree/trunk/{encoded.rpartition('/')[0]}"
    yield f"{site.url}?{query}"
    yield f"{site.url}?{query}&view=list"
    yield f"{site.url}?{urlencode({'q': f'/{symbol}/', 'view': 'lines'})}"
    yield f"{site.url}trace/?{query}&{urlencode({'target': symbol})}"
    yield f"{site.url}like/?{urlencode({'target': symbol})}"


def test_xss_code_runs_nowhere_in_a_browser(
    odd: Terminal, page: Page, dialogs: list[str]
) -> None:
    for address in visited(odd, "inject/html.py", "page"):
        page.goto(address)
        expect(page.locator("h1").first).to_be_attached()
        assert page.locator("#main script").count() == 0, address

    page.goto(f"{odd.url}r/hostile/blob/trunk/inject/html.py")
    expect(page.locator("#code")).to_contain_text(SAID)
    page.goto(f"{odd.url}?q=page+path:inject")
    expect(page.locator("#hit-1")).to_contain_text(SAID)
    assert dialogs == []


def test_xss_path_runs_nowhere_in_a_browser(
    odd: Terminal, page: Page, dialogs: list[str]
) -> None:
    names = {"<img src=x onerror=alert(1)>.py": "xss_name"}
    names["quote\"'<b>&.py"] = "markup_name"
    for name, symbol in names.items():
        for address in visited(odd, f"names/{name}", symbol):
            page.goto(address)
            expect(page.locator("#main")).to_contain_text(name)
            assert page.locator("img, #main b:text-is('&.py')").count() == 0, address

    field = page.get_by_role("combobox", name="Query")
    page.goto(odd.url)
    field.press_sequentially("path:names/<img")
    page.wait_for_timeout(500)
    assert page.locator("img").count() == 0
    assert dialogs == []


def test_xss_query_is_pushed_percent_encoded(odd: Terminal, browser: Browser) -> None:
    query = CASES["xss-query"]["input"].removeprefix("q=")
    page = browser.new_page()  # What cannot be read is a line of the console: 400.
    page.goto(odd.url)
    field = page.get_by_role("combobox", name="Query")

    field.fill(query)
    field.press("Enter")
    page.wait_for_url("**/?*q=*")

    expect(page.get_by_role("alert").first).to_be_visible()
    assert set('"<>').isdisjoint(page.url)
    assert "%22%3E%3Csvg" in page.url
    assert page.title() == f"{query} · codesearch"
    assert page.locator("[onload]").count() == 0
    page.reload()
    expect(field).to_have_value(query)
    page.close()


def test_bidi_is_written_out_and_copied_as_it_is(odd: Terminal, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{odd.url}r/odd/blob/main/turned.py")

    expect(page.locator("#unseen")).to_contain_text("The text holds 4")
    marks = page.locator("#L2 .ctrl")
    assert [marks.nth(n).get_attribute("data-code") for n in range(4)] == [
        *("U+202E", "U+2066", "U+2069", "U+2066")
    ]
    shown = "e => getComputedStyle(e, '::before').content"
    assert marks.first.evaluate(shown) in ('"U+202E"', "attr(data-code)")
    page.locator("#L2 .code__src").evaluate("e => getSelection().selectAllChildren(e)")
    page.keyboard.press("Control+C")
    assert page.evaluate("navigator.clipboard.readText()").strip() == TURNED

    page.goto(f"{odd.url}?q=allow_turned")
    page.locator("#hit-1").hover()
    page.keyboard.press("j")
    page.keyboard.press("c")
    expect(page.locator("#said")).to_have_text("Code copied")
    assert TURNED in page.evaluate("navigator.clipboard.readText()")


def test_bidi_in_a_name_is_written_out_and_does_not_turn_it(
    odd: Terminal, page: Page
) -> None:
    page.goto(f"{odd.url}r/odd/blob/main/{quote(TURNED_PATH)}")

    expect(page.locator("#unseen")).to_contain_text("The path holds 1")
    expect(page.locator(".crumbs .ctrl").first).to_have_attribute("data-code", "U+202E")
    page.goto(f"{odd.url}?q=from_the_right")
    expect(page.locator("#hit-1 .ctrl, .card .ctrl").first).to_be_visible()


def test_htmx_vary_back_and_forward_show_whole_pages(odd: Terminal, page: Page) -> None:
    page.goto(f"{odd.url}?q=markup_name")
    field = page.get_by_role("combobox", name="Query")
    field.fill("bidi_name")
    field.press("Enter")
    expect(page.locator("#hit-1")).to_contain_text("bidi_name")
    page.goto(f"{odd.url}repositories/")

    for move, symbol in (("back", "bidi"), ("back", "markup"), ("forward", "bidi")):
        page.go_back() if move == "back" else page.go_forward()
        expect(page.locator("#hit-1")).to_contain_text(f"{symbol}_name")
        assert page.locator(".topbar").count() == 1
        expect(field).to_have_value(f"{symbol}_name")
    page.reload()
    expect(page.locator("#hit-1")).to_contain_text("bidi_name")
    assert page.locator(".topbar").count() == 1


def test_redirect_stays_on_the_host_after_signing_in(
    odd: Terminal, browser: Browser
) -> None:
    for there in values("redirect"):
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{odd.url}accounts/login/?{urlencode({'next': there})}")
        fill_in(page, "ada")
        expect(page.get_by_role("button", name="sign out")).to_be_attached()
        assert urlsplit(page.url).netloc == urlsplit(odd.url).netloc, there
        context.close()


def test_trav_over_the_wire_leads_to_no_file_of_the_disk(odd: Terminal) -> None:
    paths = [one.replace("\\\\", "\\") for one in values("trav")]
    paths += ["../../../../../../etc/passwd", "..%2f..%2f..%2fetc/passwd"]
    connection = http.client.HTTPConnection(urlsplit(odd.url).netloc, timeout=60)
    for path in paths:
        for place in ("blob", "raw", "inspect", "map", "tree", "excerpt"):
            connection.request("GET", f"/r/hostile/{place}/trunk/{path}?own=1-9")
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status in (302, 400, 404), (place, path)
            assert b"root:" not in body
            assert b"[core]" not in body
    connection.close()


def test_long_q_over_the_wire_is_refused_and_the_server_goes_on(odd: Terminal) -> None:
    where = urlsplit(odd.url).netloc
    for length in (200_000, 1_000_000):
        connection = http.client.HTTPConnection(where, timeout=60)
        connection.request("GET", f"/?q={'x' * length}")
        assert connection.getresponse().status in (400, 414)
        connection.close()
    connection = http.client.HTTPConnection(where, timeout=60)
    connection.request("GET", f"/?q={'word+' * 1000}")
    answer = connection.getresponse()
    assert answer.status == 200
    assert b"A query has 2,000 characters at most" in answer.read()
    connection.close()


def test_long_q_that_is_pasted_is_cut_and_that_is_said(
    odd: Terminal, page: Page
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(odd.url)
    page.evaluate("navigator.clipboard.writeText('def page(): '.repeat(90000))")
    field = page.get_by_role("combobox", name="Query")

    field.press("Control+V")
    field.press("Enter")

    expect(page.locator("#results")).to_contain_text("2,000 characters at most")
    assert len(field.input_value()) == 2000


class Framing(BaseHTTPRequestHandler):
    """A page of another origin that frames one of ours."""

    framed = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f'<iframe src="{self.framed}"></iframe>'.encode())

    def log_message(self, *_: object) -> None:
        pass


def test_clickjack_a_frame_of_another_site_stays_empty(
    odd: Terminal, browser: Browser
) -> None:
    context = browser.new_context()
    page = sign_in(odd, context.new_page(), "sam")
    for address in ("repositories/", "r/odd/", "admin/"):
        framing = type("One", (Framing,), {"framed": f"{odd.url}{address}"})
        with HTTPServer(("127.0.0.1", 0), framing) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            page.goto(f"http://localhost:{server.server_port}/")
            page.wait_for_timeout(500)
            frame = page.frames[1]
            assert frame.url.startswith("chrome-error:")
            assert frame.locator("button").count() == 0
            server.shutdown()
    context.close()
