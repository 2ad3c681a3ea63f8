"""Read back what was recorded, and look symbols up, with the viewer's permission."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.corpora import current_builds
from codesearch.errors import Candidate
from codesearch.models import SearchRecord
from codesearch.payloads import Payload, beneath
from codesearch.payloads.builds import layers_of
from codesearch.targets import suggest_symbols
from indexer.access import Viewer, readable


def shared_record(viewer: Viewer, token: str) -> SearchRecord | None:
    """Return a record if `viewer` may read every repository it shows.

    What was left out is no part of it: it names repositories that whoever has the
    link may not know.
    """
    record = SearchRecord.objects.filter(token=token).first()
    if record is None:
        return None
    named = {b["repository_id"]: b["repository"] for b in record.answer["builds"]}
    allowed = readable(viewer).filter(pk__in=named)
    names = dict(allowed.values_list("pk", "name"))
    if names.keys() != named.keys():
        return None
    record.answer["left_out"] = []
    _rename(record.answer, {named[pk]: name for pk, name in names.items()})
    return record


def _rename(payload: Payload, names: dict[str, str]) -> None:
    """Call each repository as it is called now, so that its links go on working."""
    parts = [payload.get(part, ()) for part in ("builds", "hits", "places", "targets")]
    for rows in (*parts, payload.get("closeness", {}).get("builds", ())):
        for row in rows:
            for named in (row, *beneath(row)):
                known = named["repository"]
                named["repository"] = names.get(known, known)


def newer_builds(viewer: Viewer, record: SearchRecord) -> list[Payload]:
    """Return the builds of a record that are no longer as they were searched.

    `is_same` where it is that build, and has vectors now that it lacked then, or
    `was_preview` files.
    """
    rows = []
    for build in record.answer["builds"]:
        current = current_builds(viewer, [build["repository"]], build["profile"])
        now = current[0] if current else None
        is_same = now is not None and now.pk == build["id"]
        _, read, vectors = layers_of(build)
        was_preview = now is not None and read != (now.previewed or now.file_count)
        if now is None or not is_same or was_preview or now.vectors_done != vectors:
            rows.append(
                {
                    "repository": build["repository"],
                    "recorded": build["revision"],
                    "current": now.revision if now else None,
                    "is_same": is_same,
                    "was_preview": was_preview,
                }
            )
    return rows


def find_symbols(
    viewer: Viewer,
    text: str,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    limit: int = 20,
) -> list[Candidate]:
    """Return symbols that `text` may be meant for, the exact ones first."""
    return suggest_symbols(text, current_builds(viewer, repositories, profile), limit)
