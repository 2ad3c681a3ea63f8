"""Trace: where one chunk stood at every stage, where it died, and what was short.

The closed list of deaths is `docs/funnel.md`. A target dies at the first stage
after which no list holds it, once, or not at all when it is on page one. Deaths
before the scope (corpus, chunk) belong to targets that are no chunk of
the search; whoever resolves targets decides those.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from codesearch.funnel.expression import name_of
from codesearch.funnel.folding import COPY
from codesearch.funnel.fusion import tie_of
from codesearch.funnel.legs import (
    NO_WORDS,
    legs_without_vector,
    reaches,
    standing,
    unfiltered_rank,
)
from codesearch.funnel.pool import fill_pool
from codesearch.funnel.types import (
    Condition,
    Fold,
    Hit,
    Leg,
    Outcome,
    Standing,
    surface_of,
)
from codesearch.funnel.vocabulary import WordCount

VOCABULARY_SHARE = 1 / 3  # Below this share of the query's idf mass: a gap.


@dataclass(frozen=True, slots=True)
class Death:
    """Where and why a target was lost; `needed` is what would have saved it."""

    stage: str
    reason: str
    detail: str
    needed: str | None = None


@dataclass(frozen=True, slots=True)
class TargetTrace:
    """One chunk at every stage of one search. What is folded has no final hit.

    `unfiltered_ranks` are those over the whole corpus; out of scope there is no other.
    `unembedded` are the legs that have no vector of it yet.
    """

    chunk: int
    is_in_scope: bool
    unfiltered_ranks: Mapping[str, int | None]
    standings: Mapping[str, Standing | None]
    margins: Mapping[str, float | None]
    in_leg: Mapping[str, bool]
    fused: Hit | None
    via: str | None
    fold: Fold | None
    final: Hit | None
    card: int | None
    place_in_card: int | None
    death: Death | None
    unembedded: tuple[str, ...] = ()


def trace_chunk(
    outcome: Outcome,
    chunk: int,
    words: Sequence[WordCount],
    *,
    has_purpose: bool,
    spell: Callable[[int], str] = str,
    with_pool_size: bool = True,
) -> TargetTrace:
    """Follow `chunk` to its end. `has_purpose` is False for a window.

    `spell` returns the id of a chunk that a death names. Without `with_pool_size` no
    pool is looked for that would have held it: that means filling many.
    """
    unembedded = legs_without_vector(outcome.legs, chunk, has_purpose=has_purpose)
    traced = replace(follow_chunk(outcome, chunk), unembedded=unembedded)
    death = _death(outcome, traced, words, spell)
    if death and death.stage == "pool" and with_pool_size:
        size = _smallest_pool(outcome, chunk)
        needed = f"A pool of {size}." if size else "No pool size admits it."
        death = replace(death, needed=needed)
    return replace(traced, death=death)


def follow_chunk(outcome: Outcome, chunk: int) -> TargetTrace:
    """Return where `chunk` stood at every stage, without looking for its death."""
    standings = {leg.name: standing(leg, chunk) for leg in outcome.legs}
    in_leg = {leg.name: chunk in leg.run.by_chunk for leg in outcome.legs}
    final = outcome.shown.by_chunk.get(chunk)
    return TargetTrace(
        chunk=chunk,
        is_in_scope=bool(outcome.scope.chunks[chunk]),
        unfiltered_ranks={
            leg.name: unfiltered_rank(leg, chunk) for leg in outcome.legs
        },
        standings=standings,
        margins={leg.name: _margin(leg, standings[leg.name]) for leg in outcome.legs},
        in_leg=in_leg,
        fused=outcome.fused.by_chunk.get(chunk),
        via=outcome.pool.entry.get(chunk),
        fold=outcome.folded.get(chunk),
        final=final,
        card=outcome.cards.get(chunk),
        place_in_card=place_in_card(outcome, chunk) if final else None,
        death=None,
    )


def stage_lost(outcome: Outcome, chunk: int) -> str | None:
    """Return the stage at which `chunk` died, None if it is on page one."""
    if not outcome.scope.chunks[chunk]:
        return "scope"
    if chunk not in outcome.fused.by_chunk:
        return "leg"
    if chunk not in outcome.pool.entry:
        return "pool"
    if chunk in outcome.folded:
        return "page"
    config = outcome.config
    card, place = outcome.cards[chunk], place_in_card(outcome, chunk)
    is_shown = card <= config.cards_per_page and place <= config.chunks_per_card
    return None if is_shown else "page"


def best_of(outcome: Outcome, chunks: Sequence[int]) -> int:
    """Return the one of `chunks` that came furthest; the smaller number on a tie."""
    listed = [chunk for chunk in chunks if chunk in outcome.fused.by_chunk]
    return min(
        listed or chunks, key=lambda n: (*stage_reached(follow_chunk(outcome, n)), n)
    )


def stage_reached(traced: TargetTrace) -> tuple[int, float]:
    """Return a sort key: the best of several chunks has the smallest."""
    if traced.final:
        return (0, traced.final.ordinal)
    if traced.fused:
        return (1 if traced.fold else 2, traced.fused.ordinal)
    if not traced.is_in_scope:
        ranks = [rank for rank in traced.unfiltered_ranks.values() if rank]
        return (4, min(ranks, default=math.inf))
    ordinals = [s.ordinal for s in traced.standings.values() if s]
    return (3, min(ordinals, default=math.inf))


def _margin(leg: Leg, found: Standing | None) -> float | None:
    if found is None or leg.floor is None:
        return None
    return found.raw - leg.floor


def place_in_card(outcome: Outcome, chunk: int) -> int:
    """Return the chunk's position within its card, from 1."""
    card = outcome.cards[chunk]
    same = [h.chunk for h in outcome.shown.hits if outcome.cards[h.chunk] == card]
    return 1 + same.index(chunk)


def _death(
    outcome: Outcome,
    traced: TargetTrace,
    words: Sequence[WordCount],
    spell: Callable[[int], str],
) -> Death | None:
    if excluded := outcome.scope.exclusion(traced.chunk):
        return _death_in_scope(traced, excluded)
    if not any(traced.in_leg.values()):
        return _death_in_legs(outcome, traced, words)
    if traced.via is None:
        return _death_in_pool(outcome, traced)
    if traced.fold:
        return _death_beneath(outcome, traced.fold, spell)
    return _death_on_page(outcome, traced)


def _death_in_scope(traced: TargetTrace, excluded: Condition) -> Death:
    found = traced.unfiltered_ranks.items()
    ranks = ", ".join(f"{name} {rank:,}" for name, rank in found if rank)
    known = f"Its unfiltered ranks: {ranks}." if ranks else "No leg knows it."
    return Death(
        "scope",
        f"filter:{name_of(excluded.filters[0])}",
        f"“{excluded.text}” leaves it out. {known}",
        f"A search without “{excluded.text}”.",
    )


def _death_in_legs(
    outcome: Outcome, traced: TargetTrace, words: Sequence[WordCount]
) -> Death:
    idle = next(
        (leg for leg in outcome.legs if _is_missing(outcome, leg, traced)), None
    )
    if idle:
        return Death(
            "leg",
            f"leg_missing:{idle.name}",
            "No leg that ran took it, and "
            f"the {idle.name} leg did not run: {idle.note}.",
            f"Run the {idle.name} leg.",
        )
    if gap := _vocabulary_gap(words):
        return gap
    if traced.unembedded:
        surfaces = " and ".join(map(surface_of, traced.unembedded))
        return Death(
            "leg",
            "not_embedded",
            f"It has no {surfaces} vector yet, and no other leg took it.",
            "Its vectors: the coverage of the build says how far they are.",
        )
    return _below_floor(outcome, traced)


def _is_missing(outcome: Outcome, leg: Leg, traced: TargetTrace) -> bool:
    """Tell whether a leg that could hold the target failed.

    One that is turned off did not, nor one that had no words to go by.
    """
    is_idle = outcome.config.is_off(leg.name) or leg.note == NO_WORDS
    return not leg.ran and not is_idle and reaches(leg, traced.chunk)


def _vocabulary_gap(words: Sequence[WordCount]) -> Death | None:
    mass = sum(word.idf for word in words)
    held = sum(word.idf for word in words if word.tf)
    if not mass or held >= VOCABULARY_SHARE * mass:
        return None
    missing = [word for word in words if not word.tf]
    nowhere = [word.word for word in missing if not word.df]
    detail = (
        f"Its text holds {100 * held / mass:.0f}% of the query's idf mass; "
        f"it lacks {_listed([word.word for word in missing])}."
    )
    if nowhere:
        detail += f" {_listed(nowhere)} occurs nowhere in this index."
    return Death("leg", "vocabulary_gap", detail, "Ask in words that its text holds.")


def _below_floor(outcome: Outcome, traced: TargetTrace) -> Death:
    short = {name: found for name, found in traced.standings.items() if found}
    if not short:
        return Death(
            "leg", "no_evidence", "No vector, term or name ties it to the query."
        )
    detail = "; ".join(
        f"{name} rank {found.rank:,}{_shortfall(found, traced.margins[name])}"
        for name, found in short.items()
    )
    name, found = min(short.items(), key=lambda row: row[1].ordinal)
    return Death(
        "leg",
        "below_floor",
        f"Every leg put it below its list of {outcome.config.depth}: {detail}.",
        f"A {name} list of {found.ordinal:,}; it takes {outcome.config.depth}.",
    )


def _shortfall(found: Standing, margin: float | None) -> str:
    """Return how far a chunk is from the list; of none, which tie was cut."""
    if margin is None:
        return ""
    if not margin:
        return f", but the cut is inside its tie of {found.tie_size:,}"
    return f", short by {abs(margin):.3g}"


def _death_in_pool(outcome: Outcome, traced: TargetTrace) -> Death:
    seats = ", ".join(
        f"{name} {found.ordinal:,}"
        for name, found in traced.standings.items()
        if found and traced.in_leg[name]
    )
    fused = traced.fused.ordinal if traced.fused else 0
    return Death(
        "pool",
        "outvoted",
        f"In the list of {seats}; fused ordinal {fused:,}, and the pool of "
        f"{outcome.config.pool_size} seats the first {outcome.pool.guarantee} of "
        f"each leg, then the fused order.{_cut_tie(outcome, traced)}",
    )


def _cut_tie(outcome: Outcome, traced: TargetTrace) -> str:
    """Return a sentence if the last seat went to a chunk of the same fused score."""
    tied = tie_of(outcome.fused, traced.chunk)
    if all(outcome.pool.entry.get(chunk) != "fusion" for chunk in tied):
        return ""
    return f" The cut is inside a tie of {len(tied):,}, which goes by path."


def _smallest_pool(outcome: Outcome, chunk: int) -> int | None:
    """Return the smallest pool that seats `chunk`, by filling each in turn.

    Not monotone: a larger guarantee can take the seat of a fused hit.
    """
    for size in range(outcome.config.pool_size + 1, len(outcome.fused.hits) + 1):
        config = replace(outcome.config, pool_size=size)
        if chunk in fill_pool(outcome.legs, outcome.fused, config).entry:
            return size
    return None


def _death_beneath(outcome: Outcome, fold: Fold, spell: Callable[[int], str]) -> Death:
    rank, card = outcome.shown.by_chunk[fold.under].ordinal, outcome.cards[fold.under]
    page = 1 + (card - 1) // outcome.config.cards_per_page
    why = "It holds the same text" if fold.reason == COPY else "It only re-exports it"
    return Death(
        "page",
        f"{fold.reason}:{spell(fold.of)}",
        f"{why}, and is listed beneath rank {rank}, on card {card}: page {page}.",
        f"Unfold what is beneath rank {rank}.",
    )


def _death_on_page(outcome: Outcome, traced: TargetTrace) -> Death | None:
    config = outcome.config
    card, place = traced.card or 0, traced.place_in_card or 0
    page = 1 + (card - 1) // config.cards_per_page
    rank = traced.final.ordinal if traced.final else 0
    if page > 1:
        return Death(
            "page",
            "beyond_page",
            f"Rank {rank}, on card {card}: page {page}.",
            f"Page {page}, or a card {card - config.cards_per_page} places higher.",
        )
    if place > config.chunks_per_card:
        return Death(
            "page",
            "folded",
            f"Its card is number {card}, and it is the card's chunk number {place}; "
            f"a card shows {config.chunks_per_card}.",
            "Unfold the card.",
        )
    return None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)
