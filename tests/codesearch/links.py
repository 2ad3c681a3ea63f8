"""Links to payloads that no search has answered."""

from __future__ import annotations

from codesearch.models import SearchRecord, ShareLink
from codesearch.payloads import Payload


def link_to(kind: str, payload: Payload) -> ShareLink:
    """Return a link of nobody to a record of a payload, kept as it is."""
    builds = payload["builds"]
    record = SearchRecord.objects.create(
        kind=kind,
        query=payload["query"],
        payload=payload,
        digest=kind,
        names={str(one["repository_id"]): one["repository"] for one in builds},
    )
    return record.links.create()
