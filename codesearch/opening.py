"""Opening: what a link shows to whom, asked again at every view.

A record shows all or nothing: whoever may not read one repository of it may not know
of it. What was removed has no readers; who made the link, and staff, are told what it
was, without a word of its code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime

from codesearch.models import CaseSet, SearchRecord, ShareLink
from codesearch.payloads import Payload, beneath
from codesearch.reach import may_edit, sets_in_reach
from indexer.access import Viewer, readable, removed


@dataclass(frozen=True, slots=True)
class Removed:
    """A repository that is no longer here; `at` is None where nobody noted it."""

    name: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Opening:
    """A link that `viewer` may know of. `is_own`: they may change it.

    `renamed` are names then and now; of what is in `removed` no code is shown.
    """

    link: ShareLink
    is_own: bool
    renamed: Mapping[str, str] = field(default_factory=dict)
    removed: Sequence[Removed] = ()

    @property
    def record(self) -> SearchRecord:
        """The record that it leads to."""
        return self.link.record


def open_link(viewer: Viewer, token: str) -> Opening | None:
    """Return what a link is for `viewer`; None is what they may not know of.

    Whether it still leads anywhere (`link.is_open`) is for the page to say.
    """
    links = ShareLink.objects.select_related("record", "created_by")
    link = links.filter(token=token).first()
    return openings(viewer, [link])[0] if link else None


def openings(viewer: Viewer, links: Sequence[ShareLink]) -> list[Opening | None]:
    """Return what each link is for `viewer`, None where they may not know of it."""
    known = _known(viewer, [link.record for link in links])
    return [_opening(viewer, link, known) for link in links]


@dataclass(frozen=True, slots=True)
class _Known:
    """What some records are of, as far as a viewer may know it, by key.

    `here` has the names of now, and `gone` the moment of the removal. Of case sets
    `seen` are in reach, and `there` are all that were not deleted.
    """

    here: Mapping[int, str]
    gone: Mapping[int, datetime]
    seen: frozenset[int]
    there: frozenset[int]


def _known(viewer: Viewer, records: Sequence[SearchRecord]) -> _Known:
    keys = {key for record in records for key in record.keys}
    sets = {key for record in records for key in record.case_sets}
    here = dict(readable(viewer).filter(pk__in=keys).values_list("pk", "name"))
    gone = removed(viewer).filter(key__in=keys - here.keys())
    seen = sets_in_reach(viewer).filter(pk__in=sets)
    there = CaseSet.objects.filter(pk__in=sets)
    return _Known(
        here,
        dict(gone.values_list("key", "removed_at")),
        frozenset(seen.values_list("pk", flat=True)),
        frozenset(there.values_list("pk", flat=True)),
    )


def _opening(viewer: Viewer, link: ShareLink, known: _Known) -> Opening | None:
    record, is_own = link.record, may_edit(viewer, link)
    lost = sorted(record.keys - known.here.keys())
    if lost and not is_own:
        return None
    if not (viewer.sees_all or known.gone.keys() >= set(lost)):
        return None
    if not _reaches_sets(record, known, is_own=is_own):
        return None
    then = {key: record.names[str(key)] for key in record.keys - set(lost)}
    renamed = {
        name: known.here[key] for key, name in then.items() if known.here[key] != name
    }
    gone = [Removed(record.names[str(key)], known.gone.get(key)) for key in lost]
    return Opening(link, is_own, renamed, gone)


def _reaches_sets(record: SearchRecord, known: _Known, *, is_own: bool) -> bool:
    """Tell whether a viewer may see all case sets of a record that are none's.

    Of one that was deleted nobody can say who else might.
    """
    hidden = set(record.case_sets) - known.seen
    return not hidden or (is_own and hidden.isdisjoint(known.there))


def answer_of(opening: Opening) -> Payload:
    """Return the answer as it was recorded.

    What was left out is no part of it: it names repositories that whoever has the
    link may not know.
    """
    payload = opening.record.answer
    return {**payload, "left_out": []} if "left_out" in payload else payload


def linked_answer(opening: Opening) -> Payload:
    """Return the answer with the present names of repositories, for a page.

    So its links go on working; `repository_then` is what each was called.
    """
    payload = answer_of(opening)
    if not opening.renamed:
        return payload
    payload = deepcopy(payload)
    parts = [payload.get(part, ()) for part in ("builds", "hits", "places", "targets")]
    for rows in (*parts, payload.get("closeness", {}).get("builds", ()), [payload]):
        for row in rows:
            for named in (row, *beneath(row)):
                _rename(named, opening.renamed)
    return payload


def _rename(named: Payload, names: Mapping[str, str]) -> None:
    then = named.get("repository", "")
    if then in names:
        named |= {"repository": names[then], "repository_then": then}
