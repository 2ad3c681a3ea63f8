"""How close the best hit is, and what the index does not hold, as pages say it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.urls import reverse

from codesearch.pages.links import Scope
from codesearch.pages.scores import joined
from codesearch.payloads import Payload

UNKNOWN_WORD = "unknown word"
WORDS_NAMED = 5  # Of those that occur nowhere; a pasted text may hold hundreds.

# Closeness: (state, glyph, words). "Match" stands here and nowhere else.
BANDS = {
    "close": ("ok", "ok", "Close match"),
    "weak": ("warn", "warn", "Weak"),
    "nothing": ("none", "none", "Nothing here is close"),
    "uncalibrated": ("none", "warn", "Uncalibrated"),
}
# A query of conditions, as an expression alone, has no words to be close to.
NOT_JUDGED = ("none", "none", "Not judged")
WORDLESS = (
    "The query has no words to be close to; what is shown meets all its conditions."
)
SIGNALS = {
    "best cosine": "Best cosine",
    "words": "Words in one chunk, less those nowhere",
    "exact symbol": "Exact symbol",
}
# What a signal says: (state, glyph, words).
SAYS = {
    "absent": ("bad", "bad", "absent"),
    "either": ("none", "none", "either"),
    "present": ("ok", "ok", "present"),
}


@dataclass(frozen=True, slots=True)
class Why:
    """One signal as a row; `reach` and `start` are "" where there is no scale."""

    signal: str
    value: str
    reach: str
    start: str
    state: str
    glyph: str
    says: str


@dataclass(frozen=True, slots=True)
class Closeness:
    """How near the best hit is, as state and words, with the evidence.

    `rate` is the published rate of wrong alarms, "" where there is none, and
    `url` the page that shows the calibration.
    """

    state: str
    glyph: str
    words: str
    sentences: list[str]
    headline: str
    is_nothing: bool
    why: list[Why]
    rate: str
    url: str


@dataclass(frozen=True, slots=True)
class MissingWord:
    """A word of the query that occurs nowhere, with spellings to search for."""

    sentence: str
    offers: list[tuple[str, str]]


def closeness(payload: Payload) -> Closeness:
    """Return the state of the best hit in words, with the evidence for it."""
    found = payload["closeness"]
    band = found["band"]
    if band == "uncalibrated" and not payload["words"]:
        return Closeness(*NOT_JUDGED, [WORDLESS], WORDLESS, False, [], "", "")
    evidence = [
        one
        for one in found["evidence"]
        if one["signal"] != UNKNOWN_WORD  # `missing_words` says it with the parts.
    ]
    calibration = found.get("calibration")
    rate = url = ""
    if calibration and band != "uncalibrated":
        rate = rate_sentence(calibration)
        url = _calibration_url(found)
    return Closeness(
        *BANDS[band],
        sentences=[one["sentence"] for one in evidence],
        headline=_headline(payload, evidence),
        is_nothing=band == "nothing",
        why=[_why(one) for one in evidence if one.get("says")],
        rate=rate,
        url=url,
    )


def _headline(payload: Payload, evidence: list[Payload]) -> str:
    """Return what tells most: the words that occur nowhere, then the signals."""
    missing = [f"“{word['word']}”" for word in payload["words"] if not word["df"]]
    verb = "occurs" if len(missing) == 1 else "occur"
    if more := len(missing[WORDS_NAMED:]):
        missing[WORDS_NAMED:] = [f"{more:,} more"]
    head = [f"{joined(missing)} {verb} nowhere in this index."] if missing else []
    return " ".join([*head, *(one["sentence"] for one in evidence)])


def rate_sentence(calibration: Payload) -> str:
    """Return how often a calibration is wrong about the queries of its build."""
    present, absent = calibration["present"], calibration["absent"]
    return (
        f"Of {present} sentences that have an answer in this build, "
        f"{calibration['false_flags']:.1%} are told that nothing is close; of "
        f"{absent} concepts that have none, {calibration['flagged']:.1%}."
    )


def missing_words(payload: Payload, scope: Scope) -> list[MissingWord]:
    """Return the words of the query that occur nowhere, after some their number.

    An identifier may be missing though its parts occur; those are named.
    """
    missing = [word for word in payload["words"] if not word["df"]]
    found = []
    for word in missing[:WORDS_NAMED]:
        known = [part["term"] for part in word["parts"] if part["df"]]
        verb = "occurs" if len(known) == 1 else "occur"
        tail = f"; of its parts {joined(known)} {verb}" if known else ""
        share = ""
        if "share" in word:  # A record of before has none.
            share = f": {word['share']:.0%} of what you asked for by weight"
        sentence = f"“{word['word']}” occurs nowhere{share}"
        offers = [
            (name, _respelled(scope, word["word"], name))
            for name in word.get("near", ())
        ]
        found.append(MissingWord(f"{sentence}{tail}", offers))
    if more := len(missing[WORDS_NAMED:]):
        verb = "word occurs" if more == 1 else "words occur"
        found.append(MissingWord(f"{more:,} more {verb} nowhere", []))
    return found


def _respelled(scope: Scope, word: str, spelling: str) -> str:
    """Return the address of the same search with one word spelled otherwise."""
    whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    query = whole.sub(lambda _: spelling, scope.query)
    return Scope(query, scope.repositories, scope.profile).search_url()


def _calibration_url(found: Payload) -> str:
    """Return the page of the build that decided, "" where a record does not say."""
    for one in found["builds"]:
        if one.get("decided"):
            return f"{reverse('repository', args=[one['repository']])}#calibration"
    return ""


def _why(one: Payload) -> Why:
    scale = one.get("scale")
    return Why(
        SIGNALS[one["signal"]],
        f"{one['value']:.3f}" if scale else "found",
        f"{scale['reach']:.3f}" if scale else "",
        f"{scale['start']:.3f}" if scale else "",
        *SAYS[one["says"]],
    )
