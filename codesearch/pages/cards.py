"""Cards and rows: the hits that a page shows, with code or without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codesearch.pages.excerpts import (
    AROUND_STEP,
    Excerpt,
    Sought,
    cut_excerpt,
    excerpt_url,
    sought_of,
)
from codesearch.pages.links import Scope, file_url, target_of
from codesearch.pages.paging import ResultPage, page_rows, painted_cards, shown_in_card
from codesearch.pages.scores import (
    LegCell,
    fused_score,
    hit_name,
    leg_cells,
    rerank_score,
)
from codesearch.payloads import Payload
from indexer.files import TextKey


@dataclass(frozen=True, slots=True)
class FoldedView:
    """A chunk that is listed beneath a hit: where it is, and what found it."""

    chunk: Payload
    name: str
    url: str
    trace_url: str
    found_by: str


@dataclass(frozen=True, slots=True)
class HitView:
    """One hit as a row of a card. `moved` is how far the rerank lifted it.

    `copies` hold the same text, `re_exports` only pass it on. `more_url` has all its
    lines, `around_url` some on either side as well.
    """

    hit: Payload
    name: str
    legs: list[LegCell]
    fused: str
    rerank: str
    moved: int
    url: str
    trace_url: str
    target: str
    found_by: str
    code: Excerpt | None
    more_url: str
    around_url: str
    like_url: str
    copies: list[FoldedView]
    re_exports: list[FoldedView]


@dataclass(frozen=True, slots=True)
class CardView:
    """One file: its head, up to three hits with code, the rest folded.

    `other_url` leads to the card with everything unfolded, or folded again.
    """

    number: int
    file: Payload
    url: str
    hits: list[HitView]
    folded: list[HitView]
    is_unfolded: bool
    other_url: str


def wanted_texts(payload: Payload, page: ResultPage) -> set[TextKey]:
    """Return the files whose text a page shows; a list has no code."""
    if page.is_list:
        return set()
    return {text_key(hits[0]) for hits in painted_cards(payload, page)}


def text_key(hit: Payload) -> TextKey:
    """Return by what `read_texts` knows the file of a hit."""
    return hit["repository"], hit["revision"], hit["path_url"]


def card_views(
    payload: Payload, page: ResultPage, texts: Mapping[TextKey, str], scope: Scope
) -> list[CardView]:
    """Return the cards of a page with their excerpts, none if it is a list.

    A file whose text is gone has hits without code.
    """
    views = []
    sought = sought_of(payload)
    for hits in [] if page.is_list else painted_cards(payload, page):
        first = hits[0]
        number = first["card"]
        text = texts.get(text_key(first))
        shown = shown_in_card(payload, page, number)
        is_unfolded = number == page.unfold
        views.append(
            CardView(
                number=number,
                file=first,
                url=file_url(first, lines=False),
                hits=[
                    _hit_view(payload, hit, text, scope, sought) for hit in hits[:shown]
                ],
                folded=[
                    _hit_view(payload, hit, None, scope, sought) for hit in hits[shown:]
                ],
                is_unfolded=is_unfolded,
                other_url=page.url(unfold=0 if is_unfolded else number),
            )
        )
    return views


def row_views(payload: Payload, page: ResultPage, scope: Scope) -> list[HitView]:
    """Return the rows of a page, none if it has cards."""
    rows = page_rows(payload, page) if page.is_list else []
    sought = sought_of(payload)
    return [_hit_view(payload, hit, None, scope, sought) for hit in rows]


def _hit_view(
    payload: Payload, hit: Payload, text: str | None, scope: Scope, sought: Sought
) -> HitView:
    legs = leg_cells(payload, hit)
    return HitView(
        hit=hit,
        name=hit_name(hit),
        legs=legs,
        fused=fused_score(hit["fused"]),
        rerank=rerank_score(hit["rerank"]),
        moved=hit["fused"]["ordinal"] - hit["rank"],
        url=file_url(hit),
        trace_url=scope.trace_url(target_of(hit)),
        target=target_of(hit),
        found_by=_found_by(legs),
        code=None if text is None else cut_excerpt(text, hit, sought),
        more_url="" if text is None else excerpt_url(hit, payload["query"]),
        around_url=(
            "" if text is None else excerpt_url(hit, payload["query"], AROUND_STEP)
        ),
        like_url=scope.like_url(target_of(hit)),
        copies=_folded_views(payload, hit.get("copies", ()), scope),
        re_exports=_folded_views(payload, hit.get("re_exports", ()), scope),
    )


def _folded_views(
    payload: Payload, chunks: Sequence[Payload], scope: Scope
) -> list[FoldedView]:
    return [
        FoldedView(
            chunk=chunk,
            name=hit_name(chunk),
            url=file_url(chunk),
            trace_url=scope.trace_url(target_of(chunk)),
            found_by=_found_by(leg_cells(payload, chunk)),
        )
        for chunk in chunks
    ]


def _found_by(legs: list[LegCell]) -> str:
    return ", ".join(f"{leg.name} #{leg.rank:,}" for leg in legs if leg.in_leg)
