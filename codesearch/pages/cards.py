"""Cards and rows: the hits that a page shows, with code or without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codesearch.highlight import Line, highlight_numbered
from codesearch.pages.links import Scope, file_url, target_of
from codesearch.pages.paging import ResultPage, page_cards, page_rows, shown_in_card
from codesearch.pages.scores import (
    LegCell,
    fused_score,
    hit_name,
    leg_cells,
    rerank_score,
)
from codesearch.payloads import Payload
from indexer.files import TextKey

CONTEXT_LINES = 2  # Before the hit: enough to see a decorator's or comment's end.
LINES_SHOWN = 12  # Of the hit itself: a signature, its docstring, the first lines.


@dataclass(frozen=True, slots=True)
class CodeRow:
    """One row of an excerpt: a line, or (`gap`) what is left out between two."""

    line: Line | None
    on: bool = False
    gap: str = ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The first lines of a chunk; `more` of its own lines are not shown."""

    rows: tuple[CodeRow, ...]
    more: int


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

    `copies` hold the same text, `re_exports` only pass it on.
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
    return {text_key(hits[0]) for hits in page_cards(payload, page)}


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
    for hits in [] if page.is_list else page_cards(payload, page):
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
                hits=[_hit_view(payload, hit, text, scope) for hit in hits[:shown]],
                folded=[_hit_view(payload, hit, None, scope) for hit in hits[shown:]],
                is_unfolded=is_unfolded,
                other_url=page.url(unfold=0 if is_unfolded else number),
            )
        )
    return views


def row_views(payload: Payload, page: ResultPage, scope: Scope) -> list[HitView]:
    """Return the rows of a page, none if it has cards."""
    rows = page_rows(payload, page) if page.is_list else []
    return [_hit_view(payload, hit, None, scope) for hit in rows]


def _hit_view(
    payload: Payload, hit: Payload, text: str | None, scope: Scope
) -> HitView:
    terms = [term["term"] for term in payload["terms"]]
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
        code=None if text is None else cut_excerpt(text, hit, terms),
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


def cut_excerpt(text: str, hit: Payload, terms: list[str]) -> Excerpt:
    """Return the first lines of a hit, two lines before, and how many are left."""
    lines = text.split("\n")
    start = hit["start_line"]
    own = _own_lines(hit, len(lines))
    if not own:
        return Excerpt((), 0)
    shown = own[:LINES_SHOWN]
    before = range(max(1, start - CONTEXT_LINES), start)
    while before and not lines[before[0] - 1].strip():
        before = before[1:]
    rows = [
        CodeRow(line) for line in _coloured(lines, list(before), hit, terms).values()
    ]
    last = shown[0] - 1
    for number, line in _coloured(lines, shown, hit, terms).items():
        if number > last + 1:
            rows.append(
                CodeRow(None, gap=f"lines {last + 1}–{number - 1} are other chunks")
            )
        rows.append(CodeRow(line, on=True))
        last = number
    return Excerpt(tuple(rows), len(own) - len(shown))


def _own_lines(hit: Payload, count: int) -> list[int]:
    """Return the numbers of the lines that are the chunk's own, ascending."""
    spans = hit.get("spans") or [[hit["start_line"], hit["end_line"]]]
    numbers = {n for first, last in spans for n in range(first, min(last, count) + 1)}
    return sorted(numbers)


def _coloured(
    lines: list[str], numbers: list[int], hit: Payload, terms: list[str]
) -> dict[int, Line]:
    """Return some lines of a file as HTML, by number.

    A chunk starts where a lexer may start; the lines before it are lexed apart, so that
    a docstring's end among them does not turn the chunk into a string.
    """
    return highlight_numbered(
        {number: lines[number - 1] for number in numbers},
        language=hit["language"],
        path=hit["path"],
        terms=terms,
    )
