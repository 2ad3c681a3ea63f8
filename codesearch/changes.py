"""Changes: what would bring a chunk where it was wanted, the smallest first.

First settings, then what the index lacks, then words in the text itself. A change of
settings is run before it is named, so it admits the chunk; how large it is, is `cost`:

- of a number |new - old| / max(|old|, 1), where the first value that admits lies;
- of a leg turned on or off, or of another reranker, 1;
- of two settings the sum. Pairs are looked for only where no single one is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import Literal

import numpy as np

from codesearch.funnel.intervals import nearest, whole_intervals
from codesearch.funnel.legs import ALWAYS, LEGS, legs_without_vector
from codesearch.funnel.search import decide
from codesearch.funnel.seats import Line
from codesearch.funnel.types import Config, Findings, Models, surface_of
from codesearch.knobs import KNOBS, RERANKERS, Knob
from codesearch.switches import without_legs
from codesearch.whatif import (
    Answer,
    Asked,
    End,
    admitted,
    end_of,
    running,
    seats_of,
)
from indexer.engines.local import LocalCorpus
from indexer.pipeline.terms import HEAD_WEIGHT, tokenize

Kind = Literal["config", "query", "index", "document"]
FLIPS = 2  # Legs turned on or off at once.
PAIRS = 3  # Changes of two settings that are named.
SECOND = ("pool", "guarantee", "depth")


@dataclass(frozen=True, slots=True)
class Change:
    """One change, what it costs among its kind, and where the chunk is then.

    A config has `config` and what `turned`; a query the filters to leave out in
    `words`, a document the word to add, the index the surfaces that lack a vector.
    An estimate leaves out what else would change with it; `end` is None if unknown.
    """

    kind: Kind
    cost: float
    end: End | None
    config: Config | None = None
    turned: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    is_estimate: bool = False


def minimal_changes(
    asked: Asked, models: Models, answers: Sequence[Answer]
) -> list[Change]:
    """Return the changes that admit a chunk which died, the smallest of a kind first.

    Empty where it is on page one already.
    """
    if asked.lost is None:
        return []
    tried = [*_single(asked, answers), *_switched(asked), *_reranked(asked)]
    config = list(_run(asked, models, tried))
    if not config:
        pairs = sorted(_pairs(asked), key=lambda row: row[0])
        config = list(islice(_run(asked, models, pairs), PAIRS))
    found = [
        *config,
        *_queries(asked, models),
        *_vectors(asked),
        *_words(asked, models),
    ]
    kinds = ("config", "query", "index", "document")
    return sorted(found, key=lambda one: (kinds.index(one.kind), one.cost, one.turned))


Tried = tuple[float, Config, tuple[str, ...]]  # The cost, the config, what is turned.


def goal_of(asked: Asked) -> str:
    """Return where the chunk is to be: on page one once it is in the pool."""
    return "page" if asked.lost == "page" else "pool"


def _run(asked: Asked, models: Models, tried: Sequence[Tried]) -> Iterator[Change]:
    """Yield those that admit the chunk when they are run."""
    goal = goal_of(asked)
    for cost, config, turned in tried:
        outcome = decide(
            asked.findings, asked.corpus, models, config, asked.outcome.query.filters
        )
        if admitted(outcome, asked.chunk, goal):
            end = end_of(outcome, asked.chunk)
            yield Change("config", cost, end, config, turned)


def _single(asked: Asked, answers: Sequence[Answer]) -> Iterator[Tried]:
    for one in answers:
        if one.verdict == "admits" and one.nearest is not None:
            config = one.knob.turn(asked.config, one.nearest)
            cost = relative(one.distance or 0.0, one.value)
            yield cost, config, (one.knob.name,)


def relative(distance: float, value: float) -> float:
    """Return how large a change of a number is, relative to it."""
    return distance / max(abs(value), 1.0)


def _switched(asked: Asked) -> Iterator[Tried]:
    """Yield the choices of legs a flip or two away that may admit the chunk."""
    if asked.lost == "scope":
        return
    for one in without_legs(asked):
        flips = asked.config.off ^ set(one.off)
        if 0 < len(flips) <= FLIPS and one.is_in:
            off = replace(asked.config, off=frozenset(one.off))
            yield float(len(flips)), off, tuple(sorted(flips, key=LEGS.index))


def _reranked(asked: Asked) -> Iterator[Tried]:
    if asked.lost == "page":
        for kind in RERANKERS:
            if kind != asked.outcome.reranked.kind:
                config = replace(asked.config, reranker=kind)  # type: ignore[arg-type] # One of them.
                yield 1.0, config, ("reranker",)


def _pairs(asked: Asked) -> Iterator[Tried]:
    """Yield changes of two settings, the second by as little as the first needs."""
    if asked.lost == "page":
        yield from _larger_page(asked)
    elif asked.lost != "scope":
        for cost, config, turned in _firsts(asked):
            line = running(asked.every, config)
            for knob in (KNOBS[name] for name in SECOND if name not in turned):
                if found := _second(line, config, knob, asked):
                    more, value = found
                    yield cost + more, knob.turn(config, value), (*turned, knob.name)


def _firsts(asked: Asked) -> Iterator[Tried]:
    """Yield the depths and guarantees that reach the chunk in a leg, and flips."""
    ordinals = asked.line.ordinals[:, asked.line.row]
    for ordinal in sorted({int(o) for o in ordinals if np.isfinite(o)}):
        for knob, value in (
            (KNOBS["depth"], asked.config.depth),
            (KNOBS["guarantee"], asked.outcome.pool.guarantee),
        ):
            if value < ordinal <= knob.most:
                cost = relative(ordinal - value, value)
                yield cost, knob.turn(asked.config, ordinal), (knob.name,)
    for leg in LEGS:
        off = asked.config.off ^ {leg}
        if leg in map(surface_of, asked.every.legs) and not off.issuperset(ALWAYS):
            yield 1.0, replace(asked.config, off=frozenset(off)), (leg,)


def _second(
    line: Line, config: Config, knob: Knob, asked: Asked
) -> tuple[float, float] | None:
    """Return the cost and the value of the least change that seats the chunk."""
    if not line.legs:
        return None
    seats = seats_of(line, config, knob)
    sizes = np.arange(len(seats)) + int(knob.least)
    fits = seats <= (sizes if knob.name == "pool" else config.pool_size)
    value = knob.read(asked.config)
    value = asked.outcome.pool.guarantee if value is None else value
    near = nearest(whole_intervals(int(knob.least), fits), value, is_whole=True)
    return (relative(near[0], value), near[1]) if near else None


def _larger_page(asked: Asked) -> Iterator[Tried]:
    """Yield the page of as many cards, and chunks on each, as it takes."""
    if asked.chunk in asked.outcome.folded:
        return
    config, cost = asked.config, 0.0
    needed = asked.needed
    for name in ("cards", "chunks"):
        value = KNOBS[name].read(config) or 0.0
        if needed[name] > KNOBS[name].most:
            return
        cost += relative(max(needed[name] - value, 0.0), value)
        config = KNOBS[name].turn(config, max(needed[name], value))
    yield cost, config, ("cards", "chunks")


def _queries(asked: Asked, models: Models) -> Iterator[Change]:
    """Yield the conditions that leave the chunk out and could go."""
    if asked.lost != "scope":
        return
    for one in asked.outcome.scope.conditions:
        filters = [f for f in asked.outcome.query.filters if f not in one.filters]
        outcome = decide(asked.findings, asked.corpus, models, asked.config, filters)
        if admitted(outcome, asked.chunk, "pool"):
            end = end_of(outcome, asked.chunk)
            yield Change("query", 1.0, end, words=tuple(f.text for f in one.filters))


def _vectors(asked: Asked) -> Iterator[Change]:
    """Yield the surfaces of the chunk that have no vector yet."""
    if asked.lost == "scope" or not isinstance(asked.corpus, LocalCorpus):
        return
    has_purpose = asked.corpus.has_purpose(asked.chunk)
    lacking = legs_without_vector(
        asked.outcome.legs, asked.chunk, has_purpose=has_purpose
    )
    if lacking:
        yield Change("index", 1.0, None, words=lacking, is_estimate=True)


def _words(asked: Asked, models: Models) -> Iterator[Change]:
    """Yield the query's words that, said once in the chunk's doc, admit it.

    Its bm25 score is what it would be with the N, df and average length of now; its
    vectors would change too, and those are as they are. In the order of the query.
    """
    corpus, query = asked.corpus, asked.outcome.query
    if asked.lost == "scope" or not isinstance(corpus, LocalCorpus):
        return
    times = 1 + (HEAD_WEIGHT if corpus.has_purpose(asked.chunk) else 0)
    said: set[str] = set()
    for word, number in zip(query.words, count()):
        lacking = [
            t for t in tokenize(word) if not corpus.term_frequency(t, asked.chunk)
        ]
        if not lacking or said.issuperset(lacking):
            continue
        said.update(lacking)
        score = corpus.bm25_with(
            query.terms, asked.chunk, dict.fromkeys(lacking, times)
        )
        outcome = decide(
            _with_bm25(asked, score), corpus, models, asked.config, query.filters
        )
        if admitted(outcome, asked.chunk, goal_of(asked)):
            end = end_of(outcome, asked.chunk)
            yield Change(
                "document", float(number), end, words=(word,), is_estimate=True
            )


def _with_bm25(asked: Asked, score: float) -> Findings:
    legs = []
    for leg in asked.findings.legs:
        if leg.name == "bm25":
            scores = leg.scores.copy()
            scores[asked.chunk] = score
            leg = replace(leg, scores=scores)
        legs.append(leg)
    return replace(asked.findings, legs=tuple(legs))
