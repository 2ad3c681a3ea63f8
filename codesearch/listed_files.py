"""Listed files: what the filters of a query leave, where it has no words to rank by.

By repository and path, as ripgrep lists files; nothing is ranked.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os.path import commonprefix

import numpy as np

from codesearch.catalogue import file_place
from codesearch.corpora import Searched
from codesearch.funnel.filters import asks_for_places
from codesearch.funnel.scope import is_of_files, make_scope
from codesearch.funnel.types import Mask, Scope
from codesearch.inquiry import open_for
from codesearch.payloads import SCHEMA, Payload
from codesearch.payloads.builds import builds_payload
from codesearch.payloads.filters import filters_payload
from codesearch.payloads.literals import unsearched_sentences
from indexer.access import Viewer
from indexer.engines.exact import Numbers
from indexer.paging import find_page
from indexer.pipeline.paths import display_path

PAGE_FILES = 50
CHUNKS_SHOWN = 12  # Of a file; its page has all of them.


@dataclass(frozen=True, slots=True, eq=False)
class _Left:
    """What the filters leave of one build: files by ordinal, and all chunks so."""

    build: int
    files: Numbers
    chunks: Mask


def list_files(
    *,
    viewer: Viewer,
    query: str,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    page: int = 1,
) -> Payload:
    """Return a page of the files that hold what is in scope, each with its chunks.

    `counts` says for the name of each filter how many of all `files` have which value;
    those of `path` are folders. Files without chunks, as data files are, are listed
    where all conditions are of files. Raises SearchError.
    """
    started = time.perf_counter()
    read, searched = open_for(viewer, query, repositories, profile, has_words=False)
    scope = make_scope(read.filters, searched.corpus)
    has_places = all(is_of_files(one) or asks_for_places(one) for one in read.filters)
    numbers = range(len(searched.builds))
    left = [_left_of(searched, n, scope, has_places=has_places) for n in numbers]
    total = sum(len(one.files) for one in left)
    page, pages = find_page(page, total, PAGE_FILES)
    return {
        "schema": SCHEMA,
        "query": read.typed,
        "filters": filters_payload(read),
        "builds": builds_payload(searched),
        "left_out": [*searched.left_out, *unsearched_sentences(read, searched)],
        "in_scope": int(scope.chunks.sum()),
        "files": total,
        "page": page,
        "pages": pages,
        "counts": _counts(left, searched),
        "groups": list(_groups(left, searched, (page - 1) * PAGE_FILES)),
        "milliseconds": 1000 * (time.perf_counter() - started),
    }


def _left_of(
    searched: Searched, number: int, scope: Scope, *, has_places: bool
) -> _Left:
    corpus = searched.corpus
    file_of, start = corpus.builds[number].lexical.file_of, corpus.starts[number]
    chunks = scope.chunks[start : start + len(file_of)]
    held = corpus.files_of(scope.places & has_places, number)
    held[file_of[chunks]] = True
    return _Left(number, np.flatnonzero(held), chunks)


def _counts(left: Sequence[_Left], searched: Searched) -> dict[str, dict[str, int]]:
    """Return how many files have each repository, language, folder, kind and mark."""
    counts: dict[str, Counter[str]] = {
        name: Counter() for name in ("repo", "lang", "path", "kind", "is")
    }
    paths: list[str] = []
    for one in left:
        catalogue = searched.corpus.builds[one.build].lexical.catalogue
        repository = searched.builds[one.build].index.repository.name
        counts["repo"].update([repository] * len(one.files))
        for file in one.files.tolist():
            entry = catalogue.files[file]
            paths.append(display_path(entry.path))
            counts["lang"].update([entry.language] if entry.language else [])
            kinds = {catalogue.kinds[n] for n in _chunks_of(one, searched, file)}
            counts["kind"].update(sorted(kinds))
            counts["is"].update(entry.marks)
    counts["path"].update(filter(None, folders_of(paths)))
    return {name: dict(found) for name, found in counts.items()}


def folders_of(paths: Sequence[str]) -> list[str]:
    """Return the folder that tells each path from others: one below all they share.

    "" for a file that lies in no such folder.
    """
    folders = [path.split("/")[:-1] for path in paths]
    depth = len(commonprefix(folders))
    return ["/".join([*one[: depth + 1], ""]) if one[depth:] else "" for one in folders]


def _groups(
    left: Sequence[_Left], searched: Searched, skipped: int
) -> Iterator[Payload]:
    """Yield the files of a page, in order, each with the first of its chunks."""
    rows = [(one, file) for one in left for file in one.files.tolist()]
    for one, file in rows[skipped : skipped + PAGE_FILES]:
        catalogue = searched.corpus.builds[one.build].lexical.catalogue
        entry = catalogue.files[file]
        chunks = _chunks_of(one, searched, file)
        yield {
            **file_place(searched.builds[one.build], entry.path, entry.language),
            "marks": list(entry.marks),
            "count": len(chunks),
            "chunks": [
                {
                    "symbol": catalogue.symbols[n] or None,
                    "kind": catalogue.kinds[n],
                    "start_line": int(catalogue.lines[n, 0]),
                    "end_line": int(catalogue.lines[n, 1]),
                }
                for n in chunks[:CHUNKS_SHOWN]
            ],
        }


def _chunks_of(one: _Left, searched: Searched, file: int) -> list[int]:
    """Return the ordinals of a file's chunks that are in scope."""
    starts = searched.corpus.builds[one.build].lexical.catalogue.file_starts
    first, end = int(starts[file]), int(starts[file + 1])
    return (first + np.flatnonzero(one.chunks[first:end])).tolist()
