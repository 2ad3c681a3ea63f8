"""A trace is copied as a command that makes it again, and checks itself in scripts."""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from codesearch.management.commands.trace import Command
from codesearch.pages.links import Scope
from codesearch.pages.trace.export import trace_command
from indexer.models import Build
from tests.codesearch.conftest import FILES
from tests.codesearch.example_payload import make_target, make_trace
from tests.conftest import ROOT, MakeRepository

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
QUERY = "-v 'format money' for $(a) locale"


@given(WORDS, WORDS)
def test_a_copied_command_is_read_as_it_was_asked(query: str, target: str) -> None:
    settings = (("pool", "214"), ("off", "body"))
    scope = Scope(query, profile="symbol", settings=settings)
    payload = make_trace(make_target(target=target))

    words = shlex.split(trace_command(payload, scope))

    assert words[:3] == ["python", "manage.py", "trace"]
    asked = Command().create_parser("manage.py", "trace").parse_args(words[3:])
    assert (asked.query, asked.target) == (query, [target])
    assert (asked.repository, asked.profile) == (["shop"], "symbol")
    assert asked.knobs == ["pool=214", "off=body"]
    assert asked.json


def shown(page: str, label: str) -> str:
    """Return the text of the box with a label."""
    found = re.search(f'aria-label="{label}">(.*?)</pre>', page, re.DOTALL)
    assert found
    return html.unescape(found[1])


def test_the_page_has_both_commands_as_text_and_the_runs_as_links(
    client: Client, shop: Build
) -> None:
    wish = {"q": QUERY, "target": "Report.send", "pool": "150"}

    page = client.get("/trace/", wish).content.decode()

    command = shlex.split(shown(page, "The trace as a command"))
    assert command[2:] == [
        "trace",
        "--target=Report.send",
        "--repository=shop",
        "--set=pool=150",
        "--json",
        "--",
        QUERY,
    ]
    curl, address = shlex.split(shown(page, "The trace as a curl command"))
    assert (curl, address[:24]) == ("curl", "http://testserver/trace/")
    found = client.get(address).json()
    assert found["query"] == QUERY
    assert found["settings"] == [["pool", "150"]]
    (run,) = re.findall(r'href="([^"]*stage=bm25[^"]*)"', page)
    assert client.get(html.unescape(run)).content.startswith(b"1 Q0 shop@")


def test_a_shared_trace_has_its_own_address_and_runs(
    client: Client, shop: Build
) -> None:
    wish = {"kind": "trace", "q": "format money", "target": "Report.send"}
    answer = client.post("/share/", wish, follow=True)

    page = answer.content.decode()

    token = answer.redirect_chain[0][0]
    _, address = shlex.split(shown(page, "The trace as a curl command"))
    assert address == f"http://testserver{token}?format=json"
    assert f'href="{token}?format=trec&amp;stage=rerank"' in page


def run(data: Path, *arguments: str) -> tuple[int, str, str]:
    """Run a command in a process of its own, without a model."""
    environment = os.environ | {
        "CODESEARCH_DATA": str(data),
        "CODESEARCH_MODEL": "none",
    }
    done = subprocess.run(  # noqa: S603 - our own interpreter and command
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_exit_codes_of_real_processes(
    tmp_path: Path, make_repository: MakeRepository
) -> None:
    source = make_repository(FILES)
    data = tmp_path / "data"
    assert run(data, "migrate", "--verbosity=0")[0] == 0
    assert run(data, "index", str(source), "--name", "shop", "--wait")[0] == 0
    scope = Scope("-v 'format money' $(a)")
    payload = make_trace(make_target(target="format_money"))
    copied = shlex.split(trace_command(payload, scope))[2:]

    kept = run(data, *copied)
    met = run(
        data, "trace", "format money", "--target=format_money", "--assert=on_page"
    )
    failed = run(
        data,
        *("trace", "format money lang:go", "--target=format_money"),
        *("--target=logo.png", "--assert=in_leg"),
    )
    ambiguous = run(data, "trace", "money", "--target=send")

    assert kept[0] == 0
    assert json.loads(kept[1])["query"] == scope.query
    assert met[0] == 0
    assert failed[0] == 1
    assert failed[2].strip() == (
        "CommandError: not in_leg: format_money (died at the scope: filter:lang),"
        " logo.png (died at the corpus: skipped:binary)"
    )
    assert ambiguous[0] == 2
    assert "billing/exports.py" in ambiguous[1]
