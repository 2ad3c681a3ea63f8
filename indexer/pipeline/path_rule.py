"""Path rule: what a file's path decides about how its content is read."""

from __future__ import annotations

from dataclasses import dataclass

from indexer.pipeline.blobs import MAX_BLOB
from indexer.pipeline.languages import (
    PLAIN_TEXT,
    NamedLanguage,
    is_data_file,
    named_language,
)
from indexer.pipeline.one_thing import OneThing, one_thing_rule
from indexer.pipeline.paths import display_path
from indexer.pipeline.sections import MARKUP_LANGUAGES
from indexer.pipeline.types import TreeEntry

_MAY_BE_MARKUP = frozenset({None, PLAIN_TEXT, *MARKUP_LANGUAGES})


@dataclass(frozen=True, slots=True)
class PathRule:
    """All that the path and the size of a file decide about how it is read.

    Files of equal content and equal rule are read alike, wherever they lie. `stem` is
    what the text above the first heading of markup is called, "" elsewhere.
    """

    named: NamedLanguage
    one_thing: OneThing
    is_data: bool
    is_too_large: bool
    stem: str


def rule_of(entry: TreeEntry) -> PathRule:
    """Return the rule that a file of a tree is read by."""
    size = entry.size or 0
    named = named_language(entry.path)
    stem = display_path(entry.path).rpartition("/")[2].partition(".")[0]
    return PathRule(
        named=named,
        one_thing=one_thing_rule(entry.path, size),
        is_data=is_data_file(entry.path, size),
        is_too_large=size > MAX_BLOB,
        stem=stem if named.language in _MAY_BE_MARKUP else "",
    )
