"""Gathering: the files of a revision, from the cache or read.

What was read of a blob once is found again in every later build, of any repository and
profile, in which it is read by the same rule.
"""

from __future__ import annotations

import time
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
from indexer.pipeline.reading import content_limit, skipped, unread_reason
from indexer.pipeline.reading_version import file_key
from indexer.pipeline.types import TreeEntry
from indexer.quarantine import CarefulReader, bad_blobs

FOUND_AT_ONCE = 1000  # Files that are looked up in the cache together.
STEP_SECONDS = 45.0  # Of reading; a step of a build must end within two minutes.
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
        self._cache = files_cache()
        self._read: dict[int, PackedFile] = {}

    def find_cached(self) -> int:
        """Take what the cache has, and what is skipped unread; return how many it had.

        What the parser did not survive once is not taken from it: that is to be told of
        in every build.
        """
        unread = self._skip_unread()
        known_bad = bad_blobs()
        for start in range(0, len(unread), FOUND_AT_ONCE):
            keys = {n: self._key(n) for n in unread[start : start + FOUND_AT_ONCE]}
            found = self._cache.find(list(keys.values()))
            for number, key in keys.items():
                if key in found and self.entries[number].oid not in known_bad:
                    self._read[number] = from_bytes(found[key])
        return len(self._read) - len(self.entries) + len(unread)

    def read_rest(self, mirror: Path, report: Callable[[int], None]) -> bool:
        """Read the other files, the most useful first; return whether that is all.

        Reports how many are read. It ends early when a step has taken its time and what
        was read is in the cache, where the next one finds it.
        """
        report(len(self._read))
        rest = [n for n in range(len(self.entries)) if n not in self._read]
        rest.sort(key=self._usefulness)
        ends = time.monotonic() + STEP_SECONDS
        fresh: dict[bytes, bytes] = {}
        with BlobReader(mirror) as blobs, ParserPool() as pool:
            requests = self._requests(rest, blobs)
            for request, answer in CarefulReader(pool).read(requests):
                self._take(request.number, answer, fresh)
                if len(fresh) >= KEPT_AT_ONCE:
                    is_kept = self._keep(fresh)
                    if is_kept and time.monotonic() > ends:
                        return False
                report(len(self._read))
        self._keep(fresh)
        return True

    def _take(self, number: int, answer: Answer, fresh: dict[bytes, bytes]) -> None:
        """Put down what was read of a file, and in `fresh` what is to be cached."""
        self._read[number] = from_bytes(answer.data)
        if answer.failure:
            self._tell(self.entries[number], answer)
        else:
            fresh[self._key(number)] = answer.data

    def _keep(self, fresh: dict[bytes, bytes]) -> bool:
        """Cache what was read; return whether it is found there."""
        self._cache.add(fresh)
        is_kept = len(self._cache.find(list(fresh))) == len(fresh)
        fresh.clear()
        return is_kept

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
        wanted = [
            (self.entries[number].oid, content_limit(self.rules[number]))
            for number in numbers
        ]
        for number, data in zip(numbers, blobs.read_many(wanted), strict=True):
            yield Request(
                number,
                self.entries[number].oid,
                self.rules[number],
                data,
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
