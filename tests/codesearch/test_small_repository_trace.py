"""On a small repository every section of a trace has true content or a sentence.

It has three tiny files without a docstring, no judged case and no cross-encoder; it
is indexed without a model, and with one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.test import Client
from pytest_django import Settings

from indexer import services
from indexer.encoders import NO_MODEL
from tests.conftest import MakeRepository

FILES: dict[str, str | bytes] = {
    "cart.py": "def add(cart, item):\n    cart.append(item)\n",
    "price.py": "class Price:\n    def net(self, tax):\n        return 1 - tax\n",
    "main.go": 'package main\n\nfunc main() {\n\tprintln("hello")\n}\n',
}
QUERY = "add an item to the cart"
FOUND, UNFOUND, IMPOSSIBLE = "add", "Price.net", "no_such_name"
TARGETS = [
    (QUERY, FOUND),
    (QUERY, UNFOUND),
    (QUERY, IMPOSSIBLE),
    ("lang:go cart", FOUND),
    ("kubernetes", FOUND),
    ("what is the", FOUND),
]
NOTHING = {"", "–", "—", "absent"}
VOID = {"input", "br", "hr", "img", "meta", "link", "col", "wbr"}


class Sections(HTMLParser):
    """Collects the text of each section below its head, and the cells of each table."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []  # Each tag, and if it is a head.
        self.bodies: dict[str, str] = {}
        self.tables: list[list[list[str]]] = []
        self.heading = ""
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        self.open.append((tag, "__head" in (dict(attrs).get("class") or "")))
        if tag == "h2":
            self.heading = ""
        elif tag == "tbody":
            self.tables.append([])
        elif self.is_within("tbody") and tag == "tr":
            self.tables[-1].append([])
        elif self.is_within("tbody") and tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "h2":  # A heading outside a head, the verdict's, is content itself.
            self.bodies[self.heading] = "" if self.is_in_head() else self.heading
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.text += f" {data}"
        if self.is_within("h2"):
            self.heading += data
        elif self.heading and not self.is_in_head():
            self.bodies[self.heading] += data
        if self.is_within("td", "th") and self.is_within("tbody"):
            self.tables[-1][-1][-1] += data

    def is_in_head(self) -> bool:
        return any(is_head for _, is_head in self.open)

    def is_within(self, *tags: str) -> bool:
        return any(tag in tags for tag, _ in self.open)


@pytest.fixture(params=["no model", "a model"])
def small(
    request: pytest.FixtureRequest,
    db: None,
    data_dir: Path,
    settings: Settings,
    make_repository: MakeRepository,
) -> str:
    """Index the repository; return how."""
    how = str(request.param)
    if how == "no model":
        settings.MODEL = NO_MODEL
    else:
        request.getfixturevalue("encoder")
    index = services.register(name="small", source=str(make_repository(FILES)))
    services.finish_build(build=services.request_build(index=index, enqueue=False))
    return how


@pytest.fixture
def opened(small: str, client: Client) -> Callable[..., str]:
    """Opens the trace of a target and returns its page."""

    def open_trace(query: str, target: str) -> str:
        asked = urlencode({"q": query, "target": target})
        response = client.get(f"/trace/?{asked}")
        assert response.status_code == 200
        return response.content.decode().partition('<div id="traced">')[2]

    return open_trace


@pytest.mark.parametrize(("query", "target"), TARGETS)
def test_every_section_has_content_and_every_table_a_row_that_says_something(
    opened: Callable[..., str], query: str, target: str
) -> None:
    parsed = Sections()

    parsed.feed(opened(query, target))

    assert {"Pool edge", "Read with care", "Scores"} <= parsed.bodies.keys()
    for heading, text in parsed.bodies.items():
        assert len(text.split()) > 3, heading
    for table in parsed.tables:
        assert table
        cells = [cell.strip() for row in table for cell in row[1:]]
        assert not cells or not NOTHING.issuperset(cells), table


@pytest.mark.parametrize(("query", "target"), TARGETS)
def test_no_page_holds_what_only_a_machine_would_say(
    opened: Callable[..., str], query: str, target: str
) -> None:
    page = opened(query, target)
    parsed = Sections()
    parsed.feed(page)

    for word in ("None", "nan", "NaN", "inf", "-inf", "undefined", "{}", "[]"):
        assert not re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.])", parsed.text), (
            word
        )
    for number in re.findall(r'(?:x|y|width|height|d)="([^"]*)"', page):
        assert not re.search(r"nan|inf|None", number)


def test_a_found_target_is_on_page_one_and_nothing_is_cut(
    opened: Callable[..., str],
) -> None:
    page = opened(QUERY, FOUND)

    assert "On page one" in page
    assert "nothing is cut" in page


def test_a_target_that_does_not_exist_says_so_and_has_no_terms(
    opened: Callable[..., str],
) -> None:
    page = opened(QUERY, IMPOSSIBLE)

    assert "Died at the corpus: not in repository" in page
    assert 'id="terms-1"' not in page


def test_a_query_of_stop_words_has_a_sentence_in_place_of_terms(
    opened: Callable[..., str],
) -> None:
    page = opened("what is the", FOUND)

    assert "The query has no term: what, is and the are stop words." in page


def test_without_a_model_the_evidence_says_that_there_are_no_vectors(
    small: str, opened: Callable[..., str]
) -> None:
    page = opened(QUERY, FOUND)

    said = "none: no vectors" if small == "no model" else "64 d, pooling"
    assert said in page
    assert ("no ANN" in page.partition('id="evidence"')[0]) == (small == "a model")


def test_a_query_of_unknown_words_says_that_they_occur_nowhere(
    opened: Callable[..., str],
) -> None:
    page = opened("kubernetes", FOUND)

    assert "kubernet occurs in no chunk" in page
