"""Absence: the words that the index does not hold, and how close the best hit is.

As JSON of the contract, for `payloads.search_payload`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from codesearch.corpora import Searched
from codesearch.funnel.closeness import Evidence, JudgedBuild, judge
from codesearch.funnel.types import Outcome
from codesearch.funnel.vocabulary import QueryWord, missing_share, weigh_words
from indexer.engines.builds import LocalBuild
from indexer.models import Build
from indexer.pipeline.calibration import from_json, what_lacks
from indexer.pipeline.spelling import nearest_spellings

Payload = dict[str, Any]  # Any: JSON

WORDS_OFFERED = 5  # Missing ones: each is compared with every name of every build.


def absence_payload(outcome: Outcome, searched: Searched) -> Payload:
    """Return the keys `words`, `missing_share` and `closeness` of a search."""
    words = weigh_words(outcome.query, searched.corpus)
    offered = [word for word in words if not word.df][:WORDS_OFFERED]
    return {
        "words": [_word(word, searched, word in offered) for word in words],
        "missing_share": missing_share(words),
        "closeness": closeness_payload(outcome, searched, words),
    }


def _word(word: QueryWord, searched: Searched, is_offered: bool) -> Payload:
    """Return one word, with the spellings that are near if some are offered."""
    return {
        "word": word.word,
        "df": word.df,
        "parts": [{"term": term, "df": df} for term, df in word.parts],
        "share": word.share,
        "near": _nearest(word.word, searched) if is_offered else [],
    }


def _nearest(word: str, searched: Searched) -> list[str]:
    indexed = [build.lexical.spellings for build in searched.corpus.builds]
    return nearest_spellings(indexed, word)


def closeness_payload(
    outcome: Outcome, searched: Searched, words: tuple[QueryWord, ...]
) -> Payload:
    """Return how close the best hit of a search is; `words` are its query's."""
    corpus = searched.corpus
    builds = []
    for build, local, start in zip(
        searched.builds, corpus.builds, corpus.starts, strict=True
    ):
        builds.append(
            JudgedBuild(
                repository=build.index.repository.name,
                start=start,
                stop=start + local.chunk_count,
                postings=local.lexical.postings,
                calibration=from_json(build.calibration),
                reason=_why_not(build, local),
            )
        )
    found = judge(outcome, corpus, builds, words)
    return {
        "band": found.band,
        "evidence": [_evidence(one) for one in found.evidence],
        "builds": [
            {"repository": name, "band": band, "decided": name == found.decided}
            for name, band in found.bands
        ],
        "calibration": asdict(found.calibration) if found.calibration else None,
    }


def _evidence(one: Evidence) -> Payload:
    return {
        "signal": one.signal,
        "value": one.value,
        "sentence": one.sentence,
        "scale": asdict(one.scale) if one.scale else None,
        "place": one.place,
        "says": one.says,
    }


def _why_not(build: Build, local: LocalBuild) -> str:
    """Return why a build's hits cannot be judged, as a sentence; "" if they can."""
    name = build.index.repository.name
    if not build.fingerprint:
        return f"{name} is not calibrated: without vectors there are only its words."
    if any(local.covered.values()) and not any(local.surfaces.values()):
        return f"{name} cannot be judged: nothing here compares with its vectors."
    calibration = from_json(build.calibration)
    if calibration is None:
        if build.is_active:
            return f"{name} is calibrated when all its vectors are made."
        return f"{name} was indexed without a calibration; index it again."
    lacking = what_lacks(calibration)
    return f"{name} is not calibrated: {lacking}." if lacking else ""
