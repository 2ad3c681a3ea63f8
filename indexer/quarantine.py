"""Quarantine: content that hung or crashed the parser is not given to it again."""

from __future__ import annotations

import logging

from indexer.models import BadBlob
from indexer.pipeline.isolation import IsolatedReader, ParseFailure
from indexer.pipeline.parsing import grammars_version
from indexer.pipeline.reading import Cut, read_source
from indexer.pipeline.types import FileResult, SkipReason, Source, TreeEntry

logger = logging.getLogger(__name__)


def careful(reader: IsolatedReader) -> Cut:
    """Return a `read_source` that parses in `reader`'s child process.

    A file that the child does not survive, or that its parser gives up, is recorded
    by its content, cut by window with the reason in its ledger line, and by window
    at once from then on.
    """
    version = grammars_version()
    known = dict(BadBlob.objects.filter(grammars=version).values_list("oid", "reason"))

    def record(oid: str, reason: SkipReason, detail: str) -> None:
        known[oid] = reason
        logger.warning("blob %s is not parsed: %s", oid[:12], detail)
        BadBlob.objects.get_or_create(
            oid=oid, grammars=version, defaults={"reason": reason}
        )

    def cut(
        entry: TreeEntry, source: Source, chunker: str, *, index_secrets: bool
    ) -> FileResult:
        if entry.oid not in known:
            try:
                result = reader.read(
                    entry, source, chunker, index_secrets=index_secrets
                )
            except ParseFailure as failure:
                record(entry.oid, failure.reason, str(failure))
            else:
                if result.line.reason is SkipReason.PARSE_TIMEOUT:
                    record(entry.oid, result.line.reason, "its parser gave up")
                return result
        return read_source(
            entry,
            source,
            chunker,
            index_secrets=index_secrets,
            failure=SkipReason(known[entry.oid]),
        )

    return cut
