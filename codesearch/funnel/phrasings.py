"""Phrasings: other ways to ask for one target, and what their ranks tell.

The variants of a query are made by rule, the same for equal inputs. Those that use the
target's own words are no fair question, but a bound: if they do not find it, no
phrasing is to blame.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from indexer.pipeline.terms import split_identifier, tokenize

TRACED, TYPED, VARIANT = "traced", "typed", "variant"
LIMIT = 30  # Phrasings of one sweep: they are asked while someone waits.
LEFT_OUT = 12  # Words that are left out, one a variant; with the others at most 20.
JOINED = range(2, 5)  # Words that a name is joined of; nobody writes longer ones.

ON_PAGE, IN_POOL, LOST = "page", "pool", "lost"  # Where a target ends, best first.

# A dotted name is one word: "QuerySet.get" without "get" is no query.
_WORD = re.compile(r"\w+(?:(?:\.|::)\w+)*")


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One way to ask. `kind` is traced, typed or variant; `origin` says it in words.

    `leaks` is true where it uses the name or the docs of the target.
    """

    text: str
    kind: str
    origin: str
    leaks: bool = False


@dataclass(frozen=True, slots=True)
class Spread:
    """The ranks of one target over several phrasings; None where none has one.

    `median` is the mean of the two in the middle where their number is even.
    """

    found: int
    absent: int
    least: int | None
    median: float | None
    most: int | None


def vary(text: str, name: str = "", sentence: str = "") -> list[Phrasing]:
    """Return the variants of a query in order, none of them twice and none `text`.

    `name` is that of the target and `sentence` the first of its docs, where it has any.
    """
    content = content_words(text)
    found = [*_words_left_out(text, content), *_respelled(text, content)]
    if name:
        found.append(_leaking(f"{text} {name}", "its name added"))
    if sentence:
        found.append(_leaking(sentence, "first sentence of its docs: upper bound"))
    if name:
        found.append(_leaking(name, "its name alone: control, a lookup by name"))
    return distinct([Phrasing(text, TRACED, ""), *found])[1:]


def content_words(text: str) -> list[str]:
    """Return the words of a query that are no stop words, in order, each once."""
    return list(dict.fromkeys(word for word in _WORD.findall(text) if tokenize(word)))


def distinct(phrasings: Iterable[Phrasing]) -> list[Phrasing]:
    """Return the phrasings with the first of those that differ in white space only."""
    known: dict[str, Phrasing] = {}
    for one in phrasings:
        known.setdefault(" ".join(one.text.split()), one)
    known.pop("", None)
    return list(known.values())


def spread(ranks: Sequence[int | None]) -> Spread:
    """Return least, median and most of some ranks; the absent are counted apart."""
    found = sorted(rank for rank in ranks if rank is not None)
    absent = len(ranks) - len(found)
    if not found:
        return Spread(0, absent, None, None, None)
    return Spread(len(found), absent, found[0], statistics.median(found), found[-1])


def sensitivity(ends: Sequence[str]) -> tuple[bool, str]:
    """Return whether a target's end depends on the phrasing, with the count in words.

    It does if the phrasings do not all end alike: on page one, in the pool, or lost.
    Without any there are no words.
    """
    if not ends:
        return False, ""
    words = {
        ON_PAGE: "on page one",
        IN_POOL: "in the pool but not on page one",
        LOST: "lost before the pool",
    }
    counts = Counter(ends)
    told = [f"{told} for {counts[end]}" for end, told in words.items() if counts[end]]
    return len(counts) > 1, f"{', '.join(told)} of {len(ends)}"


def _words_left_out(text: str, content: Sequence[str]) -> list[Phrasing]:
    if len(content) < 2:
        return []
    return [
        Phrasing(_without(text, {word}), VARIANT, f"without “{word}”")
        for word in content[:LEFT_OUT]
    ]


def _respelled(text: str, content: Sequence[str]) -> list[Phrasing]:
    """Return the query in other spellings: names split, words joined, no stop words."""
    found = [Phrasing(_WORD.sub(_split, text), VARIANT, "names split into words")]
    if len(content) in JOINED and all(map(_is_plain, content)):
        snake = "_".join(map(str.lower, content))
        camel = "".join(word[:1].upper() + word[1:].lower() for word in content)
        found.append(Phrasing(snake, VARIANT, "words joined to a name"))
        found.append(Phrasing(camel, VARIANT, "words joined to a name"))
    stops = set(_WORD.findall(text)) - set(content)
    if stops and content:
        found.append(Phrasing(_without(text, stops), VARIANT, "stop words dropped"))
    return found


def _leaking(text: str, origin: str) -> Phrasing:
    return Phrasing(text, VARIANT, origin, leaks=True)


def _without(text: str, words: set[str]) -> str:
    """Return a query without some of its words, wherever they stand."""
    kept = _WORD.sub(lambda found: "" if found[0] in words else found[0], text)
    return " ".join(kept.split())


def _split(found: re.Match[str]) -> str:
    parts = [part for word in re.split(r"\W+", found[0]) for part in _parts(word)]
    return " ".join(map(str.lower, parts)) if len(parts) > 1 else found[0]


def _parts(word: str) -> list[str]:
    return split_identifier(word) or [word]


def _is_plain(word: str) -> bool:
    return word.isalpha() and len(split_identifier(word)) == 1
