"""Folding: list copies and re-export stubs beneath the hit that they repeat.

A page that shows one text four times shows three others less. What is folded
keeps its place in the reranked run and takes no rank and no card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codesearch.funnel.corpus import Corpus
from codesearch.funnel.types import Fold, Hit, Run

COPY = "duplicate_of"
STUB = "re_export_of"


def fold(run: Run, corpus: Corpus) -> tuple[Run, Mapping[int, Fold]]:
    """Return the run without what is folded, and under what each of those is.

    Of chunks of one content the first stays, whatever its build. A stub goes under
    the best of the definitions in the run that it re-exports, wherever it stands.
    """
    folded = _fold_copies(run, corpus)
    stubs: dict[int, Fold] = {}
    for hit in run.hits:
        if hit.chunk not in folded and (
            found := _best(corpus.reexports(hit.chunk), run, folded, corpus)
        ):
            stubs[hit.chunk] = Fold(STUB, of=found[0], under=found[1])
    for chunk, one in folded.items():
        if one.under in stubs:  # A copy of a stub goes with it.
            folded[chunk] = Fold(COPY, of=one.of, under=stubs[one.under].under)
    folded |= stubs
    kept = (hit for hit in run.hits if hit.chunk not in folded)
    hits = tuple(Hit(hit.chunk, rank, hit.score) for rank, hit in enumerate(kept, 1))
    return Run("page", hits), folded


def _fold_copies(run: Run, corpus: Corpus) -> dict[int, Fold]:
    first: dict[bytes, int] = {}
    folded = {}
    for hit in run.hits:
        content = corpus.content(hit.chunk)
        kept = first.setdefault(content, hit.chunk) if content else hit.chunk
        if kept != hit.chunk:
            folded[hit.chunk] = Fold(COPY, of=kept, under=kept)
    return folded


def _best(
    definitions: Sequence[int], run: Run, copies: Mapping[int, Fold], corpus: Corpus
) -> tuple[int, int] | None:
    """Return the best definition in the run and the hit it stands under, or None.

    What re-exports something itself is no definition: nothing folds in a circle.
    """
    places = []
    for chunk in definitions:
        if chunk in run.by_chunk:
            under = copies[chunk].under if chunk in copies else chunk
            if not corpus.reexports(under):
                places.append((run.by_chunk[under].ordinal, chunk, under))
    return min(places)[1:] if places else None
