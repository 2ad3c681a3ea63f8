"""Calibration: what queries with an answer score in a build, and those without.

Two signals are measured of every query. `cosine` is that of the best chunk, on
either surface. `words` is the share of the query's idf mass that the best chunk
holds, less the share that occurs nowhere: 1 where one chunk holds every word,
-1 where no word occurs. Neither is comparable between builds or models, so each
is placed on the scale of its build: 0 is the median of concepts that are absent,
1 that of sentences that are present.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from indexer.pipeline.postings import Postings, find_chunks, idf
from indexer.pipeline.terms import tokenize, words

LEAST = 50  # Queries of a kind; with fewer a rate is a guess.
# Half way is nearer to neither median. Up to three quarters a signal can be outweighed
# by the other; above, it is what a present query scores and nothing outweighs it.
HALF = 0.5
PRESENT = 0.75
LONGEST = 1000  # Terms; a longer chunk, such as a bundle, holds words by chance.
TAIL = 5  # Percent of a kind that may lie beyond what it is said to reach.


@dataclass(frozen=True, slots=True)
class WordShare:
    """Shares of a query's idf mass, 0 to 1: in the best chunk, and nowhere."""

    covered: float
    missing: float

    @property
    def signal(self) -> float:
        """From 1, all in one chunk, to -1, nothing anywhere."""
        return self.covered - self.missing


@dataclass(frozen=True, slots=True)
class Signals:
    """What is measured of one query; None without a vector, or without a word."""

    cosine: float | None
    words: float | None


@dataclass(frozen=True, slots=True)
class Scale:
    """One signal over a build's queries: medians, and the tails that face.

    `reach` is what 95 % of the absent concepts stay below, `start` what 95 % of
    the present sentences stay above.
    """

    absent: float
    present: float
    reach: float
    start: float

    def place(self, value: float) -> float:
        """Return where a value lies: 0 as the absent median, 1 as the present one."""
        return (value - self.absent) / (self.present - self.absent)


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a build's queries score. Without scales the build is not calibrated.

    `present` and `absent` count the queries. `false_flags` is the share of the
    present ones, `flagged` that of the absent ones that are told nothing is
    close. The scales are fitted on these same queries, by their medians alone.
    """

    present: int
    absent: int
    cosine: Scale | None = None
    words: Scale | None = None
    false_flags: float | None = None
    flagged: float | None = None


def cover(
    postings: Postings, text: str, held_out: Sequence[int] = ()
) -> tuple[npt.NDArray[np.float64], float] | None:
    """Return each chunk's share of the text's idf mass, and what is missing.

    A word counts as it is written: an identifier that no chunk holds is missing
    though its parts occur. `held_out` chunks hold nothing, and of a chunk too long
    to be about what it holds the share is 0. None without a word.
    """
    held = np.zeros(postings.chunk_count)
    total = missing = 0.0
    for word in dict.fromkeys(words(text)):
        if not (terms := tokenize(word)):
            continue
        chunks, _ = find_chunks(postings, terms[0])
        if held_out:
            chunks = chunks[~np.isin(chunks, held_out)]
        weight = idf(postings.chunk_count, len(chunks))
        held[chunks] += weight
        total += weight
        missing += 0.0 if len(chunks) else weight
    held[postings.lengths > LONGEST] = 0.0
    return (held / total, missing / total) if total else None


def share_words(
    postings: Postings, text: str, held_out: Sequence[int] = ()
) -> WordShare | None:
    """Return what the best chunk holds of a text, None if it has no word."""
    found = cover(postings, text, held_out)
    if found is None:
        return None
    return WordShare(float(found[0].max(initial=0.0)), found[1])


def best_cosine(
    surfaces: Sequence[npt.NDArray[np.float64]], held_out: Sequence[int] = ()
) -> float | None:
    """Return the highest of all chunks' cosines, NaN aside; None if there is none."""
    best = np.fmax.reduce([scores for scores in surfaces if len(scores)])
    best[list(held_out)] = np.nan
    known = best[~np.isnan(best)]
    return float(known.max()) if len(known) else None


def calibrate(present: Sequence[Signals], absent: Sequence[Signals]) -> Calibration:
    """Return the scales of a build, and how often its own queries are flagged.

    Without scales when there are too few queries of a kind, or where a signal
    does not tell the two kinds apart.
    """
    bare = Calibration(len(present), len(absent))
    if min(len(present), len(absent)) < LEAST:
        return bare
    cosine = _scale([s.cosine for s in present], [s.cosine for s in absent])
    shared = _scale([s.words for s in present], [s.words for s in absent])
    if cosine is None or shared is None:
        return bare
    fitted = replace(bare, cosine=cosine, words=shared)
    return replace(
        fitted,
        false_flags=_flagged(fitted, present),
        flagged=_flagged(fitted, absent),
    )


def _scale(
    present: Sequence[float | None], absent: Sequence[float | None]
) -> Scale | None:
    known = [value for value in present if value is not None]
    other = [value for value in absent if value is not None]
    if not known or not other or np.median(known) <= np.median(other):
        return None
    return Scale(
        absent=float(np.median(other)),
        present=float(np.median(known)),
        reach=float(np.percentile(other, 100 - TAIL)),
        start=float(np.percentile(known, TAIL)),
    )


def _flagged(calibration: Calibration, queries: Sequence[Signals]) -> float:
    bands = [band(calibration, signals, named=False) for signals in queries]
    return bands.count("nothing") / len(bands)


def band(calibration: Calibration | None, signals: Signals, *, named: bool) -> str:
    """Return close, weak, nothing or uncalibrated.

    No signal decides alone. "Nothing" needs both below what a present query
    scores, and on the whole nearer to the absent ones. "Close" needs two of three
    that are nearer to the present ones; the third is `named`: the query holds the
    exact name of a symbol, which also rules "nothing" out.
    """
    if calibration is None or not (calibration.cosine and calibration.words):
        return "uncalibrated"
    if signals.cosine is None:
        return "uncalibrated"
    if signals.words is None:
        return "weak"
    cosine = calibration.cosine.place(signals.cosine)
    shared = calibration.words.place(signals.words)
    if (cosine > HALF) + (shared > HALF) + named >= 2:
        return "close"
    both_low = max(cosine, shared) < PRESENT
    if both_low and (cosine + shared) / 2 < HALF and not named:
        return "nothing"
    return "weak"


def what_lacks(calibration: Calibration) -> str:
    """Return what a calibration without scales lacks, "" for one that has them."""
    if calibration.cosine and calibration.words:
        return ""
    if calibration.present < LEAST:
        return f"it has {calibration.present} documented sentences, {LEAST} are needed"
    if calibration.absent < LEAST:
        return f"{calibration.absent} concepts are absent from it, {LEAST} are needed"
    return "absent concepts score like its own documented sentences"


def to_json(calibration: Calibration) -> dict[str, Any]:  # Any: JSON
    """Return a calibration as it is stored."""
    return asdict(calibration)


def from_json(stored: Mapping[str, Any] | None) -> Calibration | None:  # Any: JSON
    """Return a stored calibration; None where none was made."""
    if stored is None:
        return None
    scales = {
        name: Scale(**stored[name]) if stored[name] else None
        for name in ("cosine", "words")
    }
    return Calibration(**{**stored, **scales})
