"""Metadata: what a chat or a browser tab says of a shared page."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.models import SearchRecord
from codesearch.opening import Opening
from codesearch.pages.share_links import KINDS
from codesearch.payloads import Payload
from codesearch.templatetags.codesearch import day, short

Kind = SearchRecord.Kind

TITLE_LIMIT = 120  # Characters; a query may have 2,000.


@dataclass(frozen=True, slots=True)
class Metadata:
    """The title of a shared page and a sentence about it."""

    title: str
    description: str


def metadata_of(opening: Opening) -> Metadata:
    """Return the metadata of a page, for a viewer who may see it."""
    record = opening.record
    query = " ".join(record.query.split())
    title = query if len(query) <= TITLE_LIMIT else f"{query[: TITLE_LIMIT - 1]}…"
    what = _what(record.kind, record.answer)
    return Metadata(title, f"{what}, recorded on {day(record.created_at)}.")


def _what(kind: str, payload: Payload) -> str:
    name = KINDS[Kind(kind)]
    if kind == Kind.FILE:
        first, last = payload["first_line"], payload["last_line"]
        where = f"{payload['repository']}@{short(payload['revision'])}"
        return f"{name} in {where}, lines {first:,} to {last:,}"
    if kind in (Kind.COMPARISON, Kind.PROFILES):
        count = len(payload["rows"])
        return f"{name}, {count:,} row{'' if count == 1 else 's'}"
    builds = [f"{b['repository']}@{short(b['revision'])}" for b in payload["builds"]]
    targets = ", ".join(one["target"] for one in payload.get("targets", ()))
    head = f"{name} for {targets}" if targets else name
    return f"{head} in {', '.join(builds)}, {len(payload['hits']):,} chunks"
