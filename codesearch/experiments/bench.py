"""Bench: the builds of a repository, opened for an experiment, and how they are asked.

Everything is asked without a cross-encoder, whose time is no page's: final ranks are of
the structural order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from codesearch.catalogue import chunk_place
from codesearch.corpora import Searched
from codesearch.experiments.queries import (
    Function,
    choose_functions,
    own_names,
    queries_of,
    read_functions,
)
from codesearch.experiments.types import Json
from codesearch.funnel.types import Config, Leg, Outcome, surface_of
from codesearch.inquiry import Inquiry, inquire_of
from indexer.engines.builds import LocalBuild
from indexer.engines.local import LocalCorpus
from indexer.models import Build
from indexer.pipeline.encoder import Encoder
from indexer.pipeline.terms import tokenize

STRUCTURAL = Config(reranker="structural")
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Bench:
    """One build of a repository, its windows where they are compared, and its model.

    `encoder` is None where no vector has to be made again. `target` is a symbol that
    someone chose, "" for one chosen by rule.
    """

    searched: Searched
    windows: Searched | None = None
    encoder: Encoder | None = None
    target: str = ""

    @property
    def build(self) -> Build:
        """The build that is asked."""
        return self.searched.builds[0]

    @property
    def local(self) -> LocalBuild:
        """Its layers."""
        return self.searched.corpus.builds[0]

    @property
    def corpus(self) -> LocalCorpus:
        """Its corpus: a chunk's number is its ordinal in the build."""
        return self.searched.corpus

    @property
    def name(self) -> str:
        """The name of the repository."""
        return self.build.index.repository.name

    @cached_property
    def functions(self) -> list[Function]:
        """Its functions and methods that are no tests and no copies, in order."""
        return read_functions(self.local.lexical)

    def inquire(self, query: str) -> Inquiry:
        """Return what a query finds in the build."""
        return inquire_of(self.searched, query)

    def answer(self, query: str, config: Config = STRUCTURAL) -> Outcome:
        """Return what the funnel does with a query on the build."""
        return self.inquire(query).answer(config)

    def place(self, number: int) -> Json:
        """Return where a chunk lies, without what no page shows."""
        place = chunk_place(self.searched, number)
        kept = ("chunk", "repository", "revision", "path", "path_url")
        more = ("start_line", "end_line", "symbol", "kind")
        return {key: place[key] for key in (*kept, *more)}

    def generate(self, count: int) -> list[Json]:
        """Return a case for each query of up to `count` functions, spread."""
        return [
            {"chunk": function.number, "by": by, "query": query}
            for function in choose_functions(self.functions, count)
            for by, query in queries_of(function, self.idf_of(function)).items()
        ]

    def idf_of(self, function: Function) -> dict[str, float]:
        """Return the idf of the whole term of each of a function's own names."""
        return self.corpus.idf([tokenize(name)[0] for name in own_names(function)])

    def model(self) -> Encoder:
        """Return the encoder of a bench that was opened with one."""
        if self.encoder is None:
            raise TypeError("this experiment was opened without its model")
        return self.encoder


def rank_of(outcome: Outcome, chunk: int) -> int | None:
    """Return the rank of a chunk among the results, a folded one's of its fold."""
    fold = outcome.folded.get(chunk)
    hit = outcome.shown.by_chunk.get(fold.under if fold else chunk)
    return hit.ordinal if hit else None


def leg_of(outcome: Outcome, surface: str) -> Leg:
    """Return a leg of an outcome over one build."""
    return next(leg for leg in outcome.legs if surface_of(leg.name) == surface)


def raw_of(leg: Leg, chunks: Sequence[int]) -> float | None:
    """Return the best raw score that a leg has for any of some chunks."""
    known = leg.scores[list(chunks)]
    known = known[~np.isnan(known)]
    return float(known.max()) if len(known) else None


def place_in(scores: npt.NDArray[np.float64], number: int) -> int | None:
    """Return the competition rank of one of some scores, None if it has none."""
    own = scores[number]
    return None if np.isnan(own) else 1 + int(np.count_nonzero(scores > own))
