"""The cases of `tests/cases/web` that one request after another can prove.

Those of a browser and of many requests at once are in `tests/e2e`, those of Git
addresses in `tests/indexer`; together they have a test for every case of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest
from django.test import Client

from codesearch.models import Case
from codesearch.services import search
from indexer.access import ANYONE
from indexer.models import Build
from indexer.pipeline.paths import path_url
from tests.web_cases import (
    CASES,
    PROVED,
    ROOT,
    Markup,
    names_of_tests,
    page_of,
    quoted,
    values,
)

MARKUP = CASES["xss-code"]["input"].split("file holding ")[1].split(" (")[0]
SAID = "</code></pre><script>alert('xss')</script><mark>"
CODE = "inject/html.py"
# Name, and the symbol in it.
ODD_PATHS = {
    "names/<img src=x onerror=alert(1)>.py": "xss_name",
    "names/quote\"'<b>&.py": "markup_name",
}
QUERY = '"><svg onload=alert(1)>'
# Whatever is typed there comes back on the page, in a sentence or in an address.
ECHOES = (
    "/?q={}",
    "/?q=repo:{}",
    "/?q=lang:{}",
    "/?q=rev:{}",
    "/?q=file:({}",
    "/?q=/({}/",
    "/?q=({}",
    "/?q={}&view=lines",
    "/?q={}&view={}",
    "/?q=x&repository={}",
    "/?q=x&profile={}",
    "/?q=x&config={}",
    "/?q=x&page={}",
    "/trace/?q={}&target={}",
    "/trace/?q=page&target={}",
    "/trace/whatif/?q={}&target=page&depth={}",
    "/trace/phrasings/?q={}&target=page&phrasing={}",
    "/trace/lines/?q={}&target={}",
    "/like/?target={}",
    "/symbols/?target={}",
    "/complete/?q={}",
    "/complete/?q=repo:{}",
    "/compare/?a={}&b={}",
    "/compare/profiles/?repository={}",
    "/compare/profiles/?a={}&q={}",
    "/experiments/?repository={}",
    "/r/hostile/coverage/?path={}",
    "/r/hostile/names/{revision}/?name={}",
    "/r/hostile/uses/{revision}/?name={}",
    "/r/hostile/blob/{revision}/{}",
    "/r/hostile/blob/{revision}/inject/html.py?line={}&lines={}",
    "/r/hostile/excerpt/{revision}/inject/html.py?own={}&q={}",
    "/r/hostile/tree/{revision}/{}",
    "/r/hostile/tree/{}/",
    "/r/{}/",
    "/s/{}",
    "/jobs/?state={}&repository={}",
    "/accounts/login/?next={}",
    "/{}",
)

pytestmark = pytest.mark.django_db


def test_every_case_of_the_file_has_a_test() -> None:
    names = names_of_tests()
    begin = {case: f"test_{case.replace('-', '_')}" for case in CASES}
    elsewhere = {case: place.split("::") for case, place in PROVED.items()}

    assert len(CASES) >= 24
    for path, name in elsewhere.values():
        assert f"def {name}(" in (ROOT / path).read_text("utf-8")
    assert [
        case
        for case, test in begin.items()
        if case not in PROVED and not any(name.startswith(test) for name in names)
    ] == []


def addresses(build: Build, path: str, symbol: str) -> Iterator[str]:
    """Yield every page that says a path, or the code of it."""
    place = f"{build.revision}/{path_url(path.encode())}"
    folder = f"{build.revision}/{path_url(path.rpartition('/')[0].encode())}"
    query = urlencode({"q": symbol})
    target = urlencode({"target": f"hostile:{path}"})
    chunk = urlencode({"target": symbol})
    yield f"/r/hostile/blob/{place}"
    yield f"/r/hostile/blob/{place}?chunks=1"
    yield f"/r/hostile/inspect/{place}"
    yield f"/r/hostile/map/{place}"
    yield f"/r/hostile/tree/{folder}"
    yield f"/r/hostile/names/{build.revision}/?name={symbol}"
    yield f"/r/hostile/uses/{build.revision}/?name={symbol}"
    yield f"/r/hostile/coverage/?{urlencode({'path': path})}"
    yield f"/?{query}"
    yield f"/?{query}&view=list"
    yield "/?" + urlencode({"q": f'"{symbol}"', "view": "lines"})
    yield "/?" + urlencode({"q": f'File "{path}", line 1, in {symbol}'})
    for of in (target, chunk):
        yield f"/trace/?{query}&{of}"
        yield f"/trace/whatif/?{query}&{of}"
        yield f"/trace/changes/?{query}&{of}"
        yield f"/trace/phrasings/?{query}&{of}"
        yield f"/trace/lines/?{query}&{of}"
    yield f"/like/?{chunk}"
    yield f"/symbols/?{chunk}"
    yield f"/complete/?{urlencode({'q': symbol[:4], 'at': 4})}"
    yield f"/complete/?{urlencode({'q': 'path:' + path[:4], 'at': 9})}"


def test_xss_code_is_text_on_every_page_that_shows_it(
    client: Client, hostile: Build
) -> None:
    shown = []
    for address in addresses(hostile, CODE, "page"):
        markup = Markup(page_of(client, address))
        assert markup.harm() == [], address
        assert ("script", {}) not in markup.tags
        shown += [address] * (SAID in markup.text)

    assert MARKUP.startswith("</code></pre><script>")
    assert any(one.startswith("/r/hostile/blob/") for one in shown)
    assert any(one.startswith("/?q=page") for one in shown)
    assert any(one.startswith("/r/hostile/inspect/") for one in shown)
    policy = client.get("/")["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy


def test_xss_code_is_marked_only_after_it_was_escaped(
    client: Client, hostile: Build
) -> None:
    page = page_of(client, "/?" + urlencode({"q": f'"{MARKUP[:21]}"', "view": "lines"}))

    assert f"<mark>{'&lt;/code&gt;&lt;/pre&gt;&lt;script'}" in page


def test_xss_code_has_no_script_of_ours_that_makes_markup_of_text() -> None:
    scripts = [one.read_text() for one in (ROOT.parent / "static/js").glob("*.js")]

    made = (
        r"innerHTML\s*[+=]|outerHTML\s*[+=]|insertAdjacentHTML|document\.write|\beval\("
    )
    assert scripts
    assert [found for script in scripts for found in re.findall(made, script)] == []


def test_xss_path_is_text_on_every_page_that_prints_it(
    client: Client, hostile: Build
) -> None:
    for path, symbol in ODD_PATHS.items():
        shown = 0
        for address in addresses(hostile, path, symbol):
            markup = Markup(page_of(client, address))
            assert markup.harm() == [], address
            shown += path.rpartition("/")[2] in markup.text

        assert shown > 15


def test_xss_path_is_text_in_what_is_shared_and_in_the_administration(
    admin: Client, hostile: Build
) -> None:
    path = next(iter(ODD_PATHS))
    form = {"kind": "file", "repository": "hostile", "revision": hostile.revision}
    made = admin.post("/share/", form | {"path_url": path_url(path.encode())})
    saved = {"q": "xss_name", "target": f"hostile:{path}", "expected": "on_page"}
    admin.post("/cases/save/", saved)
    case = Case.objects.get()

    pages = [made["Location"], "/s/", "/cases/", f"/cases/{case.pk}/"]
    pages += ["/jobs/", f"/jobs/{hostile.pk}/", "/admin/indexer/build/"]
    pages += [f"/admin/indexer/repository/{hostile.index.repository_id}/change/"]
    shown = [Markup(page_of(admin, address)) for address in pages]

    assert [one.harm() for one in shown[:6]] == [[]] * 6
    assert [one for one in shown if ("img", {"src": "x"}) in one.tags] == []
    assert all(path.rpartition("/")[2] in one.text for one in shown[:2])


def test_xss_path_templates_quote_every_attribute_and_have_no_handler() -> None:
    texts = [one.read_text() for one in (ROOT.parent / "templates").rglob("*.html")]
    unquoted = r"<[a-z][^<>]*[\s]([\w-]+=\{[{%])"
    handler = r"<[a-z][^<>]*\s(on[a-z]+|hx-on[\w:-]*)="
    every = "".join(texts)

    assert len(texts) > 100
    assert [re.findall(one, every) for one in (unquoted, handler)] == [[], []]
    # The stamp of an index is 16 hexadecimal digits.
    assert re.findall(r"hx-vals='([^']*)'", every) == [
        '{"turned": "1", "of": "{{ of }}"}'
    ]


def test_xss_query_is_text_wherever_it_comes_back(
    client: Client, hostile: Build
) -> None:
    assert CASES["xss-query"]["input"] == f"q={QUERY}"
    for address in ECHOES:
        typed = address.replace("{revision}", hostile.revision)
        typed = typed.replace("{}", quote(QUERY))
        for headers in ({}, {"HX-Request": "true"}):
            answer = client.get(typed, headers=headers)

            assert answer.status_code in (200, 302, 400, 404), address
            assert "<svg onload" not in answer.get("Location", "")
            if answer["Content-Type"].startswith("text/html"):
                assert Markup(answer.content.decode()).harm() == [], address
            else:
                assert answer["Content-Type"].startswith("text/plain"), address
                assert answer["X-Content-Type-Options"] == "nosniff"


def test_xss_query_is_text_in_the_title(client: Client, hostile: Build) -> None:
    page = client.get(f"/?q={quote(QUERY)}").content.decode()

    (title,) = re.findall("<title>(.*?)</title>", page)
    assert title == "&quot;&gt;&lt;svg onload=alert(1)&gt; · codesearch"


def test_long_q_is_capped_and_that_is_said(client: Client, hostile: Build) -> None:
    pasted = "def page(): return 'code'\n" * 40_000  # 1 MB.
    for query in ("x" * 200_000, "word " * 10_000, pasted):
        page = page_of(client, f"/?{urlencode({'q': query})}")

        assert "A query has 2,000 characters at most, and this one has" in page
        (box,) = [one for tag, one in Markup(page).tags if one.get("id") == "q"]
        assert len(box["value"]) == 2000
        as_json = client.get(f"/?{urlencode({'q': query, 'format': 'json'})}")
        assert as_json.status_code == 400
        for other in ("/trace/", "/symbols/", "/complete/", "/like/"):
            assert client.get(other, {"q": query, "target": query}).status_code < 500


def test_empty_q_finds_nothing_by_chance(client: Client, hostile: Build) -> None:
    odd = quoted("empty-q")

    assert odd == ["", "   ", "!!!", "::", "->", "the of and", "🚀"]
    for query in odd:
        page = page_of(client, f"/?{urlencode({'q': query})}")
        assert "data-hit" not in page, query
        if query.strip():
            found = search(viewer=ANYONE, query=query)
            assert found["hits"] == found["places"] == []
            assert all(leg["note"] for leg in found["legs"].values() if not leg["ran"])
            assert found["legs"]["bm25"]["matched"] == 0


PAGED = (
    "/?q=gen+app+marker+return&page={}",
    "/?q=%22Marker%22&view=lines&page={}",
    "/?q=gen+app+marker+return&view=list&page={}",
    "/jobs/?page={}",
    "/s/?page={}",
    "/cases/?page={}",
    "/audits/?page={}",
    "/r/hostile/coverage/?page={}",
    "/r/hostile/tree/{revision}/names?page={}",
    "/r/hostile/names/{revision}/?name=page&page={}",
    "/r/hostile/uses/{revision}/?name=page&page={}",
)


def test_page_that_cannot_be_is_the_nearest_that_can(
    admin: Client, hostile: Build
) -> None:
    odd = values("page")
    numbers = [
        one.removeprefix("page=") for text in odd[:-1] for one in text.split(",")
    ]

    assert odd[-1] == "page_size=1000000"
    for address in PAGED:
        there = address.replace("{revision}", hostile.revision)
        first = page_of(admin, there.format("1"))
        size = len(first)
        for number in (*numbers, "9" * 5000, f"1&{odd[-1]}"):
            page = page_of(admin, there.format(number))
            assert len(page) < 2 * size + 20_000, (address, number)


def test_page_after_page_has_each_hit_once_in_one_order(
    client: Client, hostile: Build
) -> None:
    query = "/?q=marker+return+name&view=list&page={}"
    pages = [page_of(client, query.format(number)) for number in (1, 2)]
    again = page_of(client, query.format(1))
    ranks = [int(n) for page in pages for n in re.findall(r'id="hit-(\d+)"', page)]

    assert ranks == list(range(1, len(ranks) + 1))
    assert len(ranks) > 30
    assert re.findall(r'id="hit-\d+"', again) == re.findall(r'id="hit-\d+"', pages[0])
