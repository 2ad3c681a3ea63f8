"""Shareable: what is recorded of a comparison, of profiles side by side, of a file."""

from __future__ import annotations

import hashlib
from urllib.parse import unquote_to_bytes

from codesearch.errors import NotShareable
from codesearch.models import Audit, CaseSet, SearchRecord
from codesearch.payloads import SCHEMA, Payload
from codesearch.payloads.comparison import comparison_payload
from codesearch.sharing import Shareable
from indexer.access import Viewer, readable
from indexer.files import FileView, read_file
from indexer.models import Repository
from indexer.pipeline.blobs import split_lines
from indexer.pipeline.secret_files import is_secret_path, key_lines

CONTEXT = 5  # Lines before and after those that are shared.
MOST_LINES = 400  # Kept of a file. What is longer is better read in its file.
MOST_CHARACTERS = 200_000  # Of those lines: they are kept for ever.

Kind = SearchRecord.Kind


def share_comparison(a: Audit, b: Audit, stage: str) -> Shareable:
    """Return two audits compared, which whoever asks may see."""
    payload = comparison_payload(a, b, stage)
    sets = {one.case_set_id: one.case_set for one in (a, b)}
    shown = [one.repositories.all() for one in (a, b)]
    shown += [one.repositories.all() for one in sets.values()]
    names = {one.pk: one.name for rows in shown for one in rows}
    foreign = tuple(key for key, one in sorted(sets.items()) if one.is_foreign)
    query = f"{_called(a)} with {_called(b)}, at {payload['stage'] or 'no stage'}"
    return Shareable(Kind.COMPARISON, query, payload, names, foreign)


def _called(audit: Audit) -> str:
    return f"{audit.system or audit.profile or 'audit'} {audit.pk}"


def share_profiles(
    viewer: Viewer, found: Payload, case_set: CaseSet | None
) -> Shareable:
    """Return profiles side by side, for who may also see the set that was asked.

    Raises NotShareable where nothing was.
    """
    if not found["rows"]:
        raise NotShareable("Nothing was asked under both profiles.")
    repository = _find(viewer, found["repository"])
    a, b = (side["profile"] for side in found["sides"])
    count = len(found["rows"])
    asked = f"{count} quer{'y' if count == 1 else 'ies'}"
    query = f"{a} with {b} on {repository.name}, {asked}"
    asked_of = case_set.repositories.all() if case_set else ()
    names = {one.pk: one.name for one in (repository, *asked_of)}
    return Shareable(Kind.PROFILES, query, found, names)


def share_file(
    viewer: Viewer,
    *,
    repository: str,
    revision: str,
    path_url: str,
    start: int | None,
    end: int | None,
) -> Shareable:
    """Return lines of a file with a few around them, at most `MOST_LINES`.

    Raises NotShareable where it has no text, or none there, that may be read.
    """
    path = unquote_to_bytes(path_url)
    file = read_file(viewer, repository, revision, path)
    if file is None or file.text is None:
        raise NotShareable("There is no text of such a file.")
    text, payload = _lines(file, start, end)
    found = _find(viewer, repository)
    payload |= {
        "repository": found.name,
        "repository_id": found.pk,
        "holds_secrets": found.index_secrets and _holds_secrets(path, file.text),
    }
    names = {found.pk: found.name}
    return Shareable(Kind.FILE, _place(payload), payload, names, text=text)


def _lines(file: FileView, start: int | None, end: int | None) -> tuple[str, Payload]:
    """Return the lines that are kept of a file, and what is recorded of them."""
    begin, stop = _range(file, start, end)
    first = max(1, begin - CONTEXT)
    last = min(file.lines, stop + CONTEXT, first + MOST_LINES - 1)
    lines = split_lines(file.text or "")[first - 1 : last]
    text = "".join(f"{line}\n" for line in lines)
    if len(text) > MOST_CHARACTERS:
        raise NotShareable(
            f"Lines {first:,} to {last:,} have {len(text):,} characters;"
            f" at most {MOST_CHARACTERS:,} are kept."
        )
    return text, {
        "schema": SCHEMA,
        "revision": file.revision,
        "path": file.path,
        "path_url": file.path_url,
        "language": file.language,
        "lines": file.lines,
        "size": file.size,
        "committed_at": file.committed_at and file.committed_at.isoformat(),
        "start_line": begin if start else None,
        "end_line": stop if start else None,
        "first_line": first,
        "last_line": last,
        "sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    }


def _range(file: FileView, start: int | None, end: int | None) -> tuple[int, int]:
    """Return the lines that are shared; all of them if none are named."""
    if start is None:
        return 1, file.lines
    if start > file.lines:
        raise NotShareable(f"The file has {file.lines:,} lines; there is no {start:,}.")
    return start, min(end or start, file.lines)


def _place(payload: Payload) -> str:
    start, end = payload["start_line"], payload["end_line"]
    lines = "" if start is None else f":{start}" if start == end else f":{start}-{end}"
    return f"{payload['path']}{lines}"


def _holds_secrets(path: bytes, text: str) -> bool:
    return is_secret_path(path) or bool(key_lines(text))


def _find(viewer: Viewer, name: str) -> Repository:
    return readable(viewer).get(name=name)
