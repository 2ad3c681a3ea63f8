"""Literals: a phrase or a regular expression that lines of text are to hold.

Matching is RE2's, in linear time whatever the pattern, and by line, as grep does:
`^` and `$` are the ends of a line, and no match goes over a line end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

MOST_MEMORY = 8 << 20  # Bytes of a compiled pattern; `(a{500}){500}` is refused.


class PatternError(ValueError):
    """A regular expression cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a line is to hold. `text` is as typed; `has_case` tells `a` from `A`."""

    text: str
    is_regex: bool = False
    has_case: bool = False


@lru_cache(maxsize=256)
def compile_pattern(pattern: Pattern) -> Any:  # Any: re2 has no types
    """Return the compiled pattern, to be used on UTF-8 bytes. Raises PatternError."""
    options = re2.Options()
    options.case_sensitive = pattern.has_case
    options.never_nl = True
    options.log_errors = False
    options.max_mem = MOST_MEMORY
    text = pattern.text if pattern.is_regex else re2.escape(pattern.text)
    try:
        re2.compile(text, options)  # Alone: `a)(b` would be read in the group below.
        return re2.compile(f"(?m:{text})", options)
    except re2.error as error:
        raise PatternError(error.args[0].decode(errors="replace")) from error
