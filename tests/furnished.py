"""A running site with something on every page, and one where nothing is indexed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.codesearch.conftest import FILES
from tests.conftest import ROOT, commit_files, run_git
from tests.terminal import Terminal, free_port

FURNISH = "import json; from tests.furnishing import {0}; print(json.dumps({0}({1})))"
LONG = "a_name_that_goes_on_" * 20
# Names and lines that a page may break at, or take for its own.
PATHS: dict[str, str | bytes] = {
    "<img src=x onerror=alert(1)>.py": 'def pay():\n    """Pay a bill."""\n',
    "quote\"'<b>&.py": "def refund(bill):\n    return -bill\n",
    "\u202egnp.py": "BACKWARDS = 1\n",
    "a?b#c;d.py": "def query_of(address):\n    return address\n",
    "/".join(f"folder_{number:02}" for number in range(30)) + "/leaf.py": (
        f'def leaf():\n    """Far below."""\n    return "{LONG}"\n'
    ),
    "long.py": f'def {LONG}(first, second):\n    """{LONG}"""\n    return "{LONG}"\n',
}


@dataclass(frozen=True, slots=True)
class Furnished:
    """A running site: where it is, and what the addresses of its pages need.

    Of `facts` those that are called as a viewer are the cookies of their sessions.
    """

    url: str
    facts: Mapping[str, str]


@contextmanager
def furnished_sites(folder: Path) -> Iterator[Mapping[str, Furnished]]:
    """Run the furnished site and the empty one until the block ends."""
    sources = make_sources(folder)
    with (
        _running(folder / "furnished", "furnish", sources) as furnished,
        _running(folder / "empty", "furnish_empty") as empty,
    ):
        yield {"furnished": furnished, "empty": empty}


def make_sources(folder: Path) -> dict[str, str]:
    """Make the repositories; return their folders by name."""
    engine = ROOT / "codesearch" / "funnel"
    texts = {one.name: one.read_bytes() for one in sorted(engine.glob("*.py"))}
    made: tuple[tuple[str, Mapping[str, str | bytes]], ...] = (
        ("shop", FILES),
        ("paths", PATHS),
        ("engine", texts),
    )
    for name, files in made:
        place = folder / name
        place.mkdir(parents=True)
        run_git(place, "init", "--quiet", "--initial-branch=main")
        commit_files(place, files)
    shop = folder / "shop"
    run_git(shop, "tag", "v1")
    more = "\ndef tax_of(amount):\n    return amount * RATE\n"
    commit_files(shop, {"billing/money.py": f"{FILES['billing/money.py']}{more}"})  # type: ignore[str-bytes-safe] # it is text
    return {name: str(folder / name) for name, _ in made}


@contextmanager
def _running(folder: Path, furnish: str, *arguments: object) -> Iterator[Furnished]:
    """Run a site whose worker rests, furnished by one function of `furnishing`."""
    site = Terminal(folder, free_port())
    worker = 0
    try:
        site.wait_for("codesearch is at")
        site.read_on()
        worker = site.children()["celery"]
        os.kill(worker, signal.SIGSTOP)
        code = FURNISH.format(furnish, ", ".join(map(repr, arguments)))
        printed = site.manage("shell", "--verbosity=0", "--command", code)
        yield Furnished(site.url, json.loads(printed.splitlines()[-1]))
    finally:
        if worker:
            os.kill(worker, signal.SIGCONT)
        site.process.send_signal(signal.SIGINT)
        site.process.wait()
