"""Terms: the words of code and prose as the lexical legs compare them.

One tokeniser serves the index and the query, so both sides always agree. A
compound identifier is kept whole and in parts: parts alone lose symbol queries
(hit@1 .30 to .23), the whole alone loses prose queries.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain

import Stemmer

# fmt: off
STOP_WORDS = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for",
    "from", "how", "i", "if", "in", "into", "is", "it", "its", "not", "of", "on",
    "or", "so", "that", "the", "this", "to", "was", "what", "when", "where", "which",
    "with",
))
# fmt: on

# How often each field of a chunk enters its term list.
PATH_WEIGHT = 2
SYMBOL_WEIGHT = 3
HEAD_WEIGHT = 2

DISTINCT_WORDS = 1 << 18  # Words remembered; a large repository has about 60,000.

_WORD = re.compile(r"[^\W\d]\w*|\d+")
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")

_porter = Stemmer.Stemmer("porter", 0)  # Porter 1; "english" is Porter 2.


def tokenize(text: str) -> list[str]:
    """Return the terms of `text` in order, with repeats.

    A compound identifier (`get_user`, `HTTPServer`) gives its whole lower-cased
    form, not stemmed, and then its parts; parts and plain words are
    lower-cased, dropped if they are stop words, and stemmed (Porter 1).
    """
    return list(chain.from_iterable(map(_word_terms, _WORD.findall(text))))


def words(text: str) -> list[str]:
    """Return the words of `text` as they are written, in order, with repeats."""
    return _WORD.findall(text)


def names(text: str) -> list[str]:
    """Return the identifiers and dotted names of `text` as they are written.

    `QuerySet.get` and `std::sort` are one name each. In order, with repeats.
    """
    return _NAME.findall(text)


def split_identifier(word: str) -> list[str]:
    """Return the snake and camel parts of `word` as they are written.

    Digits stay with the letters before them: `getUtf8Name` is get, Utf8, Name.
    The plural of an acronym is one part (`URLs`).
    """
    parts: list[str] = []
    for piece in word.split("_"):
        start = 0
        for i in range(1, len(piece)):
            if _is_hump(piece, i):
                parts.append(piece[start:i])
                start = i
        if piece:
            parts.append(piece[start:])
    return parts


def count_chunk(*, symbol: str, head: str, body: str) -> Counter[str]:
    """Return how often a chunk holds each term: each field counts as it weighs.

    `symbol` is the qualified name with those of its members, `head` the signature
    and doc, `body` the chunk's own text. The terms of its path come on top.
    """
    counts = Counter(tokenize(body))
    for text, weight in ((symbol, SYMBOL_WEIGHT), (head, HEAD_WEIGHT)):
        for term in tokenize(text):
            counts[term] += weight
    return counts


def count_path(path: str) -> Counter[str]:
    """Return how often every chunk of a file holds each term of its path."""
    return Counter(tokenize(path) * PATH_WEIGHT)


def _is_hump(piece: str, i: int) -> bool:
    if not piece[i].isupper():
        return False
    if not piece[i - 1].isupper():
        return True
    rest = piece[i + 1 :]
    return rest[:1].islower() and rest != "s"


def _stem(word: str) -> str:
    stem: str = _porter.stemWord(word)
    return stem or word  # Of "s" Porter leaves nothing.


@lru_cache(maxsize=DISTINCT_WORDS)
def _word_terms(word: str) -> tuple[str, ...]:
    parts = split_identifier(word)
    terms = [_stem(part) for part in map(str.lower, parts) if part not in STOP_WORDS]
    return (word.lower(), *terms) if len(parts) > 1 else tuple(terms)
