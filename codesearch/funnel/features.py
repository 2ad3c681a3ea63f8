"""Features: what the structural rerank adds up, absolute and by name.

Every feature runs from 0 to about 1 and is the same number for the same chunk
whatever else the query found: nothing is normalised within a query. Those of a
file or a class are taken over all its chunks in the corpus, not in the pool.
`docs/ranking.md` has their definitions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from codesearch.funnel.corpus import Corpus
from codesearch.funnel.types import Leg, Query, Scores, Sum
from codesearch.funnel.weights import DENSE, LEXICAL
from indexer.pipeline.catalogue import Facts
from indexer.pipeline.names import rarity
from indexer.pipeline.postings import K1
from indexer.pipeline.terms import tokenize

BEST = 3  # Chunks that speak for their file or class: one is chance, all dilute.
PREFIX_SHARE = 0.7  # Of a match where one word begins the other: auth, authentication.
LEAST_PREFIX = 3  # Letters; shorter ones begin too many words.
MOST_LINES = 20  # Beyond it a longer chunk is no better an answer.
KIND_SHARE: Mapping[str, float] = {
    "class": 1.0,
    "interface": 1.0,
    "type": 0.9,
    "enum": 0.9,
    "function": 0.9,
    "macro": 0.8,
    "namespace": 0.8,
    "method": 0.7,
    "property": 0.7,
}
OTHER_KIND = 0.5
NO_POINTS: Mapping[str, float] = MappingProxyType({})
NO_SYMBOL = frozenset({"module", "window"})


def add_up(
    query: Query,
    corpus: Corpus,
    legs: Sequence[Leg],
    chunks: Sequence[int],
    points: Mapping[str, float] = NO_POINTS,
) -> Sum:
    """Return the structural scores of `chunks`, in their order.

    `points` are the weights of features that do not count as they were fitted.
    """
    asked = _Asked(query, corpus, {leg.name: leg for leg in legs})
    fitted = DENSE if asked.has_purposes else LEXICAL
    weights = {name: points.get(name, weight) for name, weight in fitted.items()}
    columns = [_measure(asked, name, chunks) for name in weights]
    values = np.array(columns).T.reshape(len(chunks), len(columns))
    scores = np.zeros(len(chunks))
    for column, weight in zip(columns, weights.values(), strict=True):
        scores += np.nan_to_num(column) * weight
    return Sum(
        names=tuple(weights),
        weights=tuple(weights.values()),
        rows={chunk: row for row, chunk in enumerate(chunks)},
        values=values,
        scores=scores,
        is_dense=asked.has_purposes,
    )


@dataclass(slots=True)
class _Asked:
    """One query on one corpus, with what several features need of it."""

    query: Query
    corpus: Corpus
    legs: Mapping[str, Leg]
    idf: Mapping[str, float] = field(init=False)
    mass: float = field(init=False)
    shares: Scores = field(init=False)
    named: Mapping[int, float] = field(init=False)
    answers: frozenset[int] = field(init=False)
    coverage: dict[int, float] = field(init=False)
    facts: dict[int, Facts] = field(init=False, default_factory=dict)
    of_file: dict[tuple[str, int], float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.idf = self.corpus.idf(self.query.terms)
        self.mass = sum(self.idf.values())
        attainable = (K1 + 1) * sum(self.idf[term] for term in self.query.terms)
        bm25 = np.nan_to_num(self.legs["bm25"].scores)
        self.shares = bm25 / attainable if attainable else bm25
        self.named = _find_named(self.query, self.corpus)
        self.answers = _find_answers(self.query, self.corpus)
        self.coverage = _cover(self.corpus, self.idf)

    @property
    def has_purposes(self) -> bool:
        """True where every chunk with a purpose has its vector."""
        leg = self.legs.get("purpose")
        return bool(leg and leg.ran and leg.known == self.corpus.purpose_count)

    def about(self, chunk: int) -> Facts:
        """Return the facts of a chunk, read once."""
        if chunk not in self.facts:
            self.facts[chunk] = self.corpus.facts(chunk)
        return self.facts[chunk]

    def once_a_file(
        self, name: str, chunk: int, measure: Callable[[Facts], float]
    ) -> float:
        """Return a feature that all chunks of a file share."""
        facts = self.about(chunk)
        key = (name, facts.neighbours.start)
        if key not in self.of_file:
            self.of_file[key] = measure(facts)
        return self.of_file[key]


def _find_named(query: Query, corpus: Corpus) -> dict[int, float]:
    """Return how rare the rarest name is that a chunk is called, by chunk.

    Times the weight of the word's shape.
    """
    found: dict[int, float] = {}
    for name, weight in query.named.items():
        chunks = corpus.called(name)
        if len(chunks):
            share = weight * rarity(len(chunks), corpus.chunk_count)
            for chunk in chunks.tolist():
                found[chunk] = max(share, found.get(chunk, 0.0))
    return found


def _find_answers(query: Query, corpus: Corpus) -> frozenset[int]:
    """Return the chunks whose name, or qualified suffix of it, is the whole query."""
    name = query.text.strip()
    if list(query.named) != [name.lower()]:
        return frozenset()
    return frozenset(corpus.called(name).tolist())


def _cover(corpus: Corpus, idf: Mapping[str, float]) -> dict[int, float]:
    mass = sum(idf.values())
    held: dict[int, float] = {}
    for term, weight in idf.items():
        for chunk in corpus.holding(term).tolist():
            held[chunk] = held.get(chunk, 0.0) + weight / mass
    return held


def _measure(asked: _Asked, name: str, chunks: Sequence[int]) -> Scores:
    """Return one feature of each chunk; all NaN where it did not run."""
    if name == "body cosine" and not _has_bodies(asked):
        return np.full(len(chunks), np.nan)
    measure = MEASURES[name]
    return np.array([measure(asked, chunk) for chunk in chunks], dtype=np.float64)


def _has_bodies(asked: _Asked) -> bool:
    leg = asked.legs.get("body")
    return bool(leg and leg.ran and leg.known == asked.corpus.chunk_count)


def _purpose(asked: _Asked, chunk: int) -> float:
    """Return the purpose's cosine; of a window, which has none, the body's."""
    cosine = float(asked.legs["purpose"].scores[chunk])
    return cosine if not math.isnan(cosine) else _body(asked, chunk)


def _body(asked: _Asked, chunk: int) -> float:
    cosine = float(asked.legs["body"].scores[chunk])
    return 0.0 if math.isnan(cosine) else cosine


def _exact_name(asked: _Asked, chunk: int) -> float:
    rarity = asked.named.get(chunk)
    if rarity is None:
        return 0.0
    return rarity * KIND_SHARE.get(asked.about(chunk).kind, OTHER_KIND)


def _whole_name(asked: _Asked, chunk: int) -> float:
    """Return 1 where the whole query is the chunk's name."""
    return float(chunk in asked.answers)


def _coverage(asked: _Asked, chunk: int) -> float:
    """Return the share of the query's idf mass that the chunk holds."""
    return asked.coverage.get(chunk, 0.0)


def _members(asked: _Asked, chunk: int) -> float:
    """Return the mean share of a class's second and third best members.

    Where one member alone fits the query, it is the answer and not its class.
    """
    members = asked.about(chunk).members
    return _coherence(asked.shares[members]) if len(members) > 1 else 0.0


def _file_bm25(asked: _Asked, chunk: int) -> float:
    return asked.once_a_file(
        "bm25", chunk, lambda facts: _coherence(_slice(asked.shares, facts))
    )


def _file_purpose(asked: _Asked, chunk: int) -> float:
    """Return the mean of the file's best three purpose cosines, negatives as 0."""

    def measure(facts: Facts) -> float:
        cosines = _slice(asked.legs["purpose"].scores, facts)
        best = np.sort(np.maximum(np.nan_to_num(cosines), 0.0))[::-1][:BEST]
        return float(best.sum()) / BEST

    return asked.once_a_file("purpose", chunk, measure)


def _path_stem(asked: _Asked, chunk: int) -> float:
    """Return how much of the file's name the query holds, by idf."""
    return asked.once_a_file("stem", chunk, lambda facts: _stem(asked, facts.stem))


def _stem(asked: _Asked, stem: str) -> float:
    likeness = {term: _likeness(term, asked.idf) for term in tokenize(stem)}
    if not any(likeness.values()):
        return 0.0
    idf = asked.corpus.idf(list(likeness))
    found = sum(weight * likeness[term] for term, weight in idf.items())
    # A query of one common word matches no file's name outright.
    least = math.log1p(asked.corpus.file_count)
    return found / math.sqrt(sum(idf.values()) * max(asked.mass, least))


def _likeness(term: str, wanted: Mapping[str, float]) -> float:
    if term in wanted:
        return 1.0
    if any(_begins(term, other) for other in wanted):
        return PREFIX_SHARE
    return 0.0


def _begins(term: str, other: str) -> bool:
    short, long = sorted((term, other), key=len)
    return len(short) >= LEAST_PREFIX and long.startswith(short)


def _own_lines(asked: _Asked, chunk: int) -> float:
    lines = min(asked.about(chunk).own_lines, MOST_LINES)
    return math.log1p(lines) / math.log1p(MOST_LINES)


def _no_symbol(asked: _Asked, chunk: int) -> float:
    return float(asked.about(chunk).kind in NO_SYMBOL)


def _marked(mark: str) -> Callable[[_Asked, int], float]:
    return lambda asked, chunk: float(mark in asked.about(chunk).marks)


def _coherence(shares: Scores) -> float:
    """Return half the sum of the second and third best share."""
    best = np.sort(shares)[::-1][1:BEST]
    return float(best.sum()) / (BEST - 1)


def _slice(scores: Scores, facts: Facts) -> Scores:
    return scores[facts.neighbours.start : facts.neighbours.stop]


MEASURES: Mapping[str, Callable[[_Asked, int], float]] = {
    "bm25": lambda asked, chunk: float(asked.shares[chunk]),
    "purpose cosine": _purpose,
    "body cosine": _body,
    "whole name": _whole_name,
    "coverage": _coverage,
    "exact name": _exact_name,
    "members bm25": _members,
    "file bm25": _file_bm25,
    "file purpose": _file_purpose,
    "path stem": _path_stem,
    "own lines": _own_lines,
    "no symbol": _no_symbol,
    "test": _marked("test"),
    "example": _marked("example"),
    "documentation": _marked("documentation"),
}
