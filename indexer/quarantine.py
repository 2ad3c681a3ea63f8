"""Quarantine: content that hung or crashed the parser is not given to it again."""

from __future__ import annotations

import logging

from indexer.models import BadBlob
from indexer.pipeline.isolation import IsolatedReader, ParseFailure
from indexer.pipeline.parsing import grammars_version
from indexer.pipeline.reading import read_source
from indexer.pipeline.types import FileResult, SkipReason, Source, TreeEntry

logger = logging.getLogger(__name__)


class CarefulReader:
    """A `read_source` that parses in a child process and remembers what killed it.

    A file that the child does not survive, or that its parser gives up, is recorded
    by its content, cut by window with the reason in its ledger line, and by window
    at once from then on.
    """

    def __init__(self, reader: IsolatedReader) -> None:
        self.reader = reader
        self.version = grammars_version()
        rows = BadBlob.objects.filter(grammars=self.version)
        self.known = dict(rows.values_list("oid", "reason"))

    def __call__(
        self, entry: TreeEntry, source: Source, chunker: str, *, index_secrets: bool
    ) -> FileResult:
        """Return what is searchable of the file."""
        if entry.oid not in self.known:
            try:
                result = self._read_twice(entry, source, chunker, index_secrets)
            except ParseFailure as failure:
                self._record(entry.oid, failure.reason, str(failure))
            else:
                if result.line.reason is SkipReason.PARSE_TIMEOUT:
                    self._record(entry.oid, result.line.reason, "its parser gave up")
                return result
        return read_source(
            entry,
            source,
            chunker,
            index_secrets=index_secrets,
            failure=SkipReason(self.known[entry.oid]),
        )

    def _read_twice(
        self, entry: TreeEntry, source: Source, chunker: str, index_secrets: bool
    ) -> FileResult:
        """Read a file; once more after a crash, which need not be its fault."""
        try:
            return self.reader.read(entry, source, chunker, index_secrets=index_secrets)
        except ParseFailure as failure:
            if failure.reason is not SkipReason.PARSE_CRASH:
                raise
        return self.reader.read(entry, source, chunker, index_secrets=index_secrets)

    def _record(self, oid: str, reason: SkipReason, detail: str) -> None:
        self.known[oid] = reason
        logger.warning("blob %s is not parsed: %s", oid[:12], detail)
        BadBlob.objects.get_or_create(
            oid=oid, grammars=self.version, defaults={"reason": reason}
        )
