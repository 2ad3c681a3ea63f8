"""A file that the parser does not survive is indexed by window, and not tried again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from indexer import services
from indexer.models import BadBlob, Build
from indexer.pipeline.isolation import IsolatedReader, ParseFailure
from indexer.pipeline.reading import read_source
from indexer.pipeline.types import FileResult, SkipReason, Source, TreeEntry
from tests.conftest import MakeRepository

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("data_dir", "encoder"),
]

CODE = "def pay():\n    return 1\n"

Fail = Callable[[TreeEntry, Source, str], FileResult]
FailOn = Callable[[bytes, Fail, int], list[bytes]]


def hang(entry: TreeEntry, source: Source, chunker: str) -> FileResult:
    raise ParseFailure(SkipReason.PARSE_TIMEOUT, "took longer than 10 s")


def crash(entry: TreeEntry, source: Source, chunker: str) -> FileResult:
    raise ParseFailure(SkipReason.PARSE_CRASH, "the parser ended by signal 9")


def give_up(entry: TreeEntry, source: Source, chunker: str) -> FileResult:
    return read_source(entry, source, chunker, failure=SkipReason.PARSE_TIMEOUT)


@pytest.fixture
def fail_on(monkeypatch: pytest.MonkeyPatch) -> FailOn:
    """Lets one path fail, so many times; returns the paths that were tried."""
    read = IsolatedReader.read

    def arrange(path: bytes, fail: Fail, times: int) -> list[bytes]:
        tried: list[bytes] = []

        def read_or_fail(
            reader: IsolatedReader,
            entry: TreeEntry,
            source: Source,
            chunker: str,
            *,
            index_secrets: bool = False,
        ) -> FileResult:
            tried.append(entry.path)
            if entry.path == path and tried.count(path) <= times:
                return fail(entry, source, chunker)
            return read(reader, entry, source, chunker, index_secrets=index_secrets)

        monkeypatch.setattr(IsolatedReader, "read", read_or_fail)
        return tried

    return arrange


def build_of(source: Path) -> Build:
    index = services.register(name="shop", source=str(source))
    build = services.request_build(index=index, enqueue=False)
    return services.finish_build(build=build)


@pytest.mark.parametrize(
    ("fail", "attempts", "reason"),
    [
        (hang, 1, "parse_timeout"),
        (give_up, 1, "parse_timeout"),
        (crash, 2, "parse_crash"),
    ],
)
def test_a_bad_file_is_cut_by_window_and_remembered_by_its_content(
    make_repository: MakeRepository,
    fail_on: FailOn,
    fail: Fail,
    attempts: int,
    reason: str,
) -> None:
    tried = fail_on(b"bad.py", fail, 9)
    source = make_repository({"bad.py": CODE * 2, "good.py": CODE})

    builds = [build_of(source) for _ in range(2)]

    assert tried == [*[b"bad.py"] * attempts, b"good.py", b"good.py"]
    assert BadBlob.objects.get().reason == reason
    for build in builds:
        assert build.status == "ready"
        ledger = {f.path: (f.mode, f.reason) for f in build.files.all()}
        assert ledger == {"bad.py": ("window", reason), "good.py": ("symbol", "")}


def test_a_crash_is_tried_once_more_before_a_file_is_blamed(
    make_repository: MakeRepository, fail_on: FailOn
) -> None:
    tried = fail_on(b"pay.py", crash, 1)

    build = build_of(make_repository({"pay.py": CODE}))

    assert tried == [b"pay.py", b"pay.py"]
    assert build.files.get().mode == "symbol"
    assert not BadBlob.objects.exists()
