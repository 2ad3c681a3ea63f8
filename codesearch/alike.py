"""Alike: one chunk, and those that its own vectors find in the builds in reach."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.catalogue import chunk_place
from codesearch.corpora import Searched, current_builds, open_corpus
from codesearch.errors import UnreadableTarget
from codesearch.funnel.legs import standings
from codesearch.funnel.likeness import Likeness, find_alike
from codesearch.knobs import AS_SHIPPED
from codesearch.payloads import Payload
from codesearch.targets import chunk_numbers, resolve_target
from indexer.access import Viewer
from indexer.paging import find_page

SHOWN = 20  # On a page.


def alike(
    *,
    viewer: Viewer,
    target: str,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    page: int = 1,
) -> Payload:
    """Return a page of the chunks most like a target, which is one chunk.

    SHOWN of `found` are on a page; there is a last one at most.
    Raises AmbiguousTarget when it names several, UnreadableTarget when it is none, and
    SearchError when there is nothing to search.
    """
    builds = current_builds(viewer, repositories, profile)
    searched = open_corpus(
        builds, viewer=viewer, repositories=repositories, profile=profile
    )
    resolved = resolve_target(target, searched.builds)
    if len(resolved.chunks) != 1:
        raise UnreadableTarget(f"“{target}” is no chunk of what is searched.")
    (chunk,) = chunk_numbers(resolved, searched)
    which, _ordinal = searched.corpus.locate(chunk)
    fingerprint = searched.builds[which].fingerprint
    found = find_alike(chunk, searched.corpus, fingerprint, AS_SHIPPED)
    page, pages = find_page(page, len(found.shown.hits), SHOWN)
    comparable = searched.corpus.embedded_by(fingerprint)
    return {
        "chunk": chunk_place(searched, chunk),
        "legs": {
            leg.name: {"ran": leg.ran, "note": leg.note, "matched": leg.matched}
            for leg in found.legs
        },
        "chunks": searched.corpus.chunk_count,
        "incomparable": int((~comparable).sum()),
        "copies": [chunk_place(searched, one) for one in found.copies],
        "found": len(found.shown.hits),
        "left_out": list(searched.left_out),
        "page": page,
        "pages": pages,
        "hits": _hits(found, searched, page),
    }


def _hits(found: Likeness, searched: Searched, page: int) -> list[Payload]:
    """Return the hits of a page, each with what is folded under it: copies, stubs."""
    shown = found.shown.hits[(page - 1) * SHOWN : page * SHOWN]
    under: dict[int, list[Payload]] = {hit.chunk: [] for hit in shown}
    for chunk, fold in found.folded.items():
        if fold.under in under:
            under[fold.under].append(chunk_place(searched, chunk))
    chunks = [hit.chunk for hit in shown]
    stood = {leg.name: standings(leg, chunks) for leg in found.legs}
    return [
        {
            "rank": hit.ordinal,
            "fused": hit.score,
            **chunk_place(searched, hit.chunk),
            "legs": {
                name: {"rank": one.rank, "raw": one.raw} if one else None
                for name, rows in stood.items()
                for one in [rows[index]]
            },
            "folded": under[hit.chunk],
        }
        for index, hit in enumerate(shown)
    ]
