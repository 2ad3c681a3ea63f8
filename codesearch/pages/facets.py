"""Facets: of what the ranked chunks are, each a link that keeps only those."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from codesearch.funnel.expression import Any, Node
from codesearch.funnel.filters import REPOSITORY, drop_filters
from codesearch.funnel.query import read_query
from codesearch.funnel.tokens import quote
from codesearch.listed_files import folders_of
from codesearch.payloads import Payload
from indexer.pipeline.globs import as_written

SHOWN = 6  # Values of a facet; the rest unfolds.
TITLES = {
    REPOSITORY: "Repository",
    "lang": "Language",
    "path": "Folder",
    "kind": "Kind",
    "is": "Mark",
}


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value: how many of the ranked chunks have it, and where they stand alone.

    One that `is_on` is asked for already; its `url` asks without it.
    """

    label: str
    count: int
    is_on: bool
    url: str


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing that chunks differ in, its most frequent values first."""

    title: str
    shown: list[FacetValue]
    more: list[FacetValue]


def facets(payload: Payload, address: Callable[[str], str]) -> list[Facet]:
    """Return what the ranked chunks can be narrowed by; `address` asks a query.

    A value that all of them have narrows nothing, and is there only if it can be
    taken back.
    """
    hits = payload["hits"]
    folders = folders_of([hit["path"] for hit in hits])
    values: dict[str, Iterable[str]] = {
        REPOSITORY: (hit["repository"] for hit in hits),
        "lang": (hit["language"] for hit in hits if hit["language"]),
        "path": (folder for folder in folders if folder),
        "kind": (hit["kind"] for hit in hits),
        "is": (mark for hit in hits for mark in hit["marks"]),
    }
    counts = {name: Counter(seen) for name, seen in values.items()}
    return narrowing(payload, counts, len(hits), address)


def narrowing(
    payload: Payload,
    counts: Mapping[str, Mapping[str, int]],
    total: int,
    address: Callable[[str], str],
) -> list[Facet]:
    """Return what `total` rows can be narrowed by, of which so many have each value.

    `counts` are by the name of a filter, in its own values.
    """
    found = []
    for name, title in TITLES.items():
        rows = _values(payload, name, counts[name], total, address)
        if rows:
            found.append(Facet(title, rows[:SHOWN], rows[SHOWN:]))
    return found


def narrow(query: str, condition: str) -> str:
    """Return a query with one more condition, which holds for all of it."""
    is_any = isinstance(read_query(query).expression, Any)
    return f"({query}) {condition}" if is_any else f"{query} {condition}"


def _values(
    payload: Payload,
    name: str,
    counts: Mapping[str, int],
    total: int,
    address: Callable[[str], str],
) -> list[FacetValue]:
    query = payload["query"]
    asked = {
        row["value"].lower(): Node(row["text"], row["start"])
        for row in payload.get("filters", ())
        if row["name"] == name and not row["negated"]
    }
    rows = []
    for value, count in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        written = as_written(value) if name == "path" else value
        condition = asked.get(written.lower())
        if condition is None and count == total:
            continue
        other = (
            drop_filters(query, [condition])
            if condition
            else narrow(query, f"{name}:{quote(written)}")
        )
        rows.append(FacetValue(value, count, condition is not None, address(other)))
    return rows
