"""Quarantine: content that hung or crashed the parser is not given to it again."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from indexer.models import BadBlob
from indexer.pipeline.isolation import ParserPool
from indexer.pipeline.parser_process import Answer, Request, read_request
from indexer.pipeline.parsing import grammars_version
from indexer.pipeline.types import SkipReason

logger = logging.getLogger(__name__)

KNOWN = "it failed before"


def bad_blobs() -> dict[str, str]:
    """Return why each content is not given to the parser again, by its object id."""
    rows = BadBlob.objects.filter(grammars=grammars_version())
    return dict(rows.values_list("oid", "reason"))


class CarefulReader:
    """Reads files in child processes and remembers what killed them.

    A file that a child does not survive, or that its parser gives up, is recorded by
    its content, cut by window with the reason in its ledger line, and by window at
    once from then on.
    """

    def __init__(self, pool: ParserPool) -> None:
        self.pool = pool
        self.known = bad_blobs()

    def read(self, requests: Iterable[Request]) -> Iterator[tuple[Request, Answer]]:
        """Yield each request with what is searchable of its file, as they come."""
        bad: list[Request] = []
        for request, answer in self.pool.read(self._good(requests, bad)):
            if answer.failure:
                self._record(request.oid, answer.failure, answer.detail)
            yield request, answer if answer.data else self._by_window(request, answer)
        for request in bad:
            failure = SkipReason(self.known[request.oid])
            yield request, self._by_window(request, Answer(b"", failure, KNOWN))

    def _good(
        self, requests: Iterable[Request], bad: list[Request]
    ) -> Iterator[Request]:
        """Yield the requests that may be parsed; the others are added to `bad`."""
        for request in requests:
            if request.oid in self.known:
                bad.append(request)
            else:
                yield request

    def _by_window(self, request: Request, answer: Answer) -> Answer:
        read = read_request(request, answer.failure)
        return Answer(read.data, answer.failure, answer.detail)

    def _record(self, oid: str, reason: SkipReason, detail: str) -> None:
        self.known[oid] = reason
        logger.warning("blob %s is not parsed: %s", oid[:12], detail)
        BadBlob.objects.get_or_create(
            oid=oid, grammars=grammars_version(), defaults={"reason": reason}
        )
