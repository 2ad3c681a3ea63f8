"""Filters on a page: what was understood of a query, and what they leave out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from codesearch.funnel.expression import CONTENT, GROUP, Node
from codesearch.funnel.filters import REPOSITORY, drop_filters
from codesearch.payloads import Payload


@dataclass(frozen=True, slots=True)
class Chip:
    """One condition as it was understood; `url` asks the same without it.

    `key` is the name of a filter, and the sign of what is negated.
    """

    key: str
    value: str
    text: str
    negated: bool
    url: str


@dataclass(frozen=True, slots=True)
class Without:
    """How many hits there are without some filters, and where to ask so."""

    text: str
    hits: int
    url: str


def chunks_in(payload: Payload) -> int:
    """Return how many chunks the searched builds have, in scope or not."""
    return sum(build["counts"]["chunks"] for build in payload["builds"])


def chunks_in_scope(payload: Payload) -> int:
    """Return how many chunks were ranked; all in a record from before filters."""
    count: int = payload.get("in_scope", chunks_in(payload))
    return count


def filter_chips(payload: Payload, address: Callable[[str], str]) -> list[Chip]:
    """Return a chip a condition; `address` returns where another query is asked."""
    return [
        Chip(
            key=_key(row),
            value=row["value"],
            text=row["text"],
            negated=row["negated"],
            url=address(drop_filters(payload["query"], [_node(row)])),
        )
        for row in _filters(payload)
    ]


def without_filters(
    payload: Payload, address: Callable[[str], str] = str
) -> list[Without]:
    """Return what dropping filters would bring, where they leave no hit."""
    filters = _filters(payload)
    found = []
    for row in payload.get("without", ()):
        dropped = [_node(filters[number]) for number in row["filters"]]
        query = drop_filters(payload["query"], dropped)
        text = " ".join(one.text for one in dropped)
        if row["hits"]:
            found.append(Without(text, row["hits"], address(query)))
    return found


def without_repositories(payload: Payload) -> str:
    """Return the query without `repo:`, for where its builds say it, by their names.

    A repository may have another name than when a result was recorded.
    """
    named = [
        _node(row)
        for row in _filters(payload)
        if row["name"] == REPOSITORY and "@" not in row["value"]
    ]
    return drop_filters(payload["query"], named)


def _key(row: Payload) -> str:
    name = "" if row["name"] in (CONTENT, GROUP) else f"{row['name']}:"
    return f"-{name}" if row["negated"] else name


def _filters(payload: Payload) -> list[Payload]:
    """Return the rows of the conditions; records from before them have none."""
    return list(payload.get("filters", ()))


def _node(row: Payload) -> Node:
    return Node(row["text"], row["start"])
