"""Gathering: the files of a revision, from the cache or read.

What was read of a blob once is found again in every later build, of any repository and
profile, in which it is read by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from indexer.caches import files_cache
from indexer.events import record_event
from indexer.models import Build, BuildEvent
from indexer.pipeline.blobs import BlobReader
from indexer.pipeline.isolation import ParserPool
from indexer.pipeline.languages import has_symbols
from indexer.pipeline.marks import comes_first, file_marks
from indexer.pipeline.packing import PackedFile, PlacedFile, from_bytes, pack
from indexer.pipeline.parser_process import Answer, Request
from indexer.pipeline.path_rule import rule_of
from indexer.pipeline.paths import display_path
from indexer.pipeline.reading import load_content, skipped, unread_reason
from indexer.pipeline.reading_version import file_key
from indexer.pipeline.types import TreeEntry
from indexer.quarantine import CarefulReader

FOUND_AT_ONCE = 1000  # Files that are looked up in the cache together.
KEPT_AT_ONCE = 200  # Files that are read until they are cached: half a second's.


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
        self.reused = 0
        self._cache = files_cache()
        self._read: dict[int, PackedFile] = {}

    def read_all(self, mirror: Path, report: Callable[[int], None]) -> None:
        """Read every file, the most useful first, and report how many are read."""
        unread = self._skip_unread()
        with ParserPool() as pool:
            reader = CarefulReader(pool)
            unread = self._find_cached(unread, reader)
            report(len(self._read))
            with BlobReader(mirror) as blobs:
                self._read_rest(reader, self._requests(unread, blobs), report)

    def _find_cached(self, numbers: Sequence[int], reader: CarefulReader) -> list[int]:
        """Take what the cache has; return the other numbers, most useful first.

        What the parser did not survive once is not taken from it: it is to be told of
        in every build.
        """
        rest = []
        for start in range(0, len(numbers), FOUND_AT_ONCE):
            keys = {n: self._key(n) for n in numbers[start : start + FOUND_AT_ONCE]}
            found = self._cache.find(list(keys.values()))
            for number, key in keys.items():
                if key in found and self.entries[number].oid not in reader.known:
                    self._read[number] = from_bytes(found[key])
                    self.reused += 1
                else:
                    rest.append(number)
        return sorted(rest, key=self._usefulness)

    def _read_rest(
        self,
        reader: CarefulReader,
        requests: Iterator[Request],
        report: Callable[[int], None],
    ) -> None:
        fresh: dict[bytes, bytes] = {}
        for request, answer in reader.read(requests):
            self._read[request.number] = from_bytes(answer.data)
            if answer.failure:
                self._tell(self.entries[request.number], answer)
            else:
                fresh[self._key(request.number)] = answer.data
            if len(fresh) >= KEPT_AT_ONCE:
                self._cache.add(fresh)
                fresh.clear()
            report(len(self._read))
        self._cache.add(fresh)

    def _key(self, number: int) -> bytes:
        return file_key(
            self.entries[number].oid,
            self.rules[number],
            self.chunker,
            index_secrets=self.index_secrets,
        )

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
        rule = self.rules[number]
        is_code = not rule.is_data and has_symbols(rule.named.language or "")
        return is_later, not is_code, number

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
