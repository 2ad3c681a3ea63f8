"""Excerpts: the lines of a chunk that a page shows, and the address of more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from codesearch.funnel.best_lines import choose_lines
from codesearch.funnel.types import Query
from codesearch.highlight import EXCERPT_LIMIT, Line, highlight_numbered
from codesearch.pages.links import file_url
from codesearch.payloads import Payload
from indexer.pipeline.literals import Pattern

CONTEXT_LINES = 2  # Before the hit: enough to see a decorator's or comment's end.
OWN_SHOWN = 400  # Of a hit that is shown whole; longer ones are read in their file.
AROUND_STEP = 10
AROUND_MOST = 100


@dataclass(frozen=True, slots=True)
class Sought:
    """What the lines of a chunk are chosen by and marked with."""

    idf: Mapping[str, float]
    literals: Sequence[Pattern] = ()


@dataclass(frozen=True, slots=True)
class CodeRow:
    """One row of an excerpt: a line, or (`gap`) what is left out between two.

    `on` says that the line is the chunk's own, `hides` that some of the gap are.
    """

    line: Line | None
    on: bool = False
    gap: str = ""
    hides: bool = False


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a chunk; `more` of its own ones come after them."""

    rows: tuple[CodeRow, ...]
    more: int


def sought_of(payload: Payload) -> Sought:
    """Return what a search asked for; records of earlier versions have no literals."""
    return Sought(
        {term["term"]: term["idf"] for term in payload["terms"]},
        [
            Pattern(one["text"], one["is_regex"], one["has_case"])
            for one in payload.get("literals", ())
        ],
    )


def sought_by(query: Query | None) -> Sought:
    """Return what to mark for a query, of which nothing need be chosen."""
    if query is None:
        return Sought({})
    return Sought(dict.fromkeys(query.terms, 1.0), query.literals)


def excerpt_url(hit: Payload, query: str, around: int = 0) -> str:
    """Return the address of a hit's own lines, with so many on either side."""
    spans = ",".join(f"{first}-{last}" for first, last in spans_of(hit))
    pairs = {"own": spans, "q": query}
    if around:
        pairs["around"] = str(around)
    return f"{file_url(hit, lines=False, page='excerpt')}?{urlencode(pairs)}"


def spans_of(hit: Payload) -> list[list[int]]:
    """Return the lines that are a chunk's own, as ranges, from 1 and inclusive."""
    return hit.get("spans") or [[hit["start_line"], hit["end_line"]]]


def cut_excerpt(text: str, hit: Payload, sought: Sought) -> Excerpt:
    """Return the best lines of a hit, and two lines before if its first is shown."""
    lines = text.split("\n")
    own = _own_lines(hit, len(lines))
    name = (hit.get("symbol") or "").rpartition(".")[2]
    chosen = choose_lines(
        [lines[number - 1] for number in own],
        name=name,
        idf=sought.idf,
        literals=sought.literals,
    )
    shown = [own[index] for index in chosen]
    before = range(0)
    if shown[:1] == own[:1] != []:
        before = range(max(1, own[0] - CONTEXT_LINES), own[0])
    while before and not lines[before[0] - 1].strip():
        before = before[1:]
    html = _coloured(lines, before, hit, sought)
    html |= _coloured_own(lines, own, shown, hit, sought)
    return _excerpt(own, [*before, *shown], html)


def whole_excerpt(text: str, hit: Payload, sought: Sought, around: int) -> Excerpt:
    """Return a hit's own lines, `OWN_SHOWN` at most, and lines on either side.

    The file is lexed from its beginning, as its page is.
    """
    lines = text.split("\n")
    count = len(lines) - text.endswith("\n")
    own = _own_lines(hit, count)
    shown = own[:OWN_SHOWN]
    if not shown:
        return Excerpt((), 0)
    before = range(max(1, shown[0] - around), shown[0])
    after = range(shown[-1] + 1, min(count, shown[-1] + around) + 1)
    if len(shown) < len(own):
        after = range(0)
    numbers = [*before, *shown, *after]
    read = range(1, numbers[-1] + 1)
    return _excerpt(own, numbers, _coloured(lines, read, hit, sought, set(numbers)))


def _excerpt(
    own: list[int], numbers: Sequence[int], html: Mapping[int, Line]
) -> Excerpt:
    """Return the rows of some lines, with a row for what is left out between them."""
    rows: list[CodeRow] = []
    mine = set(own)
    last = min([*numbers[:1], *own[:1]], default=1) - 1
    for number in numbers:
        if number > last + 1:
            rows.append(_gap(range(last + 1, number), mine))
        rows.append(CodeRow(html[number], on=number in mine))
        last = number
    return Excerpt(tuple(rows), sum(number > last for number in own))


def _gap(between: range, own: set[int]) -> CodeRow:
    """Return the row of lines that are left out: the chunk's own, others', or both."""
    hidden = len(own.intersection(between))
    said = f"{between.start}–{between[-1]}" if len(between) > 1 else f"{between.start}"
    plural = "s" if len(between) > 1 else ""
    if not hidden:
        verb = "are other chunks" if plural else "is another chunk"
        return CodeRow(None, gap=f"line{plural} {said} {verb}")
    others = len(between) - hidden
    of_others = f", {others} of other chunks" if others else ""
    return CodeRow(None, gap=f"line{plural} {said} left out{of_others}", hides=True)


def _own_lines(hit: Payload, count: int) -> list[int]:
    """Return the numbers of the lines that are the chunk's own, ascending."""
    spans = spans_of(hit)
    numbers = {n for first, last in spans for n in range(first, min(last, count) + 1)}
    return sorted(numbers)


def _coloured_own(
    lines: list[str], own: list[int], shown: list[int], hit: Payload, sought: Sought
) -> dict[int, Line]:
    """Return lines of a chunk as HTML, lexed from its first one.

    A chunk starts where a lexer may start, but a run of its lines may begin in a
    string. Of a long chunk only what is shown is lexed, each run apart.
    """
    place = {number: index for index, number in enumerate(own)}
    read = own[: place[shown[-1]] + 1] if shown else []
    if sum(len(lines[number - 1]) for number in read) <= EXCERPT_LIMIT:
        return _coloured(lines, read, hit, sought, set(shown))
    runs: list[list[int]] = []
    for number in shown:
        if runs and place[number] == place[runs[-1][-1]] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    html: dict[int, Line] = {}
    for run in runs:
        html |= _coloured(lines, run, hit, sought)
    return html


def _coloured(
    lines: list[str],
    numbers: Sequence[int],
    hit: Payload,
    sought: Sought,
    shown: set[int] | None = None,
) -> dict[int, Line]:
    """Return some lines of a file as HTML by number, all or those that are shown."""
    return highlight_numbered(
        {number: lines[number - 1] for number in numbers},
        language=hit["language"],
        path=hit["path"],
        terms=sought.idf,
        literals=sought.literals,
        shown=shown,
    )
