"""A file that the parser does not survive is indexed by window, and not tried again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from indexer import services
from indexer.models import BadBlob, Build
from indexer.pipeline.isolation import ParserPool
from indexer.pipeline.parser_process import Answer, Request, read_request
from indexer.pipeline.types import SkipReason
from tests.conftest import MakeRepository

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("data_dir", "encoder"),
]

CODE = "def pay():\n    return 1\n"
BAD = CODE * 2

Fail = Callable[[Request], Answer]


def hang(request: Request) -> Answer:
    return Answer(b"", SkipReason.PARSE_TIMEOUT, "took longer than 10 s")


def crash(request: Request) -> Answer:
    return Answer(b"", SkipReason.PARSE_CRASH, "the parser ended by signal 9")


def give_up(request: Request) -> Answer:
    read = read_request(request, SkipReason.PARSE_TIMEOUT)
    return Answer(read.data, SkipReason.PARSE_TIMEOUT, "its parser gave up")


@pytest.fixture
def fail_on_bad(monkeypatch: pytest.MonkeyPatch) -> Callable[[Fail], list[bytes]]:
    """Lets what holds BAD fail; returns what the children were given."""
    read = ParserPool.read

    def arrange(fail: Fail) -> list[bytes]:
        tried: list[bytes] = []

        def read_or_fail(
            pool: ParserPool, requests: Iterable[Request]
        ) -> Iterator[tuple[Request, Answer]]:
            for request, answer in read(pool, requests):
                tried.append(request.data)
                bad = request.data == BAD.encode()
                yield request, fail(request) if bad else answer

        monkeypatch.setattr(ParserPool, "read", read_or_fail)
        return tried

    return arrange


def build_of(source: Path) -> Build:
    index = services.register(name="shop", source=str(source))
    build = services.request_build(index=index, enqueue=False)
    return services.finish_build(build=build)


@pytest.mark.parametrize(
    ("fail", "reason", "told"),
    [
        (hang, "parse_timeout", "took longer than 10 s"),
        (give_up, "parse_timeout", "its parser gave up"),
        (crash, "parse_crash", "the parser ended by signal 9"),
    ],
)
def test_a_bad_file_is_cut_by_window_and_remembered_by_its_content(
    make_repository: MakeRepository,
    fail_on_bad: Callable[[Fail], list[bytes]],
    fail: Fail,
    reason: str,
    told: str,
) -> None:
    tried = fail_on_bad(fail)
    source = make_repository({"bad.py": BAD, "good.py": CODE})

    first, second = (build_of(source) for _ in range(2))

    assert tried.count(BAD.encode()) == 1
    assert BadBlob.objects.get().reason == reason
    for build in (first, second):
        assert build.status == "ready"
        ledger = {f.path: (f.mode, f.reason) for f in build.files.all()}
        assert ledger == {"bad.py": ("window", reason), "good.py": ("symbol", "")}
    told_of = [build.events.filter(path="bad.py") for build in (first, second)]
    assert [(one.level, one.text) for events in told_of for one in events] == [
        ("warning", f"Cut by window, because {told}."),
        ("warning", "Cut by window, because it failed before."),
    ]
