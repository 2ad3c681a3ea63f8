"""A file that hangs, grows or crashes the parser costs one child and no build.

The children are real. What they choke on is a request that does the harm when
it is unpacked there: no grammar that is allowed is known to hang.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from indexer.pipeline.isolation import IsolatedReader, ParseFailure
from indexer.pipeline.reading import read_source
from indexer.pipeline.types import SkipReason, Source, TreeEntry

ENTRY = TreeEntry(path=b"money.py", mode="100644", oid="0" * 40, size=30)
SOURCE = Source('def pay(x):\n    """Pay."""\n    return x\n', "utf-8")


class Harm:
    """Calls a function in the process that unpacks it."""

    def __init__(self, call: Callable[..., object], *arguments: object) -> None:
        self.call = (call, arguments)

    def __reduce__(self) -> Any:  # Any: what pickle asks for
        return self.call


def read_harm(reader: IsolatedReader, harm: Harm) -> SkipReason:
    with pytest.raises(ParseFailure) as caught:
        reader.read(harm, SOURCE, "symbol")  # type: ignore[arg-type]  # the harm
    return caught.value.reason


def test_the_child_reads_what_this_process_would_read() -> None:
    with IsolatedReader() as reader:
        found = [reader.read(ENTRY, SOURCE, "symbol") for _ in range(3)]

    assert found == [read_source(ENTRY, SOURCE, "symbol")] * 3


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (Harm(os.abort), SkipReason.PARSE_CRASH),
        (Harm(time.sleep, 60), SkipReason.PARSE_TIMEOUT),
        (Harm(bytearray, 1 << 36), SkipReason.PARSE_CRASH),
    ],
)
def test_a_bad_file_is_named_and_the_next_one_is_read(
    harm: Harm, reason: SkipReason
) -> None:
    with IsolatedReader(seconds=1.0) as reader:
        assert read_harm(reader, harm) == reason
        assert len(reader.read(ENTRY, SOURCE, "symbol").chunks) == 1


def test_no_child_outlives_its_reader() -> None:
    with IsolatedReader() as reader:
        reader.read(ENTRY, SOURCE, "symbol")
        child = reader._child

    assert child is not None
    assert child.returncode is not None
