"""A file that hangs, grows or crashes the parser costs one child and no build.

The children are real. What they choke on is a request that does the harm when
it is unpacked there: no grammar that is allowed is known to hang.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexer.pipeline.isolation import ParserPool
from indexer.pipeline.packing import from_bytes, pack, to_bytes
from indexer.pipeline.parser_process import Answer, Request, whole_of
from indexer.pipeline.path_rule import rule_of
from indexer.pipeline.types import SkipReason
from tests.files import entry_of, read_file
from tests.harm import crash_once

ROOT = Path(__file__).resolve().parents[3]
CODE = 'def pay(x):\n    """Pay."""\n    return x\n'
RULE = rule_of(entry_of("money.py", len(CODE)))


class Harm:
    """Calls a function in the process that unpacks it, which gets what it returns."""

    def __init__(self, call: Callable[..., object], *arguments: object) -> None:
        self.call = (call, arguments)

    def __reduce__(self) -> Any:  # Any: what pickle asks for
        return self.call


def ask(number: int, text: str = CODE, rule: Any = RULE) -> Request:  # Any: or harm
    return Request(number, "", rule, text.encode(), "symbol")


def answers(pool: ParserPool, requests: list[Request]) -> dict[int, Answer]:
    """Return what each request was answered with, after a check that it was so once."""
    pairs = list(pool.read(requests))
    found = {request.number: answer for request, answer in pairs}
    assert len(found) == len(pairs)
    return found


@pytest.mark.parametrize("children", [1, 3])
def test_children_read_what_this_process_would_read(children: int) -> None:
    paths = sorted((ROOT / "indexer" / "pipeline").rglob("*.py"))
    texts = [text for path in paths if (text := path.read_text())]

    with ParserPool(children=children) as pool:
        found = answers(pool, [ask(n, text) for n, text in enumerate(texts)])

    expected = [to_bytes(pack(read_file("money.py", text))) for text in texts]
    assert [found[n].data for n in range(len(texts))] == expected


def test_the_whole_result_is_given_to_who_asks_for_it() -> None:
    request = Request(0, "", RULE, CODE.encode(), "symbol", whole=True)

    with ParserPool(children=1) as pool:
        ((_, answer),) = pool.read([request])

    assert whole_of(answer) == read_file("money.py", CODE)


@pytest.mark.parametrize("children", [1, 2])
@pytest.mark.parametrize(
    ("harm", "reason", "detail"),
    [
        (Harm(os.abort), SkipReason.PARSE_CRASH, "the parser ended by signal 6"),
        (Harm(time.sleep, 60), SkipReason.PARSE_TIMEOUT, "took longer than 1 s"),
        (Harm(bytearray, 1 << 36), SkipReason.PARSE_CRASH, "took more than 2048 MiB"),
    ],
)
def test_a_bad_file_takes_the_result_of_no_other_with_it(
    harm: Harm, reason: SkipReason, detail: str, children: int
) -> None:
    requests = [ask(n, rule=harm if n == 7 else RULE) for n in range(40)]

    with ParserPool(children=children, seconds=1.0) as pool:
        found = answers(pool, requests)

    assert found.pop(7) == Answer(b"", reason, detail)
    assert sorted(found) == [n for n in range(40) if n != 7]
    assert {from_bytes(one.data).symbols[0] for one in found.values()} == {"pay"}


def test_a_crash_is_tried_once_more_before_a_file_is_blamed(tmp_path: Path) -> None:
    harm = Harm(crash_once, tmp_path / "crashed", RULE)

    with ParserPool(children=1) as pool:
        found = answers(pool, [ask(0, rule=harm), ask(1)])

    assert (tmp_path / "crashed").exists()
    assert found[0] == found[1]
    assert found[0].failure is None


def test_no_child_outlives_its_pool() -> None:
    with ParserPool(children=2) as pool:
        answers(pool, [ask(n) for n in range(40)])
        children = list(pool._children)

    assert len(children) == 2
    assert all(child._process.returncode is not None for child in children)


def test_a_few_files_start_one_child() -> None:
    with ParserPool(children=2) as pool:
        answers(pool, [ask(n) for n in range(10)])

        assert len(pool._children) == 1
