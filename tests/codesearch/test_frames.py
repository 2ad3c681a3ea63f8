"""A pasted stack trace: its frames in the indexed files, then what its error finds."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from codesearch.frames import common_steps, resolve_frames
from codesearch.funnel.stack_trace import Frame
from indexer.access import ANYONE
from indexer.models import Build, Repository

TRACE = """Traceback (most recent call last):
  File "/usr/lib/python3.11/runpy.py", line 5, in run
    go()
  File "/srv/app/billing/money.py", line 8, in format_money
    return f"{amount} {locale}"
ValueError: cannot format money
"""


def test_frames_come_first_and_the_error_is_searched(
    client: Client, shop: Build
) -> None:
    page = client.get("/", {"q": TRACE}).content.decode()

    url = f"/r/shop/blob/{shop.revision}/billing/money.py#L8"
    assert f'<a href="{url}">format_money</a>' in page
    assert "1 frame in no indexed file" in page
    assert "/usr/lib/python3.11/runpy.py:5" in page
    assert "<code>ValueError cannot format money</code>" in page
    assert page.index('id="h-frames"') < page.index('id="hits"')


def test_frames_are_shown_to_who_may_read_the_files(
    client: Client, shop: Build
) -> None:
    Repository.objects.update(visibility=Repository.Visibility.STAFF)

    page = client.get("/", {"q": TRACE}).content.decode()

    assert "/r/shop/" not in page
    assert "2 frames in no indexed file" in page


def test_the_answer_as_json_has_the_frames(client: Client, shop: Build) -> None:
    answer = client.get("/", {"q": TRACE, "format": "json"}).json()

    assert answer["frames"] == [
        {
            "path": "/srv/app/billing/money.py",
            "line": 8,
            "name": "format_money",
            "file": {
                "repository": "shop",
                "revision": shop.revision,
                "path": "billing/money.py",
                "path_url": "billing/money.py",
            },
            "chunk": {
                "symbol": "format_money",
                "kind": "function",
                "start_line": 6,
                "end_line": 8,
            },
            "others": 0,
        },
        {
            "path": "/usr/lib/python3.11/runpy.py",
            "line": 5,
            "name": "run",
            "file": None,
            "chunk": None,
            "others": 0,
        },
    ]
    assert answer["query"] == "ValueError cannot format money"


def test_a_long_trace_is_resolved_in_as_many_queries_as_a_short_one(
    shop: Build, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    lines = [Frame("billing/money.py", line, "") for line in range(1, 9)]

    with django_assert_num_queries(3):
        places = resolve_frames(ANYONE, lines)

    named = [place.chunk.symbol if place.chunk else None for place in places]
    assert named[-3:] == ["format_money"] * 3
    assert {place.file.path for place in places if place.file} == {"billing/money.py"}


@pytest.mark.parametrize(
    ("printed", "path", "steps"),
    [
        ("/srv/app/billing/money.py", "billing/money.py", 2),
        ("/srv/app/other/money.py", "billing/money.py", 0),
        ("money.py", "billing/money.py", 1),
        ("/srv/app/money.py", "money.py", 1),
        ("./src/money.rs", "src/money.rs", 2),
        ("a.py", "b.py", 0),
    ],
)
def test_a_path_is_known_by_its_last_steps(printed: str, path: str, steps: int) -> None:
    assert common_steps(printed, path) == steps
