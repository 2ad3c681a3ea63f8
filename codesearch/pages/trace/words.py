"""Words: the query's words in a target, and whether its name finds it."""

from __future__ import annotations

from codesearch.pages.scores import ordinal
from codesearch.payloads import Payload


def lookup_sentence(target: Payload) -> str:
    """Return what plain name lookup finds of a target, "" for a record without it."""
    found = target.get("lookup")
    if found is None:
        return ""
    if not found["found"]:
        return "Looking up names does not find it."
    place = "the only definition"
    if found["definitions"] > 1:
        place = (
            f"the {ordinal(found['position'])} of {found['definitions']:,} definitions"
        )
    finds = f"“{found['name']}” finds it as {place}."
    if found["in_query"]:
        return f"Looking up the name {finds}"
    return f"The query does not name it; looking up {finds}"
