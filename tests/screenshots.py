"""Pictures of every page, for review: light, dark and on a phone, with an index.

`make screenshots`, or `python -m tests.screenshots --out FOLDER`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Page as Tab

from tests.conftest import ROOT, find_browser, pytest_unconfigure
from tests.furnished import Furnished, furnished_sites
from tests.looking import FLAGS, PHONE, WIDE, choose_theme, open_tab, show_all
from tests.pages import PAGES, Page

LOOKS = (("light", "light", WIDE), ("dark", "dark", WIDE), ("phone", "light", PHONE))
INDEX = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Screenshots of codesearch</title>
<style>body {{ font-family: sans-serif }}
li {{ display: grid; grid-template-columns: 4fr 4fr 1.2fr; gap: 8px }}
h2 {{ grid-column: 1 / -1 }} img {{ width: 100%; border: 1px solid gray }}
</style></head><body><h1>{count} pages</h1><ul>{rows}</ul></body></html>
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Take the pictures and say how many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "screenshots")
    parser.add_argument("--only", default="", metavar="NAME", help="how names begin")
    options = parser.parse_args(arguments)
    pages = [page for page in PAGES if page.name.startswith(options.only)]
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            furnished_sites(Path(folder)) as sites,
        ):
            count = sum(1 for _ in take(pages, sites, out))
    finally:
        pytest_unconfigure()
    (out / "index.html").write_text(index_of(pages))
    print(f"{count} pictures of {len(pages)} pages: {out / 'index.html'}")  # noqa: T201


def take(
    pages: Sequence[Page], sites: Mapping[str, Furnished], out: Path
) -> Iterator[Path]:
    """Take and yield three pictures of each page."""
    path = find_browser()
    if path is None:
        raise SystemExit("There is no chromium here: install it first.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        for page in pages:
            yield from take_page(browser, sites[page.site], page, out)
        browser.close()


def take_page(
    browser: Browser, site: Furnished, page: Page, out: Path
) -> Iterator[Path]:
    """Take the pictures of one page, which is opened once."""
    with open_tab(browser, site, page.viewer) as tab:
        tab.goto(site.url.rstrip("/") + page.address(site.facts))
        for look, theme, width in LOOKS:
            yield picture(tab, theme, width, out / f"{page.name}-{look}.png")


def picture(tab: Tab, theme: str, width: int, path: Path) -> Path:
    """Take the picture of a whole page in one theme."""
    choose_theme(tab, theme)
    show_all(tab, width)
    tab.wait_for_load_state("networkidle")
    show_all(tab, width)
    tab.screenshot(path=path, full_page=True)
    return path


def index_of(pages: Sequence[Page]) -> str:
    """Return a page on which the pictures of each page stand side by side."""
    rows = "".join(
        f"<li><h2>{page.name}: {escape(page.path)}</h2>"
        + "".join(
            f'<a href="{page.name}-{look}.png"><img loading="lazy"'
            f' src="{page.name}-{look}.png" alt="{page.name}, {look}"></a>'
            for look, _, _ in LOOKS
        )
        + "</li>"
        for page in pages
    )
    return INDEX.format(count=len(pages), rows=rows)


if __name__ == "__main__":
    main()
