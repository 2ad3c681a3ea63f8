"""The cases of `tests/cases/web` of many requests at once, and of the broker."""

from __future__ import annotations

import http.client
import pickle
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from os import kill
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import urlencode, urlsplit

import pytest
from kombu.connection import Connection
from playwright.sync_api import Browser

from tests.codesearch.conftest import FILES
from tests.conftest import MakeRepository, run_git
from tests.e2e.people import peopled_site, sign_in
from tests.terminal import Terminal

QUERIES = 50
CLICKS = 20
PATIENCE = 60.0  # Seconds, for what comes after a worker was held.

Answer = tuple[int, dict[str, str], str]


@pytest.fixture(scope="module")
def folder(make_repository: MakeRepository) -> Path:
    """What the shop is fetched from."""
    return make_repository(FILES)


@pytest.fixture(scope="module")
def shop(
    browser_path: str, tmp_path_factory: pytest.TempPathFactory, folder: Path
) -> Iterator[Terminal]:
    """A site with the shop and people."""
    data = tmp_path_factory.mktemp("load") / "data"
    with peopled_site(data, {"shop": folder}) as site:
        yield site


def ask(site: Terminal, address: str, cookies: str = "", **form: str) -> Answer:
    """Ask as a browser with these cookies does; a form is posted."""
    connection = http.client.HTTPConnection(urlsplit(site.url).netloc, timeout=120)
    headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
    method = "POST" if form else "GET"
    connection.request(method, address, urlencode(form) or None, headers)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, dict(answer.getheaders()), body


def statuses(site: Terminal, name: str) -> list[str]:
    """Return the statuses of the builds of a repository, the oldest first."""
    path = site.data / "db.sqlite3"
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        rows = connection.execute(
            "SELECT b.status FROM indexer_build b"
            " JOIN indexer_index i ON i.id = b.index_id"
            " JOIN indexer_repository r ON r.id = i.repository_id"
            " WHERE r.name = ? ORDER BY b.id",
            [name],
        )
        return [row[0] for row in rows]


def wait_until(is_so: Callable[[], bool]) -> None:
    ends = monotonic() + PATIENCE
    while not is_so():
        assert monotonic() < ends
        sleep(0.2)


def test_dos_concurrent_queries_are_answered_or_asked_to_come_back(
    shop: Terminal,
) -> None:
    asked = [f"/?q=format+money+{number}" for number in range(QUERIES)]

    with ThreadPoolExecutor(QUERIES) as threads:
        answers = list(threads.map(lambda address: ask(shop, address), asked))

    counts = Counter(status for status, _, _ in answers)
    assert set(counts) <= {200, 429}
    assert counts[200] > 0
    for status, headers, body in answers:
        if status == 429:
            assert int(headers["Retry-After"]) > 0
            assert "The server is busy with other searches" in body
        else:
            assert "format_money" in body
    status, _, body = ask(shop, "/?q=format+money")
    assert status == 200
    assert "format_money" in body


def test_dos_concurrent_clicks_make_one_build_and_the_old_index_answers(
    shop: Terminal, folder: Path, browser: Browser
) -> None:
    page = sign_in(shop, browser.new_page(), "sam")
    page.wait_for_url(shop.url)
    cookies = {one["name"]: one["value"] for one in page.context.cookies()}
    sent = "; ".join(f"{name}={value}" for name, value in cookies.items())
    page.close()
    worker = shop.children()["celery"]
    (folder / "later.py").write_text("def found_later():\n    return 1\n")
    run_git(folder, "add", "--all")
    run_git(folder, "commit", "--quiet", "--message=Two")

    def click(action: str) -> int:
        address = f"/repositories/shop/{action}/"
        token = cookies["csrftoken"]
        return ask(shop, address, sent, csrfmiddlewaretoken=token)[0]

    kill(worker, signal.SIGSTOP)  # So that all clicks meet an unfinished build.
    try:
        with ThreadPoolExecutor(CLICKS) as threads:
            clicked = list(threads.map(click, ["build"] * CLICKS))
        assert clicked == [302] * CLICKS
        assert statuses(shop, "shop") == ["ready", "queued"]
        assert "format_money" in ask(shop, "/?q=format+money")[2]
        assert click("cancel") == 302
        assert statuses(shop, "shop") == ["ready", "cancelled"]
        assert click("build") == 302
    finally:
        kill(worker, signal.SIGCONT)

    wait_until(lambda: statuses(shop, "shop") == ["ready", "cancelled", "ready"])
    assert "found_later" in ask(shop, "/?q=found_later")[2]


class Harm:
    """What a message may hold that is unpickled: it runs a command."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, str]]:
        return open, (str(self.path), "w")


def test_celery_pickle_is_refused_and_the_worker_goes_on(
    shop: Terminal, folder: Path, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    address = shop.manage(
        "shell",
        *("--verbosity", "0", "--command"),
        "from django.conf import settings; print(settings.CELERY_BROKER_URL)",
    )
    connection = Connection(address.strip())  # type: ignore[no-untyped-call]
    with connection as broker, broker.Producer() as producer:
        producer.publish(
            pickle.dumps([[Harm(made)], {}, {}]),
            routing_key="celery",
            content_type="application/x-python-serialize",
            content_encoding="binary",
            headers={"task": "indexer.tasks.resume_builds", "id": "1", "lang": "py"},
        )

    wait_until(lambda: "ContentDisallowed" in "".join(shop.lines))
    shop.manage("index", str(folder), "--name", "again", "--wait")
    assert not made.exists()
    assert statuses(shop, "again") == ["ready"]


def test_celery_pickle_has_no_way_in_but_the_broker_of_this_machine() -> None:
    compose = (Path(__file__).parents[2] / "docker-compose.yml").read_text()
    broker = compose.split("\n  redis:\n")[1].split("\n\n")[0]

    assert "ports:" not in broker
    assert "--requirepass" in broker
