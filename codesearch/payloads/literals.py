"""Literals: the phrases and regular expressions of a query, and where they match."""

from __future__ import annotations

from typing import Any

from codesearch.corpora import Searched
from codesearch.funnel.scope import patterns_of
from codesearch.funnel.types import Query
from codesearch.payloads import Payload
from indexer.engines.builds import LocalBuild
from indexer.pipeline.literals import Pattern

LINES_TOLD = 50  # Of one pattern in one chunk.
MISSING = (
    "Phrases and regular expressions were looked for in {done:,} of {files:,} files so "
    "far; the texts of the others are not kept yet"
)
LATE = (
    "Time ran out: {late:,} files were not looked at for phrases and regular "
    "expressions, and may hold more; with longer plain text in it a pattern takes less"
)
HIDDEN = (
    "Phrases and regular expressions are not looked for in {repositories}, which "
    "was indexed with secrets that are off now; index it again"
)


def literals_payload(query: Query) -> list[Payload]:
    """Return the phrases and regular expressions that are asked for, in order."""
    return [_told(pattern) for pattern in query.literals]


def unsearched_sentences(query: Query, searched: Searched) -> list[str]:
    """Return sentences on what was not looked at for the conditions of a query."""
    patterns = patterns_of(query.filters)
    if not patterns:
        return []
    found = searched.corpus.unsearched(patterns)
    sentences = []
    if found.missing:
        done = found.files - found.missing
        sentences.append(MISSING.format(done=done, files=found.files))
    if found.late:
        sentences.append(LATE.format(late=found.late))
    if found.hidden:
        names = (
            build.index.repository.name
            for number, build in enumerate(searched.builds)
            if (texts := searched.corpus.texts.of(number)) and texts.is_hidden
        )
        sentences.append(HIDDEN.format(repositories=", ".join(names)))
    return sentences


def matched_lines(query: Query, searched: Searched, number: int) -> list[Payload]:
    """Return where a chunk's own lines match each literal of a query.

    `count` is None where its file was not looked at; of many `lines` the first ones.
    """
    corpus = searched.corpus
    build, ordinal = corpus.locate(number)
    local = corpus.builds[build]
    file = int(local.lexical.file_of[ordinal])
    texts = corpus.texts.of(build)
    rows = []
    for pattern in query.literals:
        found = corpus.texts.lines(build, pattern)
        seen = bool(texts and texts.holds(file)) and file not in found.late
        lines = [
            line
            for first, last in _spans(local, ordinal)
            for line in found.of_file(file).tolist()
            if first <= line <= last
        ]
        rows.append(
            {
                **_told(pattern),
                "count": len(lines) if seen else None,
                "lines": lines[:LINES_TOLD],
            }
        )
    return rows


def _spans(local: LocalBuild, ordinal: int) -> list[list[int]]:
    """Return the line ranges that are a chunk's own."""
    catalogue = local.lexical.catalogue
    first, end = catalogue.span_offsets[ordinal : ordinal + 2].tolist()
    spans: list[list[int]] = catalogue.spans[first:end].tolist()
    return spans


def _told(pattern: Pattern) -> dict[str, Any]:  # Any: JSON
    return {
        "text": pattern.text,
        "is_regex": pattern.is_regex,
        "has_case": pattern.has_case,
    }
