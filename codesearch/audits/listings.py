"""Listings: the lists of one search, counted in chunks or in files.

A file stands where the first of its chunks does; in what is shown, cards come first,
as on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from codesearch.audits.aims import Aim
from codesearch.audits.rows import Line
from codesearch.funnel.audit.types import Stage, StageKind
from codesearch.funnel.corpus import Corpus
from codesearch.funnel.lists import stage_hits
from codesearch.funnel.types import Hit, Outcome
from codesearch.models import CaseSet

SHOWN = (StageKind.RESULT, StageKind.PAGE)
WITHOUT_LIST = (StageKind.UNION, StageKind.CARD)  # Their places come from others.


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """One list: what stands first at each place, and the place of every chunk in it."""

    firsts: tuple[Hit, ...]
    places: Mapping[int, int]

    def place(self, chunks: Iterable[int]) -> int | None:
        """Return the first place of any of `chunks`, from 1; None if none is listed."""
        found = (self.places[chunk] for chunk in chunks if chunk in self.places)
        return min(found, default=None)


Listings = Mapping[str, Listing]  # By stage.


def list_stages(
    outcome: Outcome, corpus: Corpus, stages: Sequence[Stage], unit: str
) -> dict[str, Listing]:
    """Return the list of each stage that has one of its own."""
    found = {}
    for stage in stages:
        if stage.kind in WITHOUT_LIST:
            continue
        hits = stage_hits(outcome, stage.name)
        if unit == CaseSet.Unit.FILE:
            if stage.kind in SHOWN:
                hits = by_card(outcome, hits)
            found[stage.name] = _by_file(hits, corpus)
        else:
            places = {hit.chunk: place for place, hit in enumerate(hits, 1)}
            found[stage.name] = Listing(tuple(hits), places)
    return found


def by_card(outcome: Outcome, hits: Iterable[Hit]) -> list[Hit]:
    """Return hits of the result as one reads them: card by card, then by rank."""
    return sorted(hits, key=lambda hit: (outcome.cards[hit.chunk], hit.ordinal))


def _by_file(hits: Sequence[Hit], corpus: Corpus) -> Listing:
    firsts: list[Hit] = []
    files: dict[int, int] = {}
    places: dict[int, int] = {}
    for hit in hits:
        file = corpus.file_of(hit.chunk)
        if file not in files:
            firsts.append(hit)
            files[file] = len(firsts)
        places[hit.chunk] = files[file]
    return Listing(tuple(firsts), places)


def stage_places(
    aim: Aim, outcome: Outcome, stages: Sequence[Stage], listings: Listings
) -> dict[str, int | None]:
    """Return the place of an aim at every stage, in order; None where it is not."""
    places: dict[str, int | None] = {}
    for stage in stages:
        if stage.kind is StageKind.UNION:  # It follows the legs.
            places[stage.name] = min(
                (place for place in places.values() if place), default=None
            )
        elif stage.kind is StageKind.CARD:
            cards = (outcome.cards[c] for c in aim.chunks if c in outcome.cards)
            places[stage.name] = min(cards, default=None)
        else:
            places[stage.name] = listings[stage.name].place(aim.chunks)
    return places


def name_lists(
    listings: Listings, aims: Sequence[Aim], name: Callable[[int], str]
) -> dict[str, list[Line]]:
    """Return the lists by names of documents; `name` returns that of a chunk.

    Where an aim has its place it stands under its own name.
    """
    lists = {}
    for stage, listing in listings.items():
        names = [name(hit.chunk) for hit in listing.firsts]
        for aim in aims:
            place = listing.place(aim.chunks)
            if place and aim.document:
                names[place - 1] = aim.document
        scores = (hit.score for hit in listing.firsts)
        lists[stage] = [Line(*pair) for pair in zip(names, scores, strict=True)]
    return lists
