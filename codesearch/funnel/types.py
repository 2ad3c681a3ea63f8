"""The records that travel down the funnel: plain data that does no work.

Every ranked list is a `Run`, whoever made it. A chunk is known here by its
number in the searched corpus: the builds of one search stand one after the
other in order of repository name, each with its chunks in order of path bytes
and start byte. So a smaller number is the earlier one in every tie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from codesearch.funnel.expression import EVERYTHING, Node
from indexer.pipeline.literals import Pattern

Scores = npt.NDArray[np.float64]
Parts = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
ScorePairs = Callable[[str, Sequence[int]], Sequence[float]]
Reranker = Literal["identity", "structural", "cross_encoder"]


def surface_of(leg: str) -> str:
    """Return a leg's name without its embedder: `purpose` for `purpose:1a2b3c4d`."""
    return leg.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Config:
    """How a query is answered. A change needs no new build."""

    depth: int = 200  # Chunks a leg puts on its list.
    rrf_k: int = 60  # The value of the paper; a larger k flattens the top ranks.
    pool_size: int = 200  # What a reranker can score within a page's time.
    cards_per_page: int = 10
    chunks_per_card: int = 3
    rerank_seconds: float = 2.0  # What a cross-encoder may take of a page's time.
    weights: Mapping[str, float] = field(default_factory=dict)  # Of legs; 1 if unset.
    guarantee: int | None = None  # Ordinals; None: half of the pool. 0: fusion alone.
    off: frozenset[str] = frozenset()  # Legs that do not run, without embedder.
    points: Mapping[str, float] = field(default_factory=dict)  # Of features; as fitted.
    reranker: Reranker = "cross_encoder"  # Where there is one, else structural.

    def weight(self, leg: str) -> float:
        """Return a leg's vote in the fusion, the same for every embedder."""
        return self.weights.get(surface_of(leg), 1.0)

    def is_off(self, leg: str) -> bool:
        """Tell whether a leg is turned off, that of every embedder."""
        return surface_of(leg) in self.off


@dataclass(frozen=True, slots=True)
class Query:
    """One query: as typed, as a tree, and what is left of it to be ranked by.

    `text` is that rest: its words and those of phrases; the others are its terms, its
    words, and the names it may hold: `named` maps each, lower-cased, to how surely it
    is meant as one. `filters` are the conditions that hold together, in order, and
    `literals` the phrases and regular expressions that are asked for.
    """

    typed: str
    filters: tuple[Node, ...]
    text: str
    terms: tuple[str, ...]
    words: tuple[str, ...]
    named: Mapping[str, float]
    expression: Node = EVERYTHING
    literals: tuple[Pattern, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names it may hold, in order."""
        return tuple(self.named)


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """Filters of one name of which one must hold, or any other condition alone.

    `chunks` and `places` tell for which of the corpus it is met.
    """

    filters: tuple[Node, ...]
    chunks: Mask
    places: Mask

    @property
    def text(self) -> str:
        """Return the filters as typed."""
        return " ".join(one.text for one in self.filters)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a search ranks: where all conditions are met; everything without one."""

    conditions: tuple[Condition, ...]
    chunks: Mask
    places: Mask

    def exclusion(self, chunk: int) -> Condition | None:
        """Return the first condition that leaves a chunk out."""
        return next((one for one in self.conditions if not one.chunks[chunk]), None)


@dataclass(frozen=True, slots=True)
class Hit:
    """One line of a run.

    `ordinal` counts from 1 and is the position in the total order. `score` is
    the raw number of the stage that made the run; compare it only within it.
    """

    chunk: int
    ordinal: int
    score: float


@dataclass(frozen=True)
class Run:
    """What one stage returned for one query, best first.

    A chunk the stage did not return has no hit: a miss is unknown, never a
    score of zero.
    """

    stage: str
    hits: tuple[Hit, ...]

    @cached_property
    def by_chunk(self) -> Mapping[int, Hit]:
        """Map each chunk of the run to its hit."""
        return {hit.chunk: hit for hit in self.hits}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one chunk stands in one leg, over the chunks in scope.

    `rank` is the competition rank (1 + chunks with a higher raw score),
    `ordinal` the position in the total order, from 1, `tie_size` how many
    chunks share the raw score. `percentile` is the share of the chunks in scope
    with a lower score or none, 0 to 100.
    """

    rank: int
    ordinal: int
    tie_size: int
    raw: float
    percentile: float


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """One leg's raw score for every chunk of the corpus, before anything is ranked.

    The fields are those of `Leg`; where `ran` is False the scores are all NaN.
    """

    name: str
    scores: Scores
    parts: Parts | None = None
    ran: bool = True
    note: str = ""
    reach: Mask | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What one query found in one corpus, whatever the config: all its raw scores.

    `places` are the cosines of the summaries, None when no model could encode the
    query. `milliseconds` is what it took to find.
    """

    query: Query
    legs: tuple[Scored, ...]
    places: Scores | None
    milliseconds: float


@dataclass(frozen=True)
class Leg:
    """One retriever's answer: its list, and its raw score for every chunk.

    `scores` has one entry a chunk, NaN where the leg has no evidence; `ranked` is
    the same, NaN out of scope too: ranks, and how many `matched`, are of those
    `in_scope`. `floor` is the raw score at the depth, None below depth hits. `parts`
    says, in a dense leg, which part of a chunk's text has its score, from 0. `ran`
    is False when the leg could not run, and then `note` says why. `reach` is False
    for chunks that the leg can never hold: those of builds with another embedder.
    """

    name: str
    run: Run
    scores: Scores
    ranked: Scores
    in_scope: int
    matched: int
    floor: float | None
    depth: int
    parts: Parts | None = None
    ran: bool = True
    note: str = ""
    reach: npt.NDArray[np.bool_] | None = None  # None: every chunk.

    @cached_property
    def ascending(self) -> Scores:
        """The raw scores of the chunks in scope that the leg knows, sorted."""
        return np.sort(self.ranked[~np.isnan(self.ranked)])

    @property
    def known(self) -> int:
        """Return how many chunks it knows, in scope or not."""
        return int(np.count_nonzero(~np.isnan(self.scores)))


@dataclass(frozen=True, slots=True)
class Pool:
    """The chunks that the reranker will see, and how each one came in.

    `entry` maps a chunk to `guarantee:<leg>` or `fusion`. `guarantee` is the
    leg ordinal down to which entry is certain; `unseated` counts the chunks that
    it would seat and the pool cannot hold, where a config asks for too much.
    """

    entry: Mapping[int, str]
    guarantee: int
    unseated: int = 0


@dataclass(frozen=True, slots=True)
class Sum:
    """The structural scores of some chunks, and their parts.

    `rows` maps a chunk to its row. `values` is (chunks, terms), NaN where a term did
    not run; `scores` are the sums of value * weight over the terms that ran, in the
    order of the terms. `is_dense` tells which formula it is.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    rows: Mapping[int, int]
    values: Scores
    scores: Scores
    is_dense: bool

    def parts(self, chunk: int) -> list[tuple[str, float | None, float, float]]:
        """Return (name, value, weight, points) of each term; the points sum up."""
        values: list[float] = self.values[self.rows[chunk]].tolist()
        return [
            (name, None, weight, 0.0)
            if value != value  # NaN
            else (name, value, weight, value * weight)
            for name, weight, value in zip(
                self.names, self.weights, values, strict=True
            )
        ]


@dataclass(frozen=True, slots=True)
class Reranked:
    """The pool in its final order.

    `kind` names the reranker. `total` holds the structural score of each chunk with
    its parts; a record of the fused order alone has none. `logits` holds the raw logit
    of each chunk that a cross-encoder scored; the others follow in structural order.
    `unread` counts the tokens of a scored pair that the model did not read, where
    there are any.
    `failure` says why a cross-encoder that is configured did not run.
    """

    kind: str
    run: Run
    total: Sum | None
    logits: Mapping[int, float]
    note: str = ""
    unread: Mapping[int, int] = field(default_factory=dict)
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """Why a chunk has no rank of its own.

    `reason` is what it is (`duplicate_of`, `re_export_of`) of the chunk `of`, and
    `under` the hit that it is listed beneath; that one is never folded itself.
    """

    reason: str
    of: int
    under: int


@dataclass(frozen=True, slots=True)
class Place:
    """One file by its summary: its row in the searched corpus, and why."""

    row: int
    score: float
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Term:
    """One displayed part of a sum: value * weight = points. None did not run."""

    name: str
    value: float | None
    weight: float
    points: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything one search did; enough to draw any page of it again.

    `reranked` holds the whole pool; `shown` those of it that are not `folded`, its
    ordinals are the ranks of the results. `cards` maps a chunk of `shown` to the
    position of its file's card.
    """

    query: Query
    config: Config
    scope: Scope
    legs: tuple[Leg, ...]
    fused: Run
    contributions: Mapping[int, Mapping[str, float]]
    pool: Pool
    reranked: Reranked
    shown: Run
    folded: Mapping[int, Fold]
    cards: Mapping[int, int]
    places: tuple[Place, ...]
    timings_ms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class QueryEncoder:
    """What encodes a query for the builds whose vectors have this fingerprint.

    `encode` turns a query into a unit vector; where it is None, `missing` says why.
    """

    fingerprint: str
    encode: Callable[[str], npt.NDArray[np.float32]] | None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Models:
    """The models a search may use: an encoder for each embedder of its builds.

    `score_pairs` gives the raw logits of a query against texts of chunks.
    """

    encoders: Sequence[QueryEncoder] = ()
    score_pairs: ScorePairs | None = None
