"""Places: the files of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from codesearch.catalogue import file_place
from codesearch.corpora import Searched
from codesearch.funnel.types import Place, Term
from codesearch.payloads import Payload
from indexer.models import File


def places_payload(places: Sequence[Place], searched: Searched) -> list[Payload]:
    """Return the places of a search, best first."""
    located = [searched.corpus.locate_place(place.row) for place in places]
    said = _summaries(located, searched)
    rows = []
    for rank, (place, where) in enumerate(zip(places, located, strict=True), 1):
        number, ordinal = where
        file = searched.corpus.builds[number].lexical.catalogue.files[ordinal]
        doc, defines = said[where]
        rows.append(
            {
                "rank": rank,
                **file_place(searched.builds[number], file.path, file.language),
                "score": place.score,
                "doc": doc,
                "defines": defines,
                "terms": [_term(term) for term in place.terms],
            }
        )
    return rows


def _summaries(
    located: Sequence[tuple[int, int]], searched: Searched
) -> dict[tuple[int, int], tuple[str, list[str]]]:
    """Return the doc and the defined names of files, in one query for all builds."""
    numbers = {searched.builds[number].pk: number for number, _ in located}
    rows = File.objects.filter(
        build__in=numbers, ordinal__in={ordinal for _, ordinal in located}
    ).values_list("build", "ordinal", "doc", "defines")
    return {
        (numbers[build], ordinal): (doc, defines)
        for build, ordinal, doc, defines in rows.order_by()
    }


def _term(term: Term) -> Payload:
    return asdict(term)
