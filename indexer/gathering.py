"""Gathering: the files of a revision, each read as its path and its content say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from indexer.events import record_event
from indexer.models import Build, BuildEvent
from indexer.pipeline.blobs import BlobReader
from indexer.pipeline.isolation import ParserPool
from indexer.pipeline.marks import comes_first, file_marks
from indexer.pipeline.packing import PackedFile, PlacedFile, from_bytes, pack
from indexer.pipeline.parser_process import Answer, Request
from indexer.pipeline.path_rule import rule_of
from indexer.pipeline.paths import display_path
from indexer.pipeline.reading import load_content, skipped, unread_reason
from indexer.pipeline.types import TreeEntry
from indexer.quarantine import CarefulReader


class Gathering:
    """The files of one build, as far as they are read.

    `entries` are in order of path bytes, and stay so, whenever each is read.
    """

    def __init__(self, build: Build, entries: Sequence[TreeEntry]) -> None:
        self.build = build
        self.entries = entries
        self.chunker: str = build.recipe["chunker"]
        self.index_secrets = build.index.repository.index_secrets
        self.rules = [rule_of(entry) for entry in entries]
        self._read: dict[int, PackedFile] = {}

    def read_all(self, mirror: Path, report: Callable[[int], None]) -> None:
        """Read every file, the most useful first, and report how many are read."""
        unread = self._skip_unread()
        report(len(self._read))
        with BlobReader(mirror) as blobs, ParserPool() as pool:
            requests = self._requests(sorted(unread, key=self._usefulness), blobs)
            for request, answer in CarefulReader(pool).read(requests):
                self._read[request.number] = from_bytes(answer.data)
                if answer.failure:
                    self._tell(self.entries[request.number], answer)
                report(len(self._read))

    def files(self) -> list[PlacedFile]:
        """Return the files that are read so far, in order of path bytes."""
        return [
            PlacedFile(self.entries[number], self._read[number])
            for number in sorted(self._read)
        ]

    def _skip_unread(self) -> list[int]:
        """Put down what is skipped without a look; return the numbers of the rest."""
        unread = []
        for number, entry in enumerate(self.entries):
            reason = unread_reason(entry, index_secrets=self.index_secrets)
            if reason is None:
                unread.append(number)
            else:
                self._read[number] = pack(skipped(self.rules[number], reason))
        return unread

    def _usefulness(self, number: int) -> tuple[bool, bool, int]:
        """Return what files are sorted by: product code first, then by path."""
        is_later = not comes_first(file_marks(self.entries[number].path))
        return is_later, self.rules[number].is_data, number

    def _requests(self, numbers: Sequence[int], blobs: BlobReader) -> Iterator[Request]:
        for number in numbers:
            entry, rule = self.entries[number], self.rules[number]
            yield Request(
                number,
                entry.oid,
                rule,
                load_content(blobs, entry, rule),
                self.chunker,
                self.index_secrets,
            )

    def _tell(self, entry: TreeEntry, answer: Answer) -> None:
        record_event(
            self.build,
            f"Cut by window, because {answer.detail}.",
            level=BuildEvent.Level.WARNING,
            path=display_path(entry.path),
        )
