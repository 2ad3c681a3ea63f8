"""Shown: the lines of code that a page of the site has in its HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote_to_bytes

_FILE_URL = re.compile(
    r"/r/(?P<repository>[^/]+)/blob/(?P<revision>[0-9a-f]+)/(?P<path>[^#?]*)"
)
# Elements that never close, so that they take no part in what is open.
_VOID = {"area", "br", "hr", "img", "input", "link", "meta", "use", "wbr"}


@dataclass(frozen=True, slots=True)
class Place:
    """A file at a commit, as an address of the site has it."""

    revision: str
    path: bytes


@dataclass(slots=True)
class ShownLine:
    """One numbered line of a page; `is_cut` where the page left its end out."""

    place: Place | None
    number: str = ""
    text: str = ""
    is_cut: bool = False


@dataclass(slots=True)
class Shown:
    """What was found in a page: its lines, and its exact texts by chunk ordinal.

    A text is (its label, itself).
    """

    lines: list[ShownLine] = field(default_factory=list)
    texts: dict[int, list[tuple[str, str]]] = field(default_factory=dict)


def read_page(html: str, place: Place | None = None) -> Shown:
    """Return the lines that a page shows, by the address of the hit above each.

    `place` is the file of a page that shows one file only.
    """
    reader = _Reader(place)
    reader.feed(html)
    return reader.shown


def place_of(address: str) -> Place | None:
    """Return which file an address of the site names, None if none."""
    found = _FILE_URL.search(address)
    if found is None:
        return None
    return Place(found["revision"], unquote_to_bytes(found["path"]))


class _Reader(HTMLParser):
    """Follows the rows of code and the `pre` of exact texts."""

    def __init__(self, place: Place | None) -> None:
        super().__init__()
        self.shown = Shown()
        self._place = place
        self._open: list[str] = []  # Classes of the elements that are open.
        self._ordinal: int | None = None
        self._label = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        css = told.get("class", "")
        if tag not in _VOID:
            self._open.append(css)
        if css == "hit__name":
            self._place = place_of(told["href"])
        elif css == "code__no":
            self.shown.lines.append(ShownLine(self._place))
        elif css == "code__cut" and self.shown.lines:
            self.shown.lines[-1].is_cut = True
        elif tag == "h2":
            number = told.get("id", "").removeprefix("h-")
            self._ordinal = int(number) if number.isdigit() else None
        elif css == "label":
            self._label = ""
        elif css == "pre" and self._ordinal is not None:
            texts = self.shown.texts.setdefault(self._ordinal, [])
            texts.append((self._label.strip(), ""))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "ctrl":  # An unseen character, spelled out.
            data = chr(int(data.removeprefix("U+"), 16))
        if "code__cut" in self._open:
            return
        if "code__no" in self._open:
            self.shown.lines[-1].number += data.strip()
        elif "code__src" in self._open and self.shown.lines:
            self.shown.lines[-1].text += data
        elif "label" in self._open:
            self._label += data
        elif "pre" in self._open and self._ordinal is not None:
            label, text = self.shown.texts[self._ordinal][-1]
            self.shown.texts[self._ordinal][-1] = label, text + data
