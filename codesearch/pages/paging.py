"""Paging: which hits a page shows, as cards or as a list, and which first not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from codesearch.pages.links import file_url
from codesearch.pages.scores import hit_name, leg_style, raw_score
from codesearch.payloads import Payload, beneath
from indexer.paging import count_pages, find_page

LIST = "list"  # The view of one row a hit; the other one has a card a file.
LINES = "lines"  # That of all lines that match; a page of its own.


@dataclass(frozen=True, slots=True)
class ResultPage:
    """One page of a result. `number` counts from 1.

    `unfold` is the card that shows all its hits with their code, 0 for none.
    `address` returns where the result is, with parameters; `of` are the layers that
    it is made of, which its links name, and `wanted` the page that was asked for.
    `painted` is how many of its cards a first answer has, None for all.
    """

    address: Callable[..., str]
    number: int = 1
    view: str = ""
    unfold: int = 0
    of: str = ""
    wanted: int = 1
    painted: int | None = None

    def url(
        self, *, number: int | None = None, view: str | None = None, unfold: int = 0
    ) -> str:
        """Return the address of this page, or of another one of the result."""
        number = self.number if number is None else number
        wanted = {
            "view": self.view if view is None else view,
            "page": str(number) if number > 1 else "",
            "unfold": str(unfold) if unfold else "",
            "of": self.of if number > 1 or unfold else "",
        }
        return self.address(**{name: value for name, value in wanted.items() if value})

    @property
    def is_list(self) -> bool:
        """True if the page has one row a hit."""
        return self.view == LIST

    @property
    def first_url(self) -> str:
        """The address of the first page in the same view."""
        return self.url(number=1)

    @property
    def cards_url(self) -> str:
        """The address of the result as cards."""
        return self.url(number=1, view="")

    @property
    def list_url(self) -> str:
        """The address of the result as a list."""
        return self.url(number=1, view=LIST)


@dataclass(frozen=True, slots=True)
class Champion:
    """A leg's first that a page does not show: its hit's rank, and where that is.

    `url` leads to its lines, `place_url` to the hit.
    """

    leg: str
    style: str
    name: str
    raw: str
    rank: int
    url: str
    place: str
    place_url: str


@dataclass(frozen=True, slots=True)
class Pager:
    """Pages of a list: None stands for those left out. `rows` are those of this one."""

    page: int
    pages: int
    numbers: list[tuple[int, str] | None]
    previous: str
    next: str
    rows: slice


def page_cards(payload: Payload, page: ResultPage) -> list[list[Payload]]:
    """Return the hits of each card of a page, in order."""
    size = payload["config"]["cards_per_page"]
    cards: dict[int, list[Payload]] = {}
    for hit in payload["hits"]:
        if (page.number - 1) * size < hit["card"] <= page.number * size:
            cards.setdefault(hit["card"], []).append(hit)
    return [cards[number] for number in sorted(cards)]


def painted_cards(payload: Payload, page: ResultPage) -> list[list[Payload]]:
    """Return the hits of each card of a page that is painted, in order."""
    return page_cards(payload, page)[: page.painted]


def page_rows(payload: Payload, page: ResultPage) -> list[Payload]:
    """Return the hits of a page of the list, in order."""
    size = _page_size(payload, page)
    rows: list[Payload] = payload["hits"][(page.number - 1) * size :][:size]
    return rows


def shown_in_card(payload: Payload, page: ResultPage, card: int) -> int:
    """Return how many hits of a card a page shows before it folds the rest."""
    shown: int = payload["config"]["chunks_per_card"]
    return len(payload["hits"]) if card == page.unfold else shown


def leg_champions(payload: Payload, page: ResultPage) -> list[Champion]:
    """Return the first of each leg that a page does not show.

    What is listed beneath a hit is where the hit is.
    """
    shown = set(_shown_ranks(payload, page))
    champions = []
    for leg in payload["legs"]:
        for hit in payload["hits"]:
            for chunk in (hit, *beneath(hit)):
                seen = chunk["legs"].get(leg)
                is_first = seen and seen["in_leg"] and seen["ordinal"] == 1
                if is_first and hit["rank"] not in shown:
                    raw = raw_score(leg, seen["raw"])
                    champions.append(_champion(payload, page, leg, hit, chunk, raw))
    return champions


def _champion(
    payload: Payload, page: ResultPage, leg: str, hit: Payload, chunk: Payload, raw: str
) -> Champion:
    position = hit["rank"] if page.is_list else hit["card"]
    number = 1 + (position - 1) // _page_size(payload, page)
    here = number == page.number  # Then it is the fourth of its card, or later.
    unfold = hit["card"] if here else 0
    return Champion(
        leg=leg,
        style=leg_style(leg),
        name=hit_name(chunk),
        raw=raw,
        rank=hit["rank"],
        url=file_url(chunk),
        place=f"folded in card {hit['card']}" if here else f"page {number}",
        place_url=f"{page.url(number=number, unfold=unfold)}#hit-{hit['rank']}",
    )


def _shown_ranks(payload: Payload, page: ResultPage) -> Iterator[int]:
    if page.is_list:
        yield from (hit["rank"] for hit in page_rows(payload, page))
        return
    for hits in page_cards(payload, page):
        count = shown_in_card(payload, page, hits[0]["card"])
        yield from (hit["rank"] for hit in hits[:count])


def _page_size(payload: Payload, page: ResultPage) -> int:
    """Return how many cards a page has, or how many rows."""
    config = payload["config"]
    size: int = config["cards_per_page"]
    return size * int(config["chunks_per_card"]) if page.is_list else size


def pager(payload: Payload, page: ResultPage) -> Pager:
    """Return the links to the other pages."""
    pages = page_count(payload, page)
    return link_pages(page.number, pages, lambda number: page.url(number=number))


def page_count(payload: Payload, page: ResultPage) -> int:
    """Return how many pages a result has in this view, at least 1."""
    last = max((hit["card"] for hit in payload["hits"]), default=0)
    count = len(payload["hits"]) if page.is_list else last
    return count_pages(count, _page_size(payload, page))


def answer_pager(payload: Payload, address: Callable[..., str]) -> Pager:
    """Return the links of an answer that says which page it is of how many."""
    first = ResultPage(address)
    return link_pages(
        payload["page"], payload["pages"], lambda number: first.url(number=number)
    )


def list_pager(wanted: int, count: int, size: int, url: Callable[[int], str]) -> Pager:
    """Return the links of a list of `count` rows at a page, the last there is at most.

    Pages have `size` rows; `url` returns the address of one.
    """
    return link_pages(*find_page(wanted, count, size), url, size)


def link_pages(
    here: int, pages: int, url: Callable[[int], str], size: int = 0
) -> Pager:
    """Return the links to other pages of a list that is at page `here`."""
    return Pager(
        page=here,
        pages=pages,
        numbers=_page_links(here, pages, url),
        previous=url(here - 1) if here > 1 else "",
        next=url(here + 1) if here < pages else "",
        rows=slice((here - 1) * size, here * size),
    )


def _page_links(
    here: int, pages: int, url: Callable[[int], str]
) -> list[tuple[int, str] | None]:
    """Return the pages that are linked; None stands for those left out."""
    links: list[tuple[int, str] | None] = []
    before = 0
    for number in sorted({1, pages, here - 1, here, here + 1} & {*range(1, pages + 1)}):
        if number > before + 1:
            links.append(None)
        links.append((number, url(number)))
        before = number
    return links
