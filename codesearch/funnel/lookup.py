"""Lookup: whether plain name lookup finds a chunk, beside all that ranks it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from codesearch.funnel.types import Query
from indexer.pipeline.terms import names


class Names(Protocol):
    """What is asked of the searched builds about their names."""

    def called(self, name: str) -> npt.NDArray[np.int64]:
        """Return the chunks of a qualified name or suffix, whatever its case."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A name that finds a chunk: of `definitions` it is the one at `position`, from 1.

    Definitions are in the order of the corpus. `in_query` tells whether the query
    holds the name; else it is the chunk's own.
    """

    name: str
    in_query: bool
    definitions: int
    position: int


def look_up(query: Query, corpus: Names, chunk: int, symbol: str) -> Lookup | None:
    """Return the name that finds `chunk`, the one with the fewest definitions.

    A name of the query, where one finds it; else the last part of `symbol`, its
    qualified name. None if it has no name: windows, sections, whole files.
    """
    asked = [
        name for name in dict.fromkeys(names(query.text)) if name.lower() in query.named
    ]
    own = symbol.replace("::", ".").rpartition(".")[2]
    return _rarest(asked, corpus, chunk, True) or _rarest([own], corpus, chunk, False)


def _rarest(
    wanted: Iterable[str], corpus: Names, chunk: int, in_query: bool
) -> Lookup | None:
    found = []
    for name in wanted:
        chunks = corpus.called(name).tolist()
        if chunk in chunks:
            found.append(Lookup(name, in_query, len(chunks), 1 + chunks.index(chunk)))
    return min(found, key=lambda one: one.definitions, default=None)
