"""Share links in words: what each leads to, until when, and for whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from codesearch.models import SearchRecord, ShareLink
from codesearch.opening import openings
from codesearch.templatetags.codesearch import minute
from indexer.access import Viewer

Kind = SearchRecord.Kind

KINDS = {
    Kind.SEARCH: "Search",
    Kind.TRACE: "Trace",
    Kind.COMPARISON: "Comparison",
    Kind.PROFILES: "Profiles side by side",
    Kind.FILE: "File",
}
NAMED = 3  # Repositories that a sentence names.


@dataclass(frozen=True, slots=True)
class LinkView:
    """One link in the list. `query` is "" where its maker may not read it any more."""

    link: ShareLink
    kind: str
    query: str
    state: str
    style: str
    may_extend: bool


def links_shown(viewer: Viewer) -> QuerySet[ShareLink]:
    """Return the links that `viewer` made, for staff all; the newest first."""
    links = ShareLink.objects.select_related("record", "created_by")
    links = links.defer("record__packed", "record__payload")
    return links if viewer.sees_all else links.filter(created_by_id=viewer.user_id)


def link_views(viewer: Viewer, links: Iterable[ShareLink]) -> list[LinkView]:
    """Return the rows of the list."""
    shown = list(links)
    return [
        LinkView(
            link=link,
            kind=KINDS[Kind(link.record.kind)],
            query=link.record.query if opening else "",
            state=closed_words(link) or _expiry_words(link),
            style="ok" if link.is_open else "none",
            may_extend=link.revoked_at is None,
        )
        for link, opening in zip(shown, openings(viewer, shown), strict=True)
    ]


def closed_words(link: ShareLink) -> str:
    """Return since when a link leads nowhere, "" while it is open."""
    if link.revoked_at is not None:
        return f"was revoked on {minute(link.revoked_at)}"
    if link.has_expired:
        return f"expired on {minute(link.expires_at)}"
    return ""


def _expiry_words(link: ShareLink) -> str:
    return f"until {minute(link.expires_at)}" if link.expires_at else "never expires"


def readers(record: SearchRecord) -> str:
    """Return who can open a link to a record."""
    names = sorted(record.names.values())
    if record.case_sets:
        names.append("its query sets")
    if not names:
        return "everyone who reaches this site"
    more = len(names) - NAMED
    named = [*names[:NAMED], *([f"{more} more"] if more > 0 else [])]
    told = " and ".join([", ".join(named[:-1]), named[-1]]) if named[1:] else named[0]
    return f"whoever may read {told}"
