"""Literals: which lines of a target a phrase or a regular expression matches."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.payloads import Payload

LINES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class LiteralRow:
    """One phrase or regular expression, as it was typed, and what came of it."""

    text: str
    said: str


def literal_rows(target: Payload) -> list[LiteralRow]:
    """Return a row for each literal; records of earlier versions have none."""
    return [
        LiteralRow(spelled(one), _said(one)) for one in target.get("literals") or ()
    ]


def spelled(literal: Payload) -> str:
    """Return a literal with its signs: `"a phrase"`, `/a regex/`."""
    sign = "/" if literal["is_regex"] else '"'
    return f"{sign}{literal['text']}{sign}"


def _said(literal: Payload) -> str:
    count = literal["count"]
    if count is None:
        return "not looked for: its file was not looked at"
    if not count:
        return "no line of it matches"
    shown = literal["lines"][:LINES_SHOWN]
    lines = ", ".join(map(str, shown))
    more = f" and {count - len(shown):,} more" if count > len(shown) else ""
    return f"matched line{'s' if count > 1 else ''} {lines}{more}"
