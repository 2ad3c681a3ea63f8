"""A shared result is compared with what the same query finds now."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from codesearch import services
from codesearch.models import ShareLink
from codesearch.payloads import Payload
from codesearch.rerun import compare_hits
from indexer.access import ANYONE
from indexer.models import Build, Index
from tests.conftest import build_all, run_git


def hit(rank: int, symbol: str, line: int = 1, path: str = "a.py") -> Payload:
    return {
        "rank": rank,
        "repository": "shop",
        "path_url": path,
        "kind": "function",
        "symbol": symbol,
        "start_line": line,
    }


def test_chunks_are_the_same_by_name_whatever_their_lines() -> None:
    then = [hit(1, "a"), hit(2, "b"), hit(3, "c", 5), hit(4, "c", 9), hit(5, "d")]
    now = [hit(1, "b", 7), hit(2, "a"), hit(3, "new"), hit(4, "c", 20), hit(5, "d")]

    rows = compare_hits(then, now)

    assert [(r.hit["symbol"], r.then, r.now, r.change) for r in rows] == [
        ("a", 1, 2, "down"),
        ("b", 2, 1, "up"),
        ("c", 3, 4, "down"),
        ("c", 4, None, "gone"),
        ("d", 5, 5, "same"),
        ("new", None, 3, "new"),
    ]


@pytest.fixture
def link(shop: Build) -> ShareLink:
    return services.share(
        viewer=ANYONE, user=AnonymousUser(), kind="search", query="format money"
    )


def compared(client: Client, link: ShareLink) -> str:
    page = client.get(f"/s/{link.token}", {"again": "1"})
    assert page.status_code == 200
    return page.content.decode()


def test_an_index_that_did_not_change_gives_the_same(
    client: Client, link: ShareLink
) -> None:
    page = compared(client, link)

    count = len(link.record.answer["hits"])
    assert f"<p>{count} the same rank</p>" in page
    assert "Neither the index nor the config is known to have changed." in page
    plain = client.get(f"/s/{link.token}").content.decode()
    assert 'href="?again=1#rerun"' in plain
    assert 'id="rerun"' not in plain


def test_what_moved_and_why_is_told_after_the_index_has_changed(
    client: Client, link: ShareLink, shop: Build
) -> None:
    source = Path(shop.index.repository.source)
    (source / "billing" / "money.py").write_text("def other():\n    return 1\n")
    (source / "new.py").write_text("def format_money_twice():\n    format_money()\n")
    run_git(source, "add", "--all")
    run_git(source, "commit", "--quiet", "--message=Two")
    index = Index.objects.get(pk=shop.index_id)
    build_all(index)

    page = compared(client, link)

    assert "shop was indexed again." in page
    rows = page.partition('id="rerun"')[2].partition("</section>")[0].split("<tr>")
    (row,) = [one for one in rows if ">format_money</a>" in one]
    assert '<td class="num">1</td><td class="num">–</td>' in row
    assert 'c-bad">gone' in row
    (row,) = [one for one in rows if ">format_money_twice</a>" in one]
    assert 'c-ok">new' in row


def test_a_query_that_cannot_be_asked_any_more_says_why(
    client: Client, link: ShareLink
) -> None:
    Index.objects.update(current_build=None)

    page = compared(client, link)

    assert "It cannot be asked again: shop has no index yet" in page
    assert "frozen as it was recorded" in page
