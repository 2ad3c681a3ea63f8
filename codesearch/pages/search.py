"""The search page: cards of hits with code, places, coverage, closeness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.safestring import SafeString

from codesearch.highlight import Line, highlight_lines
from codesearch.pages.links import Scope, file_url, target_of
from codesearch.pages.scores import (
    LegCell,
    fused_score,
    hit_name,
    joined,
    leg_cells,
    leg_style,
    raw_score,
    rerank_score,
)
from codesearch.payloads import Payload, beneath
from indexer.files import TextKey

CONTEXT_LINES = 2  # Before the hit: enough to see a decorator's or comment's end.
LINES_SHOWN = 12  # Of the hit itself: a signature, its docstring, the first lines.
PLACES_SHOWN = 3
DEFINES_SHOWN = 6

# Counts of a build: what they say.
UNCOVERED = {
    "skipped": "files are not indexed",
    "partial": "are indexed in part",
    "data": "are data, found as places only",
}

UNKNOWN_WORD = "unknown word"

# Closeness: (state, glyph, words). "Match" stands here and nowhere else.
BANDS = {
    "close": ("ok", "ok", "Close match"),
    "weak": ("warn", "warn", "Weak"),
    "nothing": ("none", "none", "Nothing here is close"),
    "uncalibrated": ("none", "warn", "Uncalibrated"),
}


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
    found_by: str
    code: Excerpt | None
    copies: list[FoldedView]
    re_exports: list[FoldedView]


@dataclass(frozen=True, slots=True)
class CardView:
    """One file: its head, up to three hits with code, the rest folded."""

    number: int
    file: Payload
    url: str
    hits: list[HitView] = field(default_factory=list)
    folded: list[HitView] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PlaceView:
    """One file by its summary."""

    place: Payload
    url: str
    defines: list[str]
    more: int
    terms: list[str]
    hits: int


@dataclass(frozen=True, slots=True)
class Champion:
    """A leg's first, where it is not on page one."""

    leg: str
    style: str
    name: str
    raw: str
    rank: int
    url: str
    page: int


@dataclass(frozen=True, slots=True)
class Closeness:
    """How near the best hit is, as state and words, with the evidence."""

    state: str
    glyph: str
    words: str
    sentences: list[str]
    is_nothing: bool


@dataclass(frozen=True, slots=True)
class VectorNotice:
    """What is missing of a build's vectors."""

    build: Payload
    is_active: bool


@dataclass(frozen=True, slots=True)
class Pager:
    """Result pages: None stands for the pages left out."""

    page: int
    pages: int
    numbers: list[tuple[int, str] | None]
    previous: str
    next: str


def uncovered(payload: Payload) -> str:
    """Return what the searched chunks do not speak for, "" if they hold all files.

    Records of searches made before there were such counts have none.
    """
    totals = {
        words: sum(build["counts"].get(name, 0) for build in payload["builds"])
        for name, words in UNCOVERED.items()
    }
    return joined([f"{n:,} {words}" for words, n in totals.items() if n])


def page_cards(payload: Payload, page: int) -> list[list[Payload]]:
    """Return the hits of each card of a page, in order; a page counts from 1."""
    size = payload["config"]["cards_per_page"]
    cards: dict[int, list[Payload]] = {}
    for hit in payload["hits"]:
        if (page - 1) * size < hit["card"] <= page * size:
            cards.setdefault(hit["card"], []).append(hit)
    return [cards[number] for number in sorted(cards)]


def wanted_texts(payload: Payload, page: int) -> set[TextKey]:
    """Return the files whose text the cards of a page show."""
    return {text_key(hits[0]) for hits in page_cards(payload, page)}


def text_key(hit: Payload) -> TextKey:
    """Return by what `read_texts` knows the file of a hit."""
    return hit["repository"], hit["revision"], hit["path_url"]


def card_views(
    payload: Payload, page: int, texts: Mapping[TextKey, str], scope: Scope
) -> list[CardView]:
    """Return the cards of a page with their excerpts.

    A file whose text is gone has hits without code.
    """
    shown = payload["config"]["chunks_per_card"]
    views = []
    for hits in page_cards(payload, page):
        first = hits[0]
        text = texts.get(text_key(first))
        views.append(
            CardView(
                number=first["card"],
                file=first,
                url=file_url(first, lines=False),
                hits=[_hit_view(payload, hit, text, scope) for hit in hits[:shown]],
                folded=[_hit_view(payload, hit, None, scope) for hit in hits[shown:]],
            )
        )
    return views


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

    Only these lines are lexed: a whole file takes a lexer up to 0.2 s. A chunk
    starts where a lexer may start; the lines before it are lexed apart, so that
    a docstring's end among them does not turn the chunk into a string.
    """
    if not numbers:
        return {}
    text = "\n".join(lines[number - 1] for number in numbers)
    html = highlight_lines(
        text or "\n", language=hit["language"], path=hit["path"], terms=terms
    )
    blank = Line(0, SafeString(""))
    padded = html + [blank] * (len(numbers) - len(html))
    return {
        number: Line(number, line.html, line.cut)
        for number, line in zip(numbers, padded, strict=True)
    }


def place_views(payload: Payload) -> tuple[list[PlaceView], list[PlaceView]]:
    """Return the places to show at once, and those behind "more"."""
    counts: dict[TextKey, int] = {}
    for hit in payload["hits"]:
        key = text_key(hit)
        counts[key] = counts.get(key, 0) + 1
    views = [
        PlaceView(
            place=place,
            url=file_url(place),
            defines=place["defines"][:DEFINES_SHOWN],
            more=max(0, len(place["defines"]) - DEFINES_SHOWN),
            terms=_place_terms(place),
            hits=counts.get(text_key(place), 0),
        )
        for place in payload["places"]
    ]
    return views[:PLACES_SHOWN], views[PLACES_SHOWN:]


def _place_terms(place: Payload) -> list[str]:
    return [
        f"{term['name'].removeprefix('summary ')} {term['value']:.3f}"
        for term in place["terms"]
        if term["value"] is not None
    ]


def closeness(payload: Payload) -> Closeness:
    """Return the state of the best hit in words, with the evidence for it."""
    band = payload["closeness"]["band"]
    state, glyph, words = BANDS[band]
    sentences = [
        one["sentence"]
        for one in payload["closeness"]["evidence"]
        if one["signal"] != UNKNOWN_WORD  # `missing_words` says it with the parts.
    ]
    return Closeness(state, glyph, words, sentences, band == "nothing")


def missing_words(payload: Payload) -> list[str]:
    """Return a sentence for each word of the query that occurs nowhere.

    An identifier may be missing though its parts occur; those are named.
    """
    sentences = []
    for word in payload["words"]:
        if word["df"]:
            continue
        known = [part["term"] for part in word["parts"] if part["df"]]
        verb = "occurs" if len(known) == 1 else "occur"
        tail = f"; of its parts {joined(known)} {verb}" if known else ""
        sentences.append(f"“{word['word']}” occurs nowhere{tail}")
    return sentences


def silent_legs(payload: Payload) -> list[str]:
    """Return a sentence for each leg that did not run, or ran with a remark.

    Before them one for each index that could not be read.
    """
    sentences = list(payload.get("left_out", ()))
    for name, leg in payload["legs"].items():
        if not leg["ran"]:
            tail = f": {leg['note']}" if leg["note"] else ""
            sentences.append(f"The {name} leg did not run{tail}")
        elif leg["note"]:
            sentences.append(f"The {name} leg: {leg['note']}")
    rerank = payload["rerank"]
    if rerank["note"] and rerank["kind"] != "identity":  # Its absence is no failure.
        sentences.append(f"Rerank: {payload['rerank']['note']}")
    return [sentence.rstrip(".") + "." for sentence in sentences]


def vector_notices(payload: Payload) -> list[VectorNotice]:
    """Return a notice for each build that is still lacking vectors."""
    return [
        VectorNotice(build, is_active=build["status"] in ("queued", "running"))
        for build in payload["builds"]
        if build["coverage"]["purpose"] < 1 or build["coverage"]["body"] < 1
    ]


def leg_champions(payload: Payload) -> list[Champion]:
    """Return the first of each leg that page one does not show.

    What is folded under a hit is on its page.
    """
    size = payload["config"]["cards_per_page"]
    champions = []
    for name in payload["legs"]:
        for hit in payload["hits"]:
            if hit["card"] <= size:
                continue
            for chunk in (hit, *beneath(hit)):
                seen = chunk["legs"].get(name)
                if seen and seen["ordinal"] == 1 and seen["in_leg"]:
                    champions.append(
                        Champion(
                            leg=name,
                            style=leg_style(name),
                            name=hit_name(chunk),
                            raw=raw_score(name, seen["raw"]),
                            rank=hit["rank"],
                            url=file_url(chunk),
                            page=(hit["card"] - 1) // size + 1,
                        )
                    )
    return champions


def pager(payload: Payload, page: int, scope: Scope) -> Pager:
    """Return the links to the other pages of cards."""
    size = payload["config"]["cards_per_page"]
    count = max((hit["card"] for hit in payload["hits"]), default=0)
    pages = max(1, -(-count // size))
    near = {1, pages, page - 1, page, page + 1}
    numbers: list[tuple[int, str] | None] = []
    last = 0
    for number in sorted(near & set(range(1, pages + 1))):
        if number > last + 1:
            numbers.append(None)
        numbers.append((number, page_url(scope, number)))
        last = number
    return Pager(
        page=page,
        pages=pages,
        numbers=numbers,
        previous=page_url(scope, page - 1) if page > 1 else "",
        next=page_url(scope, page + 1) if page < pages else "",
    )


def page_url(scope: Scope, page: int) -> str:
    """Return the address of one page of results."""
    return scope.search_url(page=str(page)) if page > 1 else scope.search_url()
