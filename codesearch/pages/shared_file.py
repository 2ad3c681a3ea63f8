"""The shared page of a file: its recorded lines, and what became of the file since."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from codesearch.highlight import Line, highlight_lines
from codesearch.models import RecordedText
from codesearch.opening import Opening, linked_answer
from codesearch.pages.links import file_url
from codesearch.payloads import Payload
from indexer.access import Viewer, readable
from indexer.files import FileView, read_file


@dataclass(frozen=True, slots=True)
class SharedFile:
    """Recorded lines of a file. `lines` come with whether they were pointed at.

    `text` is None where they may not be shown any more, for a `reason`. `now` is the
    file at that commit, None where the mirror has dropped it.
    """

    recorded: Payload
    text: str | None
    reason: str
    lines: list[tuple[Line, bool]]
    now: FileView | None
    url: str
    searched_url: str


def shared_file(viewer: Viewer, opening: Opening) -> SharedFile:
    """Return the page of a recorded file that `viewer` may read."""
    recorded = linked_answer(opening)
    text, reason = _text(viewer, opening, recorded)
    path = unquote_to_bytes(recorded["path_url"])
    now = read_file(viewer, recorded["repository"], recorded["revision"], path)
    start, end = recorded["start_line"], recorded["end_line"]
    lines = highlight_lines(
        text or "",
        language=recorded["language"],
        path=recorded["path"],
        first=recorded["first_line"],
    )
    searched = now.searched if now and not now.is_current else None
    return SharedFile(
        recorded=recorded,
        text=text,
        reason=reason,
        lines=[
            (line, start is not None and start <= line.number <= end) for line in lines
        ],
        now=now,
        url=file_url(recorded),
        searched_url=file_url({**recorded, "revision": searched}) if searched else "",
    )


def _text(
    viewer: Viewer, opening: Opening, recorded: Payload
) -> tuple[str | None, str]:
    """Return the recorded lines, or why they are not shown."""
    repository = readable(viewer).get(pk=recorded["repository_id"])
    if recorded["holds_secrets"] and not repository.index_secrets:
        return None, "It holds secrets, and those of this repository are not shown."
    kept = RecordedText.objects.filter(record=opening.record).first()
    return (kept.text, "") if kept else (None, "Its text was not kept.")
