"""A file that the parser does not survive is indexed by window, and not tried again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from indexer import services
from indexer.models import BadBlob, Build
from indexer.pipeline.isolation import IsolatedReader, ParseFailure
from indexer.pipeline.reading import read_source
from indexer.pipeline.types import FileResult, SkipReason, Source, TreeEntry
from tests.conftest import MakeRepository

pytestmark = pytest.mark.django_db


def die(entry: TreeEntry, source: Source, chunker: str) -> FileResult:
    raise ParseFailure(SkipReason.PARSE_TIMEOUT, "took longer than 10 s")


def give_up(entry: TreeEntry, source: Source, chunker: str) -> FileResult:
    return read_source(entry, source, chunker, failure=SkipReason.PARSE_TIMEOUT)


@pytest.mark.parametrize("fail", [die, give_up])
@pytest.mark.usefixtures("data_dir", "encoder")
def test_a_bad_file_is_cut_by_window_and_remembered_by_its_content(
    make_repository: MakeRepository,
    monkeypatch: pytest.MonkeyPatch,
    fail: Callable[[TreeEntry, Source, str], FileResult],
) -> None:
    tried: list[bytes] = []
    read = IsolatedReader.read

    def read_or_hang(
        reader: IsolatedReader,
        entry: TreeEntry,
        source: Source,
        chunker: str,
        *,
        index_secrets: bool = False,
    ) -> FileResult:
        tried.append(entry.path)
        if entry.path == b"bad.py":
            return fail(entry, source, chunker)
        return read(reader, entry, source, chunker, index_secrets=index_secrets)

    monkeypatch.setattr(IsolatedReader, "read", read_or_hang)
    code = "def pay():\n    return 1\n"
    source = make_repository({"bad.py": code * 2, "good.py": code})
    index = services.register(name="shop", source=str(source))

    builds: list[Build] = [
        services.finish_build(build=services.request_build(index=index, enqueue=False))
        for _ in range(2)
    ]

    assert tried == [b"bad.py", b"good.py", b"good.py"]
    assert BadBlob.objects.get().reason == "parse_timeout"
    for build in builds:
        assert build.status == "ready"
        ledger = {f.path: (f.mode, f.reason) for f in build.files.all()}
        assert ledger == {
            "bad.py": ("window", "parse_timeout"),
            "good.py": ("symbol", ""),
        }


@pytest.mark.usefixtures("data_dir", "encoder")
def test_a_crash_is_tried_once_more_before_a_file_is_blamed(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[bytes] = []
    read = IsolatedReader.read

    def crash_once(
        reader: IsolatedReader,
        entry: TreeEntry,
        source: Source,
        chunker: str,
        *,
        index_secrets: bool = False,
    ) -> FileResult:
        tried.append(entry.path)
        if len(tried) == 1:
            raise ParseFailure(SkipReason.PARSE_CRASH, "the parser ended by signal 9")
        return read(reader, entry, source, chunker, index_secrets=index_secrets)

    monkeypatch.setattr(IsolatedReader, "read", crash_once)
    source = make_repository({"pay.py": "def pay():\n    return 1\n"})
    index = services.register(name="shop", source=str(source))

    build = services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )

    assert tried == [b"pay.py", b"pay.py"]
    assert build.files.get().mode == "symbol"
    assert not BadBlob.objects.exists()
