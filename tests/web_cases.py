"""The cases of `tests/cases/web`: what an attacker or an odd user sends.

Values are read from the file: a new one of a list is tried as soon as it is there.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from django.test import Client

ROOT = Path(__file__).resolve().parent
CASES: dict[str, dict[str, str]] = {
    case["id"]: case
    for case in json.loads((ROOT / "cases/web/cases.json").read_text("utf-8"))["cases"]
}

# Proved by a test that has another name: its file and its name.
PROVED = {
    "htmx-history-private": "e2e/test_sessions.py::"
    "test_back_after_signing_out_shows_no_code_and_nothing_is_kept"
}


def values(case: str) -> list[str]:
    """Return the values of a case whose input is a list of them."""
    return [part.strip() for part in CASES[case]["input"].split(", ")]


def quoted(case: str) -> list[str]:
    """Return the values of a case that stand between quotes."""
    return re.findall(r"'([^']*)'", CASES[case]["input"])


def names_of_tests() -> set[str]:
    """Return the names of the tests of cases; each begins with the id of its case."""
    texts = [one.read_text("utf-8") for one in ROOT.rglob("test_web_cases*.py")]
    return {
        name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.M)
    }


def page_of(client: Client, address: str, **headers: str) -> str:
    """Return a page, which must be there."""
    answer = client.get(address, headers=headers or None)
    assert answer.status_code == 200, address
    return answer.content.decode()


class Markup(HTMLParser):
    """What a browser would make of a page: its tags, and what could run in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def harm(self) -> list[str]:
        """Return what could run: handlers, scripts and frames of others, odd links."""
        found = []
        for tag, attributes in self.tags:
            if tag in ("iframe", "object", "embed", "base", "img", "style"):
                found.append(tag)
            if tag == "script" and not attributes.get("src", "").startswith("/static/"):
                found.append("script")
            for name, value in attributes.items():
                if name.startswith(("on", "hx-on", "style")):
                    found.append(f"{tag} {name}")
                if name in ("href", "src", "action") and re.match(
                    r"\s*(javascript|data|vbscript):", value, re.I
                ):
                    found.append(f"{tag} {name}={value}")
        return found
