"""Found lines on a page: files in order of path, each with its lines that match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from codesearch.highlight import Line, mark_spans
from codesearch.pages.filters import filter_chips
from codesearch.pages.links import Scope, file_url
from codesearch.pages.paging import LINES, LIST, Pager, answer_pager
from codesearch.pages.search import not_looked_at
from codesearch.pages.trace.literals import spelled
from codesearch.payloads import Payload
from indexer.stages import count_of


@dataclass(frozen=True, slots=True)
class LineView:
    """One line, marked, and where it is."""

    line: Line
    url: str


@dataclass(frozen=True, slots=True)
class FileView:
    """One file: `more` of its lines that match stand on another page."""

    file: Payload
    url: str
    lines: list[LineView]
    more: int


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page of found lines: what was looked for, how much there is, and what not."""

    literals: str
    counted: str
    sentences: list[str]
    files: list[FileView]
    pager: Pager


def offer_lines(payload: Payload, scope: Scope) -> dict[str, str]:
    """Return where all lines are listed, if a query holds what lines can match."""
    if not payload.get("literals"):  # Records of earlier versions have none.
        return {}
    return {"lines_url": replace(scope, view=LINES).search_url()}


def lines_context(
    payload: Payload, scope: Scope
) -> dict[str, Any]:  # Any: a template context
    """Return the context of `_found_lines.html`."""
    lines = replace(scope, view=LINES)
    return {
        "payload": payload,
        "found": found_page(payload, lines.search_url),
        "chips": filter_chips(payload, lines.ask),
        "cards_url": replace(scope, view="").search_url(),
        "list_url": replace(scope, view=LIST).search_url(),
    }


def found_page(payload: Payload, address: Callable[..., str]) -> FoundPage:
    """Return a page of lines; `address` returns where they are, with parameters."""
    return FoundPage(
        literals=" or ".join(map(spelled, payload["literals"])),
        counted=f"{count_of(payload['lines'], 'line')} in "
        f"{count_of(payload['files'], 'file')}",
        sentences=_sentences(payload),
        files=[_file_view(group) for group in payload["groups"]],
        pager=answer_pager(payload, address),
    )


def _sentences(payload: Payload) -> list[str]:
    """Return what else is to be said: what is missing, and what counts otherwise."""
    said = [f"{sentence.removesuffix('.')}." for sentence in payload["left_out"]]
    said += not_looked_at(payload)
    if outside := payload["outside"]:
        verb = "is" if outside == 1 else "are"
        said.append(
            f"{outside:,} of the lines {verb} of no chunk, as in data files, and so in "
            "no other result."
        )
    if texts := payload["not_of_lines"]:
        named = ", ".join(f"“{text}”" for text in texts)
        verb = "says" if len(texts) == 1 else "say"
        said.append(f"{named} {verb} nothing of files, and is left out of this list.")
    return said


def _file_view(group: Payload) -> FileView:
    url = file_url(group, lines=False)
    lines = [
        LineView(
            mark_spans(one["number"], one["text"], one["spans"]),
            f"{url}#L{one['number']}",
        )
        for one in group["lines"]
    ]
    return FileView(group, url, lines, group["count"] - len(lines))
