"""Choosing: which of some names a text means, exactly or as an expression."""

from __future__ import annotations

from collections.abc import Sequence

from indexer.pipeline.literals import Pattern, compile_pattern


def names_meant(text: str, names: Sequence[str]) -> list[str]:
    """Return the name that `text` is, else those in which it finds a match, in order.

    `text` is an expression of RE2, unanchored, for which case does not count. Raises
    PatternError where it is none.
    """
    if text in names:
        return [text]
    pattern = compile_pattern(Pattern(text, is_regex=True))
    return [name for name in names if pattern.search(name.encode())]
