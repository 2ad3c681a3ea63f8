"""Definitions: what a query names exactly, found by name alone, as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.catalogue import chunk_place
from codesearch.chunk_texts import signatures
from codesearch.corpora import Searched
from codesearch.funnel.query import NAME
from codesearch.funnel.types import Outcome
from codesearch.payloads import Payload
from indexer.pipeline.terms import names

NAMES_SHOWN = 3
CHUNKS_SHOWN = 20  # Of a name; `__init__` is that of thousands.


def definitions_payload(outcome: Outcome, searched: Searched) -> list[Payload]:
    """Return the names of a query that chunks in scope are called, and those chunks.

    Only what is surely meant as a name, see `Query.named`. Product code comes first,
    then what has the name in full; `total` counts also the chunks that are left out. A
    chunk stands under the first of its names.
    """
    query, corpus, in_scope = outcome.query, searched.corpus, outcome.scope.chunks
    found: list[Payload] = []
    seen: set[int] = set()
    for name in dict.fromkeys(names(query.text)):
        if query.named.get(name.lower(), 0.0) < NAME:
            continue
        called = corpus.called(name)
        new = [n for n in called[in_scope[called]].tolist() if n not in seen]
        if new and len(found) < NAMES_SHOWN:
            seen.update(new)
            rows = _first(searched, name, new)
            found.append({"name": name, "total": len(new), "chunks": rows})
    return found


def _first(searched: Searched, name: str, chunks: Sequence[int]) -> list[Payload]:
    """Return the leading definitions, each with its signature or "" for none."""

    def order(number: int) -> tuple[bool, bool, int]:
        build, ordinal = searched.corpus.locate(number)
        catalogue = searched.corpus.builds[build].lexical.catalogue
        is_part = catalogue.symbols[ordinal].lower() != name.lower()
        return bool(catalogue.marks[ordinal]), is_part, number

    first = sorted(chunks, key=order)[:CHUNKS_SHOWN]
    told = signatures(searched, first)
    return [{**chunk_place(searched, n), "signature": told[n]} for n in first]
