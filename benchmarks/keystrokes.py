"""Typing: how long results take to be on screen after the last key of a query.

`python -m benchmarks.keystrokes [--repository NAME] [--queries N] [--json OUT]` indexes
the installed Django (or takes a repository of CODESEARCH_DATA by its name), starts the
product, and types distinct queries into the search page in Chromium, a key every 120
ms: the beginnings of the folder's own docstrings, the same at every run. A time runs
from the input event of the last key to the first frame after the swap, so that it holds
the debounce, both ways of the network, the server, and the painting: once for what
words and names find, once for the whole order that follows by itself.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import statistics
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.indexed import data_folder, django_source, index_folder
from benchmarks.latency import own_queries
from benchmarks.records import publish
from tests.terminal import Terminal, free_port

QUERIES = 60
WARMING = 5
KEY_MS = 120  # 100 words a minute.
CHUNKS_NAME = "typing"
WORDS, WHOLE = "words and names", "whole order"
# Times of swaps since the last input event, with the query that each answers.
CLOCK = """
let pressed = 0;
window.swaps = [];
addEventListener("input", () => (pressed = performance.now()), true);
document.addEventListener("htmx:after:swap", (event) => {
  const url = new URL(event.detail.ctx.request.action, location.href);
  const kind = document.getElementById("follows") ? "words and names" : "whole order";
  requestAnimationFrame(() => setTimeout(() =>
    window.swaps.push([url.searchParams.get("q"), kind, performance.now() - pressed])));
});
"""


def main() -> None:
    """Measure, print the table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository")
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with data_folder():
        from django.conf import settings

        name = options.repository or index_folder(django_source(), name=CHUNKS_NAME)
        queries = own_queries(name, WARMING + options.queries)
        terminal = Terminal(settings.DATA_DIR, free_port())
        try:
            terminal.wait_for("codesearch is at")
            terminal.read_on()
            times = type_all(terminal.url, queries)
        finally:
            terminal.process.send_signal(signal.SIGINT)
            terminal.process.wait(60)
    table = {kind: line(seen[WARMING:]) for kind, seen in times.items()}
    publish(options, {f"{len(queries) - WARMING} queries typed": table})


def type_all(url: str, queries: Sequence[str]) -> dict[str, list[float]]:
    """Return the milliseconds of each kind of paint, one a query."""
    found: dict[str, list[float]] = {WORDS: [], WHOLE: []}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.add_init_script(CLOCK)
        page.goto(url)
        for query in queries:
            for kind, milliseconds in type_one(page, query).items():
                found[kind].append(milliseconds)
        browser.close()
    return found


def type_one(page: Page, query: str) -> dict[str, float]:
    """Return when each kind of paint was there, in ms after the last key."""
    box = page.get_by_role("combobox", name="Query")
    box.fill("")
    page.wait_for_timeout(KEY_MS)
    page.evaluate("window.swaps = []")
    box.press_sequentially(query, delay=KEY_MS)
    page.wait_for_function(
        "([query, kind]) => swaps.some((one) => one[0] === query && one[1] === kind)",
        arg=[query, WHOLE],
    )
    swaps = page.evaluate("window.swaps")
    return {kind: ms for asked, kind, ms in reversed(swaps) if asked == query}


def line(times: Sequence[float]) -> dict[str, float]:
    """Return the row of one kind of paint."""
    ordered = sorted(times)
    return {
        "p50 ms": statistics.median(ordered),
        "p95 ms": ordered[int(0.95 * (len(ordered) - 1))],
        "most ms": ordered[-1],
    }


if __name__ == "__main__":
    main()
