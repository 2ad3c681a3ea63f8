"""Closeness: whether anything found is close to what was asked, and why.

Judged build by build, by the scales of each build's own calibration; the best
band holds. Nothing here is normalised over the hits of a query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codesearch.funnel.corpus import Corpus
from codesearch.funnel.legs import DENSE, reaches
from codesearch.funnel.types import Outcome, Query, surface_of
from codesearch.funnel.vocabulary import QueryWord
from indexer.pipeline.calibration import (
    HALF,
    PRESENT,
    Calibration,
    Scale,
    Signals,
    WordShare,
    band,
    best_cosine,
    cover,
)
from indexer.pipeline.postings import Postings
from indexer.pipeline.terms import names, tokenize

# A build without a calibration might hold the answer, so it outranks "nothing".
BANDS = ("nothing", "uncalibrated", "weak", "close")
NO_COSINE = "{} cannot be judged: no cosine tells how close its chunks are."


@dataclass(frozen=True, slots=True)
class JudgedBuild:
    """One searched build: its chunks in the corpus are `start` up to `stop`.

    `reason` says why there is no calibration.
    """

    repository: str
    start: int
    stop: int
    postings: Postings
    calibration: Calibration | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that was measured, in words; `scale` and `place` if calibrated.

    `says` is absent, either, present or "" for what takes no part in the band.
    """

    signal: str
    value: float | None
    sentence: str
    scale: Scale | None = None
    place: float | None = None
    says: str = ""


@dataclass(frozen=True, slots=True)
class Closeness:
    """The band of a search, of each build by repository, and the evidence.

    `decided` is the repository whose build decided; evidence and calibration are of it.
    """

    band: str
    evidence: tuple[Evidence, ...]
    bands: tuple[tuple[str, str], ...]
    decided: str
    calibration: Calibration | None


@dataclass(frozen=True, slots=True)
class _Judgement:
    build: JudgedBuild
    band: str
    cosine: float | None
    words: WordShare | None
    name: str

    @property
    def places(self) -> tuple[float, ...]:
        """Where both signals lie; empty if one is missing or there is no scale."""
        fitted = self.build.calibration
        if not (fitted and fitted.cosine and fitted.words):
            return ()
        if self.cosine is None or self.words is None:
            return ()
        return fitted.cosine.place(self.cosine), fitted.words.place(self.words.signal)


def judge(
    outcome: Outcome,
    corpus: Corpus,
    builds: Sequence[JudgedBuild],
    words: Sequence[QueryWord],
) -> Closeness:
    """Return how close the best chunk in scope is. There is at least one build."""
    if not outcome.scope.chunks.any():
        none = Evidence("scope", 0.0, "The filters leave no chunk to search.")
        bands = tuple((build.repository, "nothing") for build in builds)
        return Closeness("nothing", (none,), bands, builds[0].repository, None)
    judged = [_judge_build(outcome, corpus, build) for build in builds]
    best = max(judged, key=lambda one: (BANDS.index(one.band), sum(one.places)))
    evidence = [_unknown(word) for word in words if not word.df]
    if best.band == "uncalibrated":
        evidence += _bare_cosines(outcome)
        reason = best.build.reason or NO_COSINE.format(best.build.repository)
        evidence.append(Evidence("calibration", None, reason))
    else:
        evidence += _measured(best, of_several=len(builds) > 1)
    return Closeness(
        best.band,
        tuple(evidence),
        tuple((one.build.repository, one.band) for one in judged),
        best.build.repository,
        best.build.calibration,
    )


def telling_names(query: Query) -> list[str]:
    """Return the names that can only be meant for a symbol.

    Compound and dotted ones, and whatever stands alone: a plain word in a
    sentence has the name of some symbol too often.
    """
    found = [name for name in names(query.text) if tokenize(name)]
    if len(found) == 1:
        return found
    return [name for name in dict.fromkeys(found) if len(tokenize(name)) > 1]


def _judge_build(outcome: Outcome, corpus: Corpus, build: JudgedBuild) -> _Judgement:
    inside = slice(build.start, build.stop)
    in_scope = outcome.scope.chunks[inside]
    dense = [
        leg.ranked[inside]
        for leg in outcome.legs
        if surface_of(leg.name) in DENSE and reaches(leg, build.start)
    ]
    cosine = best_cosine(dense) if dense else None
    covered = cover(build.postings, outcome.query.text)
    shared = covered and WordShare(
        float(covered[0][in_scope].max(initial=0.0)), covered[1]
    )
    name = next(
        (
            name
            for name in telling_names(outcome.query)
            if not np.isnan(corpus.symbol((name,))[inside][in_scope]).all()
        ),
        "",
    )
    found = band(
        build.calibration,
        Signals(cosine, shared.signal if shared else None),
        named=bool(name),
    )
    return _Judgement(build, found, cosine, shared, name)


def _unknown(word: QueryWord) -> Evidence:
    sentence = (
        f"“{word.word}” occurs nowhere in this index: {word.share:.0%} of what was "
        "asked for, by weight."
    )
    return Evidence("unknown word", word.share, sentence)


def _bare_cosines(outcome: Outcome) -> list[Evidence]:
    found = [
        Evidence(
            f"best {leg.name} cosine",
            leg.run.hits[0].score,
            f"Best {leg.name} cosine {leg.run.hits[0].score:.3f}.",
        )
        for leg in outcome.legs
        if surface_of(leg.name) in DENSE and leg.run.hits
    ]
    if not outcome.fused.hits:
        found.append(Evidence("hits", 0.0, "No leg found anything."))
    return found


def _measured(one: _Judgement, *, of_several: bool) -> list[Evidence]:
    """Return the signals of the build that decided, on its scales."""
    fitted = one.build.calibration
    where = f" in {one.build.repository}" if of_several else ""
    found = []
    if fitted and fitted.cosine and one.cosine is not None:
        scale = fitted.cosine
        sentence = (
            f"Best cosine{where} {one.cosine:.3f}; absent concepts reach "
            f"{scale.reach:.3f}, present sentences typically {scale.present:.3f}."
        )
        found.append(_placed("best cosine", one.cosine, sentence, scale))
    if fitted and fitted.words and one.words is not None:
        missing = one.words.missing
        sentence = (
            f"One chunk{where} holds {one.words.covered:.0%} of the query's words by "
            f"weight{f'; {missing:.0%} occurs nowhere' if missing else ''}."
        )
        found.append(_placed("words", one.words.signal, sentence, fitted.words))
    if one.name:
        sentence = f"“{one.name}” is the exact name of a symbol."
        found.append(Evidence("exact symbol", 1.0, sentence, says="present"))
    return found


def _placed(signal: str, value: float, sentence: str, scale: Scale) -> Evidence:
    place = scale.place(value)
    says = "absent" if place < HALF else "either" if place < PRESENT else "present"
    return Evidence(signal, value, sentence, scale, place, says)
