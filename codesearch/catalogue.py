"""Catalogue: where the chunks and files of a search lie, as JSON, without a query.

The lexical layers hold what a page says of a chunk; the rows of the database say
the same and are for looking things up.
"""

from __future__ import annotations

from typing import Any

from codesearch.corpora import Searched
from codesearch.targets import spell_id
from indexer.engines.layers import LexicalLayer
from indexer.models import Build
from indexer.pipeline.catalogue import FileEntry
from indexer.pipeline.paths import display_path, path_url
from indexer.pipeline.types import NONE

Json = dict[str, Any]  # Any: as in `payloads`, whose parts these are.


def chunk_place(searched: Searched, number: int) -> Json:
    """Return what a chunk of the corpus is and where it lies."""
    which, ordinal = searched.corpus.locate(number)
    build = searched.builds[which]
    lexical = searched.corpus.builds[which].lexical
    chunks = lexical.catalogue
    file = _file_of(lexical, ordinal)
    where = file_place(build, file.path, file.language)
    symbol = chunks.symbols[ordinal]
    first, last = chunks.span_offsets[ordinal : ordinal + 2].tolist()
    start_line, end_line = chunks.lines[ordinal].tolist()
    return {
        "chunk": spell_id(
            build, where["path_url"], symbol, int(chunks.start_bytes[ordinal])
        ),
        "ordinal": ordinal,
        "build": build.pk,
        **where,
        "start_line": start_line,
        "end_line": end_line,
        "spans": chunks.spans[first:last].tolist(),
        "symbol": symbol or None,
        "kind": chunks.kinds[ordinal],
        "marks": list(chunks.marks[ordinal]),
    }


def original_of(searched: Searched, number: int) -> str | None:
    """Return the id of the chunk that this one is a copy of, None if of none.

    Content is compared within one build.
    """
    which, ordinal = searched.corpus.locate(number)
    lexical = searched.corpus.builds[which].lexical
    chunks = lexical.catalogue
    first = int(chunks.duplicate_of[ordinal])
    if first == NONE:
        return None
    path = path_url(_file_of(lexical, first).path)
    start = int(chunks.start_bytes[first])
    return spell_id(searched.builds[which], path, chunks.symbols[first], start)


def file_place(build: Build, path: bytes, language: str) -> Json:
    """Return which file of a build a path is."""
    return {
        "repository": build.index.repository.name,
        "revision": build.revision,
        "path": display_path(path),
        "path_url": path_url(path),
        "language": language,
    }


def _file_of(lexical: LexicalLayer, ordinal: int) -> FileEntry:
    return lexical.catalogue.files[int(lexical.file_of[ordinal])]
