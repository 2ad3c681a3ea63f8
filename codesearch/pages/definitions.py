"""Definitions on a page: the chunks that a query names, the first of them in sight."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from codesearch.pages.links import file_url
from codesearch.pages.scores import hit_name
from codesearch.payloads import Payload

SHOWN = 3  # Of a name; the rest unfolds.


@dataclass(frozen=True, slots=True)
class DefinitionView:
    """One chunk that has the name."""

    chunk: Payload
    name: str
    url: str


@dataclass(frozen=True, slots=True)
class DefinedName:
    """A name of the query; `url` lists all that have it, "" if all are here."""

    name: str
    total: int
    shown: list[DefinitionView]
    more: list[DefinitionView]
    url: str


def defined_names(payload: Payload, address: Callable[..., str]) -> list[DefinedName]:
    """Return the names of a query that are defined; `address` asks another query.

    Records of searches made before there were definitions have none.
    """
    names = []
    for row in payload.get("definitions", ()):
        views = [
            DefinitionView(chunk, hit_name(chunk), file_url(chunk))
            for chunk in row["chunks"]
        ]
        every = f"{row['name']} sym:\\b{re.escape(row['name'])}$"
        is_all = len(views) == row["total"]
        names.append(
            DefinedName(
                name=row["name"],
                total=row["total"],
                shown=views[:SHOWN],
                more=views[SHOWN:],
                url="" if is_all else address(every),
            )
        )
    return names
