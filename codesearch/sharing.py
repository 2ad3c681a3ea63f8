"""Sharing: answers are recorded, and links to them are made, extended and revoked."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from codesearch.errors import TooManyLinks
from codesearch.models import RecordedText, SearchRecord, ShareLink
from codesearch.payloads import Payload
from codesearch.reach import may_edit
from codesearch.records import VERSION, pack
from indexer.access import Viewer

logger = logging.getLogger(__name__)

OPEN_LINKS = 500  # Of one person. Whoever has more has lost sight of them.


@dataclass(frozen=True, slots=True)
class Shareable:
    """What is recorded of a page; the fields are those of `SearchRecord`.

    `text` are the lines of a file, which are kept apart from its payload.
    """

    kind: str
    query: str
    payload: Payload
    names: Mapping[int, str]
    case_sets: tuple[int, ...] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms a link is made: until when it leads, and its maker's words."""

    expires_at: datetime | None = None
    label: str = ""


FOR_EVER = Terms()


@transaction.atomic
def share(
    *,
    user: AbstractBaseUser | AnonymousUser,
    what: Shareable,
    terms: Terms = FOR_EVER,
) -> ShareLink:
    """Record what is shared and return a link to it.

    Raises TooManyLinks. Whoever has no account can revoke none: their links of one
    record and one expiry are one.
    """
    record = _record(what)
    if not user.is_authenticated:
        expiry = {"expires_at": terms.expires_at}
        nobodys = record.links.filter(created_by=None, revoked_at=None, label="")
        return nobodys.filter(**expiry).first() or record.links.create(**expiry)
    own = ShareLink.objects.filter(created_by_id=user.pk, revoked_at=None)
    if own.exclude(expires_at__lte=timezone.now()).count() >= OPEN_LINKS:
        raise TooManyLinks(
            f"You have {OPEN_LINKS} links that are open. Revoke some of them first."
        )
    return record.links.create(
        created_by_id=user.pk, expires_at=terms.expires_at, label=terms.label
    )


def _record(what: Shareable) -> SearchRecord:
    """Return the record of what is shared, the one that there is if it is equal."""
    payload = {**what.payload, "record": VERSION}
    record, is_new = SearchRecord.objects.get_or_create(
        digest=_digest(payload),
        defaults={
            "kind": what.kind,
            "query": what.query,
            "packed": pack(payload),
            "names": {str(key): name for key, name in what.names.items()},
            "case_sets": list(what.case_sets),
        },
    )
    if is_new and what.text is not None:
        (repository,) = what.names
        RecordedText.objects.create(
            record=record, repository_id=repository, text=what.text
        )
    return record


def _digest(payload: Payload) -> str:
    """Return a hash of an answer; how long it took is no part of it.

    Nor is what was fetched since: the commits that were searched are.
    """
    timeless = {key: value for key, value in payload.items() if key != "timings_ms"}
    if "builds" in payload:
        timeless["builds"] = [
            {key: value for key, value in build.items() if key != "newest"}
            for build in payload["builds"]
        ]
    return hashlib.sha256(json.dumps(timeless, sort_keys=True).encode()).hexdigest()


def revoke_link(*, viewer: Viewer, token: str) -> bool:
    """Close a link for ever; False if there is none that `viewer` may close."""
    link = own_link(viewer, token)
    if link is None:
        return False
    ShareLink.objects.filter(pk=link.pk, revoked_at=None).update(
        revoked_at=timezone.now()
    )
    return True


def extend_link(*, viewer: Viewer, token: str, expires_at: datetime | None) -> bool:
    """Let a link expire at another time, also one that has expired; None: never.

    False if `viewer` may not change it, or it was revoked: that is for ever.
    """
    link = own_link(viewer, token)
    if link is None or link.revoked_at is not None:
        return False
    ShareLink.objects.filter(pk=link.pk).update(expires_at=expires_at)
    return True


def own_link(viewer: Viewer, token: str) -> ShareLink | None:
    """Return a link that `viewer` may change: its maker, and staff."""
    link = ShareLink.objects.select_related("record").filter(token=token).first()
    return link if link and may_edit(viewer, link) else None


def count_visit(link: ShareLink) -> None:
    """Count one more visit. Nobody waits for it in vain: a full disk is no reason."""
    try:
        with transaction.atomic():
            ShareLink.objects.filter(pk=link.pk).update(
                opened=F("opened") + 1, opened_at=timezone.now()
            )
    except DatabaseError:
        logger.exception("a visit of a shared page was not counted")
