"""One file at a pinned revision: as a page, and as plain text that stays plain."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from indexer import files
from indexer.files import FileView
from indexer.models import Chunk
from indexer.outside import Outside
from tests.codesearch.example_payload import REVISION

BASE = f"/r/shop/blob/{REVISION}/"


def make_file(**more: Any) -> FileView:  # Any: fields of the record
    fields: dict[str, Any] = {
        "repository": "shop",
        "revision": REVISION,
        "path": "shop/money.py",
        "path_url": "shop/money.py",
        "language": "python",
        "text": "\n\ndef f():\n    return '<b>'\n",
        "lines": 4,
        "size": 30,
        "encoding": "utf-8",
        "reason": "",
        "is_current": True,
        "searched": REVISION,
        "newest": "",
        "fetched_at": None,
        "committed_at": None,
        "chunks": [Chunk(symbol="f", kind="function", start_line=3, end_line=4)],
    }
    return FileView(**(fields | more))


@pytest.fixture(autouse=True)
def one_file(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    """Every file is the example."""
    show(monkeypatch, make_file())


def show(monkeypatch: pytest.MonkeyPatch, file: FileView | None) -> None:
    monkeypatch.setattr(files, "read_file", lambda *wish: file)


def test_every_line_has_a_number_that_is_a_link(client: Client) -> None:
    page = client.get(BASE + "shop/money.py").content.decode()

    assert '<tr id="L4">' in page
    assert 'href="#L4"' in page
    assert '<tr id="L5">' not in page
    assert "&lt;b&gt;" in page


@pytest.mark.parametrize("page", ["blob", "raw"])
def test_a_path_may_hold_a_line_break(client: Client, page: str) -> None:
    response = client.get(f"/r/shop/{page}/{REVISION}/names/new%0Aline.py")

    assert response.status_code == 200


def test_the_outline_leads_to_the_lines_of_each_chunk(client: Client) -> None:
    page = client.get(BASE + "shop/money.py").content.decode()

    assert 'href="#L3-L4"' in page
    assert '<tr id="L3"><td class="code__no"><span id="L3-L4"></span>' in page


def test_chunk_boundaries_are_shown_on_demand(client: Client) -> None:
    plain = client.get(BASE + "shop/money.py").content
    shown = client.get(BASE + "shop/money.py", {"chunks": "1"}).content

    assert b"chunk: f" not in plain
    assert b"chunk: f, function, lines 3" in shown


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("shop/a%20b.py", b"shop/a b.py"),
        ("caf%C3%A9.py", b"caf\xc3\xa9.py"),
        ("bad%FFname.py", b"bad\xffname.py"),
        ("a%25FF.py", b"a%FF.py"),
        ("a%23b%3Fc.py", b"a#b?c.py"),
    ],
)
def test_a_path_is_read_as_the_bytes_that_were_asked_for(
    client: Client, monkeypatch: pytest.MonkeyPatch, address: str, path: bytes
) -> None:
    def read_file(viewer: object, name: str, revision: str, wish: bytes) -> Any:
        return make_file() if wish == path else None

    monkeypatch.setattr(files, "read_file", read_file)

    assert client.get(BASE + address).status_code == 200


def test_a_file_out_of_reach_is_not_found(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(monkeypatch, None)

    assert client.get(BASE + "secret.py").status_code == 404


def test_an_older_revision_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(monkeypatch, make_file(is_current=False, searched="f" * 40))

    page = client.get(BASE + "shop/money.py").content.decode()

    assert "Not the revision that is searched." in page
    assert f'<a href="/r/shop/blob/{"f" * 40}/shop/money.py">' in page


def test_a_revision_without_an_index_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(monkeypatch, make_file(is_current=False, searched=None))

    page = client.get(BASE + "shop/money.py").content.decode()

    assert "has no index yet" in page


def test_the_newest_fetched_revision_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched_at = timezone.now() - timedelta(minutes=5)
    show(monkeypatch, make_file(newest=REVISION, fetched_at=fetched_at))
    newest = client.get(BASE + "shop/money.py").content.decode()
    show(monkeypatch, make_file(newest=REVISION, fetched_at=timezone.now()))
    now = client.get(BASE + "shop/money.py").content.decode()
    show(monkeypatch, make_file(newest="f" * 40, fetched_at=fetched_at))
    other = client.get(BASE + "shop/money.py").content.decode()

    assert ", the newest, fetched 5 minutes ago" in newest
    assert ", the newest, fetched just now" in now
    assert "the newest" not in other


def test_a_skipped_file_says_why(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(monkeypatch, make_file(text=None, lines=0, reason="too_large", chunks=[]))

    assert b"Not indexed: too large." in client.get(BASE + "shop/money.py").content


def test_raw_is_plain_text_whatever_the_file_is(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(monkeypatch, make_file(path="shop/a\n“b”.html", text="<script>1</script>"))

    response = client.get(f"/r/shop/raw/{REVISION}/shop/x.html")

    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"].startswith("attachment; filename")
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response.content == b"<script>1</script>"


def test_raw_of_a_file_without_text_is_not_found(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(monkeypatch, make_file(text=None, lines=0, reason="binary", chunks=[]))

    assert client.get(f"/r/shop/raw/{REVISION}/logo.bin").status_code == 404


def test_unseen_characters_of_a_path_are_written_out(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(monkeypatch, make_file(path="shop/a\u202eb.py"))

    page = client.get(BASE + "x").content.decode()

    assert "U+202E" in page


def test_unseen_characters_earn_a_badge_and_are_copied_as_they_are(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(monkeypatch, make_file(text="a = 1  # \u202e\u2066\n"))

    page = client.get(BASE + "x").content.decode()

    assert "Unseen characters." in page
    assert "The text holds 2 that cannot be seen" in page
    assert '<span class="ctrl" data-code="U+202E"><bdi>\u202e</bdi></span>' in page


def test_a_plain_file_has_no_badge(client: Client) -> None:
    assert b"Unseen characters." not in client.get(BASE + "x").content


def test_a_long_file_is_shown_by_ranges_that_reach_every_line(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(f"x{number} = 0\n" for number in range(1, 12_001))
    chunk = Chunk(symbol="f", kind="function", start_line=7000, end_line=7002)
    show(monkeypatch, make_file(text=text, lines=12_000, chunks=[chunk]))

    first = client.get(BASE + "x").content.decode()
    second = client.get(BASE + "x", {"lines": "5001-10000"}).content.decode()

    assert "Lines 1 to 5,000 of 12,000 are shown." in first
    assert '<tr id="L5000">' in first
    assert '<tr id="L5001">' not in first
    assert f'href="{BASE}shop/money.py?lines=5001-10000#L7000-L7002"' in first
    assert '<tr id="L5001">' in second
    assert '<tr id="L10000">' in second
    assert '<tr id="L10001">' not in second
    assert 'href="#L7000-L7002"' in second


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("2-3", [2, 3]),
        ("3-2", [2, 3]),
        ("4-99999999", [4]),
        ("0-1", [1]),
        ("x", [1, 2, 3, 4]),
        ("99-100", [4]),
    ],
)
def test_lines_that_are_asked_for_are_held_to_the_file(
    client: Client, asked: str, shown: list[int]
) -> None:
    page = client.get(BASE + "x", {"lines": asked}).content.decode()

    assert [n for n in range(1, 5) if f'<tr id="L{n}">' in page] == shown


@pytest.mark.parametrize(
    ("asked", "place"),
    [("3", "#L3"), ("2-4", "#L2-L4"), ("L4:2", "#L2-L4"), ("99", "#L4")],
)
def test_a_line_can_be_gone_to_without_a_script(
    client: Client, asked: str, place: str
) -> None:
    response = client.get(BASE + "x", {"line": asked})

    assert response.status_code == 302
    assert response["Location"] == f"{BASE}shop/money.py{place}"


def test_what_is_no_line_is_said(client: Client) -> None:
    page = client.get(BASE + "x", {"line": "end"}).content.decode()

    assert "“end” is no line, such as 12 or 12-20." in page
    assert 'aria-invalid="true"' in page


def test_each_folder_of_the_path_is_a_link(client: Client) -> None:
    page = client.get(BASE + "x").content.decode()

    assert f'<a href="/r/shop/tree/{REVISION}/shop">shop</a>' in page
    assert f'<a href="/r/shop/tree/{REVISION}/" aria-label="Root folder">' in page


def test_a_file_can_be_opened_on_its_host_and_in_an_editor(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = Outside(
        "https://git.example.org/a.py#L{line}", "vscode://file//src/a.py:{line}"
    )
    show(monkeypatch, make_file(outside=outside))

    page = client.get(BASE + "x").content.decode()

    assert 'href="https://git.example.org/a.py#L1"' in page
    assert 'data-template="https://git.example.org/a.py#L{line}"' in page
    assert ">Open on git.example.org</a>" in page
    assert 'href="vscode://file//src/a.py:1"' in page


def test_a_file_without_a_known_host_has_no_such_links(client: Client) -> None:
    page = client.get(BASE + "x").content

    assert b"Open on" not in page
    assert b"Open in editor" not in page
