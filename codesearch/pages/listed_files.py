"""Listed files on a page: by path, each with the symbols that are in scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codesearch.pages.facets import narrowing
from codesearch.pages.filters import chunks_in, filter_chips
from codesearch.pages.links import Scope, file_url
from codesearch.pages.newest import newest_lines
from codesearch.pages.paging import Pager, answer_pager
from codesearch.pages.scores import hit_name
from codesearch.payloads import Payload
from indexer.stages import count_of


@dataclass(frozen=True, slots=True)
class ListedFile:
    """One file; `chunks` are (name, kind, address), and `more` have no room."""

    file: Payload
    url: str
    chunks: list[tuple[str, str, str]]
    more: int


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page of files: how many there are in all, these, and what is missing."""

    counted: str
    files: list[ListedFile]
    pager: Pager
    sentences: list[str]


def listed_context(
    payload: Payload, scope: Scope
) -> dict[str, Any]:  # Any: a template context
    """Return the context of `_listed_files.html`; its facets count files."""
    files = count_of(payload["files"], "file")
    return {
        "payload": payload,
        "listed": ListedPage(
            counted=files,
            files=[_listed_file(group) for group in payload["groups"]],
            pager=answer_pager(payload, scope.search_url),
            sentences=[f"{one.removesuffix('.')}." for one in payload["left_out"]],
        ),
        "chips": filter_chips(payload, scope.ask),
        "chunks": payload["in_scope"],
        "all_chunks": chunks_in(payload),
        "newest": newest_lines(payload["builds"]),
        "facets": narrowing(payload, payload["counts"], payload["files"], scope.ask),
        "facets_of": f"{files} in scope",
    }


def _listed_file(group: Payload) -> ListedFile:
    url = file_url(group, lines=False)
    chunks = [
        (hit_name(chunk), chunk["kind"], file_url({**group, **chunk}))
        for chunk in group["chunks"]
    ]
    return ListedFile(group, url, chunks, group["count"] - len(chunks))
