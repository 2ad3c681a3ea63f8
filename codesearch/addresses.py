"""Addresses: what a form sends becomes an address that can be shared and reloaded.

Servers and proxies take request lines of 8 kB; what was pasted may be longer.
"""

from __future__ import annotations

from urllib.parse import quote_plus

from django.http import QueryDict
from django.urls import reverse

from codesearch.funnel.stack_trace import read_stack, shorten_stack
from codesearch.inquiry import MAX_QUERY

QUERY_BYTES = 6000  # As an address spells it; the rest is for the other parameters.


def search_address(sent: QueryDict) -> str:
    """Return the address of the search that a form asks for.

    A text that is too long for one is shortened: a stack trace to its frames, anything
    else to its beginning, and `given` says how many characters there were. The
    repository that `without` names is left out, and so is what is empty.
    """
    asked = sent.copy()
    dropped = asked.pop("without", [])
    repositories = asked.getlist("repository")
    asked.setlist("repository", [one for one in repositories if one not in dropped])
    query = asked.get("q", "")
    if query:
        asked["q"] = shorten(query)
        if len(asked["q"]) < len(query) and read_stack(query) is None:
            asked["given"] = str(len(query))
    for name, values in list(asked.lists()):
        asked.setlist(name, [value for value in values if value])
    return f"{reverse('search')}?{asked.urlencode()}"


def shorten(query: str) -> str:
    """Return as much of a query as an address can hold."""
    if len(query) <= MAX_QUERY and _spelled(query) <= QUERY_BYTES:
        return query
    if stack := read_stack(query):
        query = shorten_stack(stack, MAX_QUERY)
    query = query[:MAX_QUERY]
    while _spelled(query) > QUERY_BYTES:
        over = _spelled(query) - QUERY_BYTES
        query = query[: -max(1, over // 12)]  # A character is 12 bytes at most.
    return query


def _spelled(query: str) -> int:
    return len(quote_plus(query, errors="replace"))
