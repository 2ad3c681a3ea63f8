"""Filters: the conditions of a query as JSON."""

from __future__ import annotations

from codesearch.funnel.expression import Not, name_of, value_of
from codesearch.funnel.types import Query
from codesearch.payloads import Payload


def filters_payload(query: Query) -> list[Payload]:
    """Return a row for each condition: what it is, and where it stands in the query.

    `start` is in characters from 0.
    """
    return [
        {
            "name": name_of(one),
            "value": value_of(one),
            "negated": isinstance(one, Not),
            "text": one.text,
            "start": one.start,
        }
        for one in query.filters
    ]
