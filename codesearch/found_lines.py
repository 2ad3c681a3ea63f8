"""Found lines: every line that a phrase or a regular expression of a query matches.

The list that ripgrep gives, of all files in scope: by repository and path, whatever
chunk a line is of, and if it is of none.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from codesearch.catalogue import file_place
from codesearch.corpora import Searched
from codesearch.funnel.expression import is_literal
from codesearch.funnel.scope import is_of_files, make_scope, seek_patterns
from codesearch.funnel.types import Query
from codesearch.inquiry import open_for
from codesearch.payloads import SCHEMA, Payload
from codesearch.payloads.builds import builds_payload
from codesearch.payloads.filters import filters_payload
from codesearch.payloads.literals import literals_payload, unsearched_sentences
from indexer.access import Viewer
from indexer.engines.exact import FILE_BITS, Mask, Numbers, as_numbers, own_lines
from indexer.paging import find_page
from indexer.pipeline.blobs import split_lines
from indexer.pipeline.literals import Pattern, joined_spans

PAGE_LINES = 1000


@dataclass(frozen=True, eq=False, slots=True)
class _Found:
    """The lines of one build: each is its file's ordinal and its number in one."""

    build: int
    numbers: Numbers
    outside: int


def find_lines(
    *,
    viewer: Viewer,
    query: str,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    page: int = 1,
) -> Payload:
    """Return a page of the lines that a query's literals match, with the counts of all.

    Each line has its `spans` that match, in characters. `outside` counts those that are
    no chunk's own. Conditions on files hold, those on chunks are left out and said
    (`not_of_lines`). What was not indexed is in the counts of `builds`. Without a
    literal there is none. Raises SearchError.
    """
    started = time.perf_counter()
    read, searched = open_for(viewer, query, repositories, profile)
    seek_patterns(read.filters, searched.corpus, rest=False)
    found = [_find(read, searched, number) for number in range(len(searched.builds))]
    total = sum(len(one.numbers) for one in found)
    page, pages = find_page(page, total, PAGE_LINES)
    return {
        "schema": SCHEMA,
        "query": read.typed,
        "filters": filters_payload(read),
        "literals": literals_payload(read),
        "builds": builds_payload(searched),
        "left_out": [*searched.left_out, *unsearched_sentences(read, searched)],
        "not_of_lines": [one.text for one in read.filters if not is_of_files(one)],
        "lines": total,
        "files": sum(len(np.unique(one.numbers >> FILE_BITS)) for one in found),
        "outside": sum(one.outside for one in found),
        "page": page,
        "pages": pages,
        "groups": _groups(found, searched, read.literals, page),
        "milliseconds": 1000 * (time.perf_counter() - started),
    }


def _find(query: Query, searched: Searched, number: int) -> _Found:
    """Return the lines of a build in the files that are in scope."""
    corpus = searched.corpus
    lexical = corpus.builds[number].lexical
    lines = [corpus.texts.lines(number, pattern) for pattern in query.literals]
    parts = [as_numbers(one.files, one.lines) for one in lines]
    numbers = np.unique(np.concatenate([np.empty(0, np.int64), *parts]))
    numbers = numbers[_files_in_scope(query, searched, number)[numbers >> FILE_BITS]]
    own = own_lines(lexical.catalogue, numbers)
    return _Found(number, numbers, int(np.count_nonzero(~own)))


def _files_in_scope(query: Query, searched: Searched, number: int) -> Mask:
    """Return which files of a build's ledger meet the conditions that are of files."""
    corpus = searched.corpus
    # A file may match where no chunk of it does: the lines themselves tell.
    kept = [one for one in query.filters if is_of_files(one) and not is_literal(one)]
    return corpus.files_of(make_scope(kept, corpus).places, number)


def _groups(
    found: Iterable[_Found], searched: Searched, patterns: Sequence[Pattern], page: int
) -> list[Payload]:
    """Return the lines of a page, grouped by file."""
    groups: list[Payload] = []
    skipped, room = (page - 1) * PAGE_LINES, PAGE_LINES
    for one in found:
        shown = one.numbers[skipped : skipped + room]
        groups += _groups_of(one, shown, searched, patterns)
        skipped, room = max(0, skipped - len(one.numbers)), room - len(shown)
    return groups


def _groups_of(
    found: _Found, shown: Numbers, searched: Searched, patterns: Sequence[Pattern]
) -> Iterator[Payload]:
    """Yield each file of a build with lines on a page; `count` has all it holds."""
    build = searched.builds[found.build]
    catalogue = searched.corpus.builds[found.build].lexical.catalogue
    files, starts = np.unique(shown >> FILE_BITS, return_index=True)
    texts = searched.corpus.texts.of(found.build)
    known = texts.read(files.tolist()) if texts else {}
    parts = np.split(shown, starts[1:])
    for file, numbers in zip(files.tolist(), parts, strict=False):  # No file, one part.
        entry = catalogue.files[file]
        bounds = as_numbers([file, file + 1], [0, 0])
        lines = split_lines(known.get(file, ""))
        wanted = (numbers - bounds[0]).tolist()
        yield {
            **file_place(build, entry.path, entry.language),
            "count": int(np.diff(np.searchsorted(found.numbers, bounds))[0]),
            "lines": [
                {
                    "number": number,
                    "text": lines[number - 1],
                    "spans": joined_spans(patterns, lines[number - 1]),
                }
                for number in wanted
                if number <= len(lines)
            ],
        }
