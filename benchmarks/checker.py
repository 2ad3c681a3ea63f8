"""Checker: whether every line that a search shows is the line that Git holds.

`python -m benchmarks.checker SOURCE --repository NAME [--url URL] [--queries N]
[--seed N]` asks queries made of SOURCE, a Git repository, of the site at URL, or in
this process of the data folder that CODESEARCH_DATA names. Of each hit it compares with
`git show REVISION:PATH`: that its lines exist and hold the symbol that it names; the
lines of its card; the exact text that was indexed of it; and its file, as page and as
plain text. It exits with 1 and names query, hit and difference where one is wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlencode

from benchmarks.shown import Place, Shown, read_page
from benchmarks.truth import LONG_LINE, Truth, make_queries

SECONDS = 60.0  # For one answer; the first one loads the model.
LINES_SHOWN = 5000  # Of a file on its first page.
KEY = "PRIVATE KEY"  # Files with one are shown without it.
# Of how many parts a text has is said where all are shown.
FIRST_PARTS = re.compile(r", part \d+(?!\d| of \d+(,|$))")
FOREIGN = (b".ipynb",)  # Shown as cells, not as their lines.

Hit = dict[str, Any]  # Any: JSON
# What answers a path of the site with a status and a body.
Site = Callable[[str], tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that was shown and is not so."""

    query: str
    where: str
    difference: str

    def __str__(self) -> str:
        return f"{self.query!r}: {self.where}: {self.difference}"


@dataclass(slots=True)
class Tally:
    """What was compared."""

    queries: int = 0
    hits: int = 0
    lines: int = 0
    texts: int = 0
    files: int = 0
    foreign: int = 0

    def __str__(self) -> str:
        return (
            f"{self.queries} queries, {self.hits} hits, {self.lines} lines, "
            f"{self.texts} indexed texts and {self.files} files compared; "
            f"{self.foreign} hits of files that are not shown by their lines"
        )


def over_http(url: str) -> Site:
    """Return the site at `url`; its calls raise OSError while it is down."""

    def get(path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(  # noqa: S310 - ours, on loopback
                url.rstrip("/") + path, timeout=SECONDS
            ) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(errors="replace")

    return get


def in_process() -> Site:
    """Return the site in this process, which Django is set up in."""
    from django.test import Client

    client = Client(raise_request_exception=False, headers={"host": "localhost"})

    def get(path: str) -> tuple[int, str]:
        answer = client.get(path, follow=True)  # As a browser does.
        return answer.status_code, answer.content.decode()

    return get


class Checker:
    """Compares what a site says of one repository with its truth."""

    def __init__(self, site: Site, truth: Truth, repository: str) -> None:
        self.site = site
        self.truth = truth
        self.repository = repository
        self.tally = Tally()
        self.refusals: list[str] = []  # What was said instead of an answer.
        self.revisions: set[str] = set()  # Of the hits.
        self.notes: list[str] = []  # What was said beside the answers.

    def check(self, query: str, *, files: bool = True) -> list[Wrong]:
        """Ask one query as payload and page; return what is wrong in them.

        With `files` also the file of the first hit is looked at, and the texts that
        were indexed of it. A refusal with a sentence is kept, and is no wrong line; a
        status of 500 or more is. Raises OSError while the site is down.
        """
        self.tally.queries += 1
        asked = urlencode({"q": query, "repository": self.repository})
        status, body = self.site(f"/?{asked}&format=json")
        if status >= 500:
            return [Wrong(query, "payload", f"status {status}")]
        answer = json.loads(body)
        if status != 200:
            self.refusals.append(answer["error"])
            return []
        self.notes += answer["left_out"] + answer["unsearched"]
        hits = [*_with_folded(answer["hits"])]
        found = [*self._check_hits(query, hits)]
        if files and hits:
            found += self._check_file(query, hits[0], hits)
        status, html = self.site(f"/?{asked}")
        if status >= 500:
            found.append(Wrong(query, "page", f"status {status}"))
        return [*found, *self._check_lines(query, read_page(html))]

    def _check_hits(self, query: str, hits: Sequence[Hit]) -> Iterator[Wrong]:
        for hit in hits:
            self.tally.hits += 1
            self.revisions.add(hit["revision"])
            place = f"{hit['path']}:{hit['start_line']}-{hit['end_line']}"
            for difference in self._differences(hit):
                yield Wrong(query, f"{place} of {hit['revision'][:12]}", difference)

    def _differences(self, hit: Hit) -> Iterator[str]:
        """Yield what is wrong with one hit as it stands in the payload."""
        path = unquote_to_bytes(hit["path_url"])
        lines = self.truth.lines(hit["revision"], path)
        if lines is None:
            yield "Git holds no such file"
            return
        if path.endswith(FOREIGN):
            self.tally.foreign += 1
            return
        start, end = hit["start_line"], hit["end_line"]
        if not 1 <= start <= end <= len(lines):
            yield f"the file has {len(lines)} lines"
            return
        if not all(start <= a <= b <= end for a, b in hit["spans"]):
            yield f"its own lines {hit['spans']} are outside of it"
        own = "\n".join(lines[start - 1 : end])
        if hit["symbol"] and not _names(own, hit):
            yield f"these lines do not hold {hit['symbol']!r}"
        if "text" in hit and hit["text"] != own:
            yield f"the text is {_first_difference(hit['text'], own)}"

    def _check_file(self, query: str, hit: Hit, hits: Sequence[Hit]) -> Iterator[Wrong]:
        """Compare the file of one hit as page, as plain text, and as it was indexed."""
        place = Place(hit["revision"], unquote_to_bytes(hit["path_url"]))
        text = self.truth.text(place.revision, place.path)
        if text is None or KEY in text or place.path.endswith(FOREIGN):
            return
        self.tally.files += 1
        address = f"/r/{self.repository}/%s/{hit['revision']}/{hit['path_url']}"
        pages = {}
        for kind in ("raw", "blob", "inspect"):
            status, pages[kind] = self.site(address % kind)
            if status != 200:
                yield Wrong(query, f"{kind} of {hit['path']}", f"status {status}")
                return
        if pages["raw"] != text:
            difference = _first_difference(pages["raw"], text)
            yield Wrong(query, f"raw of {hit['path']}", difference)
        shown = read_page(pages["blob"], place)
        count = len(self.truth.lines(place.revision, place.path) or ())
        if len(shown.lines) != min(count, LINES_SHOWN):
            yield Wrong(query, hit["path"], f"{len(shown.lines)} lines on its page")
        yield from self._check_lines(query, shown)
        beside = [one for one in hits if one["path_url"] == hit["path_url"]]
        yield from self._check_texts(query, read_page(pages["inspect"]), beside)

    def _check_lines(self, query: str, shown: Shown) -> Iterator[Wrong]:
        """Compare the numbered lines of a page."""
        for line in shown.lines:
            if line.place is None or line.place.path.endswith(FOREIGN):
                continue
            self.tally.lines += 1
            lines = self.truth.lines(line.place.revision, line.place.path) or []
            number = int(line.number)
            want = lines[number - 1] if 0 < number <= len(lines) else None
            if want is None:
                same = False
            elif line.is_cut:
                same = want.startswith(line.text) and want != line.text
            else:
                same = line.text == want or (KEY in "\n".join(lines) and not line.text)
            if not same:
                where = f"line {number} of {line.place.path.decode(errors='replace')}"
                yield Wrong(query, where, f"shown {line.text!r}, Git has {want!r}")

    def _check_texts(
        self, query: str, shown: Shown, hits: Sequence[Hit]
    ) -> Iterator[Wrong]:
        """Compare the exact body texts of the hits of one file with their lines."""
        for hit in hits:
            bodies = [
                (label, text)
                for label, text in shown.texts.get(hit["ordinal"], [])
                if label.startswith("body")
            ]
            parts = [text for _, text in bodies]
            is_cut = any(FIRST_PARTS.search(label) for label, _ in bodies)
            path = unquote_to_bytes(hit["path_url"])
            lines = self.truth.lines(hit["revision"], path)
            if not parts or lines is None:
                continue
            self.tally.texts += 1
            if difference := compare_text(parts, hit["spans"], lines, is_cut=is_cut):
                where = f"indexed text of {hit['path']}:{hit['start_line']}"
                yield Wrong(query, where, difference)


def compare_text(
    parts: Sequence[str],
    spans: Sequence[tuple[int, int]],
    lines: Sequence[str],
    *,
    is_cut: bool = False,
) -> str | None:
    """Return how a chunk's body text differs from its lines, None if it does not.

    The text begins with a context line, which the later parts may repeat. A span may
    begin and end within a line. Below the lines stand the signatures of members. Of a
    text that `is_cut` the last line may be a piece, and what follows it is not there.
    """
    head = parts[0].partition("\n")[0] + "\n"
    text = parts[0] + "".join(part.removeprefix(head) for part in parts[1:])
    said = text.split("\n")[1:]
    if is_cut:
        said.pop()
    for first, last in spans:
        for number in range(first, last + 1):
            if is_cut and not said:
                return None
            want = lines[number - 1]
            got = said.pop(0) if said else None
            if got is None or not _is_line(got, want, number == first, number == last):
                return f"line {number}: indexed {got!r}, Git has {want!r}"
        while said and not said[0] and lines[last - 1]:
            said.pop(0)  # A span that ends with its line end.
    known = {*re.findall(r"\w+", "\n".join(lines))}
    strange = [w for line in said for w in re.findall(r"\w+", line) if w not in known]
    return f"the words {strange} are not in the file" if strange else None


def _is_line(got: str, want: str, first: bool, last: bool) -> bool:
    if got == want:
        return True
    if not got.strip():  # Left out: encoded data, or a key.
        return len(want) > LONG_LINE or KEY in want
    if first and last:
        return got in want
    return (first and want.endswith(got)) or (last and want.startswith(got))


def _names(lines: str, hit: Hit) -> bool:
    """Tell whether lines hold what a hit is called: by its heading, or its name.

    A section above the first heading is called by its file, and what a module of
    JavaScript exports without a name is its default.
    """
    symbol = hit["symbol"]
    if hit["kind"] == "section":
        words = re.findall(r"\w+", symbol.rpartition(" > ")[2])
        stem = hit["path"].rpartition("/")[2].partition(".")[0]
        return symbol == stem or all(word in lines for word in words)
    name = re.split(r"\.|::|#|\s", symbol)[-1]
    return name in lines or (name == "default" and "export" in lines)


def _with_folded(hits: Sequence[Hit]) -> Iterator[Hit]:
    for hit in hits:
        yield hit
        yield from hit.get("copies", ())
        yield from hit.get("re_exports", ())


def _first_difference(got: str, want: str) -> str:
    pairs = zip(got.split("\n"), want.split("\n"), strict=False)
    for number, (ours, theirs) in enumerate(pairs, 1):
        if ours != theirs:
            return f"line {number}: shown {ours!r}, Git has {theirs!r}"
    return f"{len(got)} characters, not {len(want)}"


def main() -> None:
    """Ask, compare, and say what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--repository", required=True)
    parser.add_argument("--url")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.url:
        site = over_http(options.url)
    else:
        from benchmarks.indexed import set_up

        set_up()
        site = in_process()
    truth = Truth(options.source)
    checker = Checker(site, truth, options.repository)
    wrong: list[Wrong] = []
    for query in make_queries(truth, options.queries, options.seed):
        wrong += checker.check(query)
    sys.stdout.write("".join(f"{one}\n" for one in wrong) + f"{checker.tally}\n")
    sys.stdout.write("".join(f"refused: {one}\n" for one in {*checker.refusals}))
    if wrong or checker.refusals:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
