"""Legs: four retrievers, each with one raw score for every chunk it knows.

A fifth runs where a query holds a phrase or a regular expression: `literal`.

A leg holds a chunk only with evidence: a vector, a matched term, a matched
name. No evidence is NaN, never 0, because BM25 gives true matches a score
near zero too.

Builds of several embedders give one purpose and one body leg each: cosines of
two models cannot be compared, and no chunk has both.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from codesearch.funnel.corpus import Corpus
from codesearch.funnel.scope import seek_patterns
from codesearch.funnel.types import (
    Config,
    Findings,
    Hit,
    Leg,
    Mask,
    Models,
    Parts,
    Query,
    QueryEncoder,
    Run,
    Scored,
    Scores,
    Standing,
    surface_of,
)
from indexer.pipeline.loading import ModelError

DENSE = ("purpose", "body")
NAME_DIGITS = 8  # Of the fingerprint, in the name of a leg.
ALWAYS = (*DENSE, "bm25", "symbol")
LITERAL = "literal"
LEGS = (*ALWAYS, LITERAL)
OFF = "off in this config"
# To rank by: only regular expressions, signs, or words that stand everywhere.
NO_WORDS = "the query has no words"


def score_legs(query: Query, corpus: Corpus, models: Models) -> Findings:
    """Return the raw scores of every leg over the whole corpus."""
    started = time.perf_counter()
    legs: list[Scored] = []
    places: Scores | None = None
    suffixes = _suffixes([encoder.fingerprint for encoder in models.encoders])
    for encoder, suffix in zip(models.encoders, suffixes, strict=True):
        dense, found = _score_dense(query, corpus, encoder, suffix)
        legs += dense
        if found is not None:  # No place has a summary of two embedders.
            places = found if places is None else np.fmax(places, found)
    legs += [
        _score_words("bm25", query, corpus.bm25(query.terms)),
        _score_words("symbol", query, corpus.symbol(query.names)),
    ]
    if query.literals:
        seek_patterns(query.filters, corpus)
        legs.append(Scored(LITERAL, corpus.literal(query.literals)))
    milliseconds = 1000 * (time.perf_counter() - started)
    return Findings(query, tuple(legs), places, milliseconds)


def leg_names(fingerprints: Sequence[str], *, has_literals: bool = False) -> list[str]:
    """Return the legs that a search of builds with these embedders can run, in order.

    "" is a build without vectors: no dense leg runs for it.
    """
    found = [one for one in dict.fromkeys(fingerprints) if one]
    dense = [name + suffix for suffix in _suffixes(found) for name in DENSE]
    return [*dense, "bm25", "symbol", *([LITERAL] if has_literals else [])]


def _suffixes(fingerprints: Sequence[str]) -> list[str]:
    """Return what follows the names of the dense legs of each embedder."""
    if len(fingerprints) < 2:
        return [""] * len(fingerprints)
    return [f":{one[:NAME_DIGITS]}" for one in fingerprints]


def rank_legs(
    findings: Findings, config: Config, scope: Mask | None = None
) -> tuple[Leg, ...]:
    """Rank every leg over the chunks of `scope`, None for all.

    One that a config turns off did not run: no stage knows its scores.
    """
    return tuple(_rank(scored, config, scope) for scored in findings.legs)


def _rank(scored: Scored, config: Config, scope: Mask | None) -> Leg:
    if not scored.ran or config.is_off(scored.name):
        note = scored.note or OFF
        leg = idle_leg(scored.name, len(scored.scores), note)
    else:
        leg = rank_leg(
            scored.name, scored.scores, scored.parts, depth=config.depth, scope=scope
        )
    return replace(leg, reach=scored.reach)


def _score_dense(
    query: Query, corpus: Corpus, encoder: QueryEncoder, suffix: str
) -> tuple[list[Scored], Scores | None]:
    """Return the legs of one embedder, and the cosine of its places' summaries."""
    fingerprint = encoder.fingerprint
    reach = corpus.embedded_by(fingerprint)
    vector, missing = _encode(encoder, query)
    if vector is None:
        none = np.full(corpus.chunk_count, np.nan)
        legs = [
            Scored(name + suffix, none, ran=False, note=missing, reach=reach)
            for name in DENSE
        ]
        return legs, None
    legs = [
        Scored(name + suffix, *corpus.cosine(name, vector, fingerprint), reach=reach)
        for name in DENSE
    ]
    return legs, corpus.place_cosine(vector, fingerprint)


def _score_words(name: str, query: Query, scores: Scores) -> Scored:
    """Return a leg of words; without any it does not run."""
    note = "" if query.terms else NO_WORDS
    return Scored(name, scores, ran=not note, note=note)


def _encode(
    encoder: QueryEncoder, query: Query
) -> tuple[npt.NDArray[np.float32] | None, str]:
    """Return the vector of a query, or None and why; other legs can still answer."""
    if not query.terms:  # Of signs alone a model makes a vector too, near to anything.
        return None, NO_WORDS
    if encoder.encode is None:
        return None, encoder.missing
    try:
        return encoder.encode(query.text), ""
    except ModelError as error:
        return None, str(error)


def reaches(leg: Leg, chunk: int) -> bool:
    """Return whether a leg could hold `chunk`: not if another embedder made it."""
    return leg.reach is None or bool(leg.reach[chunk])


def legs_without_vector(
    legs: Sequence[Leg], chunk: int, *, has_purpose: bool
) -> tuple[str, ...]:
    """Return the dense legs that ran and have no vector of `chunk` yet, but will.

    `has_purpose` is False for a window, which has no vector of one.
    """
    surfaces = DENSE if has_purpose else ("body",)
    return tuple(
        leg.name
        for leg in legs
        if surface_of(leg.name) in surfaces
        and leg.ran
        and reaches(leg, chunk)
        and math.isnan(leg.scores[chunk])
    )


def rank_leg(
    name: str,
    scores: Scores,
    parts: Parts | None = None,
    *,
    depth: int,
    scope: Mask | None = None,
) -> Leg:
    """Put the best `depth` chunks on the leg's list: score falling, then number.

    Of those in `scope`; None is all.
    """
    ranked = scores if scope is None else np.where(scope, scores, np.nan)
    in_scope = len(scores) if scope is None else int(np.count_nonzero(scope))
    known = np.flatnonzero(~np.isnan(ranked))
    leading = known
    if len(known) > depth:
        least = np.partition(scores[known], len(known) - depth)[len(known) - depth]
        leading = known[scores[known] >= least]
    order = leading[np.argsort(-scores[leading], kind="stable")][:depth]
    hits = tuple(
        Hit(int(chunk), ordinal, float(scores[chunk]))
        for ordinal, chunk in enumerate(order, start=1)
    )
    floor = hits[-1].score if len(hits) == depth else None
    run, matched = Run(name, hits), len(known)
    return Leg(name, run, scores, ranked, in_scope, matched, floor, depth, parts)


def idle_leg(name: str, chunk_count: int, note: str) -> Leg:
    """Return a leg that did not run, and why."""
    none, run = np.full(chunk_count, np.nan), Run(name, ())
    return Leg(name, run, none, none, 0, 0, None, 0, ran=False, note=note)


def standings(leg: Leg, chunks: Sequence[int]) -> list[Standing | None]:
    """Return where each chunk stands, None out of scope or without evidence."""
    raw = leg.ranked[np.asarray(chunks, np.intp)]
    not_higher = np.searchsorted(leg.ascending, raw, side="right")
    lower = np.searchsorted(leg.ascending, raw, side="left")
    ranks = 1 + len(leg.ascending) - not_higher
    ties = not_higher - lower
    below = lower + leg.in_scope - len(leg.ascending)
    rows = zip(
        chunks, raw.tolist(), ranks.tolist(), ties.tolist(), below.tolist(), strict=True
    )
    return [
        None
        if math.isnan(score)
        else Standing(
            rank=rank,
            ordinal=_ordinal(leg, chunk, rank, tie),
            tie_size=tie,
            raw=score,
            percentile=100 * worse / leg.in_scope,
        )
        for chunk, score, rank, tie, worse in rows
    ]


def standing(leg: Leg, chunk: int) -> Standing | None:
    """Return where `chunk` stands, or None out of scope or without evidence."""
    return standings(leg, [chunk])[0]


def unfiltered_rank(leg: Leg, chunk: int) -> int | None:
    """Return the competition rank over the whole corpus, None without evidence."""
    raw = leg.scores[chunk]
    return None if math.isnan(raw) else 1 + int(np.count_nonzero(leg.scores > raw))


def _ordinal(leg: Leg, chunk: int, rank: int, tie: int) -> int:
    """Return a chunk's place in the total order: of a tie the smaller number first."""
    if tie == 1:
        return rank
    if hit := leg.run.by_chunk.get(chunk):
        return hit.ordinal
    return rank + int(np.count_nonzero(leg.ranked[:chunk] == leg.ranked[chunk]))


def normalised(leg: Leg, chunk: int) -> float | None:
    """Return (raw - min) / (max - min) over the leg's list for this query.

    None outside the list, or where all scores of the list are equal. It is
    relative to this query and says nothing of how close a chunk is.
    """
    hits = leg.run.hits
    if not hits or hits[0].score == hits[-1].score:
        return None
    found = leg.run.by_chunk.get(chunk)
    if found is None:
        return None
    return (found.score - hits[-1].score) / (hits[0].score - hits[-1].score)
