"""Uses: the lines of a build that hold a name as a whole word.

By name only: other things of the same name are among them. The postings propose files,
their texts decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from indexer.models import File
from indexer.named import BuildNames, Definition
from indexer.pipeline.blobs import BlobReader, split_lines
from indexer.pipeline.git import GitError
from indexer.pipeline.paths import path_url
from indexer.pipeline.postings import find_chunks
from indexer.pipeline.reading import shown_source
from indexer.pipeline.terms import tokenize
from indexer.pipeline.types import SkipReason
from indexer.places import mirror_of

MOST_FILES = 3000  # Read for one page, in about two seconds; of more the first.
LINES = 200  # On a page.

Ordinals = npt.NDArray[np.int64]
Texts = Iterator[tuple[File, list[str]]]


@dataclass(frozen=True, slots=True)
class Use:
    """One line that holds the name."""

    number: int
    text: str
    is_definition: bool


@dataclass(slots=True)
class UsedIn:
    """A file with its lines that are shown."""

    path: str
    path_url: str
    language: str
    uses: list[Use] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Uses:
    """All lines counted, those of one page shown, in order of path and line.

    `proposed` counts the files that may hold the name and `read` those of them that
    were read; `unread` is what the mirror does not give any more.
    """

    proposed: int
    read: int
    unread: int
    files: int
    lines: int
    page: int
    pages: int
    shown: Sequence[UsedIn]


def find_uses(names: BuildNames, name: str, page: int) -> Uses:
    """Return a page of the lines that hold `name`; the last page at most."""
    ordinals = _proposed(names, name)
    rows = names.build.files.filter(ordinal__in=ordinals[:MOST_FILES].tolist())
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    held: list[tuple[File, list[tuple[int, str]]]] = []
    read = 0
    for file, lines in _read_texts(names, rows.order_by("ordinal")):
        read += 1
        found = [(i, line) for i, line in enumerate(lines, 1) if word.search(line)]
        if found:
            held.append((file, found))
    count = sum(len(found) for _, found in held)
    pages = max(1, -(-count // LINES))
    page = min(page, pages)
    wanted = range((page - 1) * LINES, page * LINES)
    return Uses(
        proposed=len(ordinals),
        read=read,
        unread=min(len(ordinals), MOST_FILES) - read,
        files=len(held),
        lines=count,
        page=page,
        pages=pages,
        shown=_page(held, wanted, _definitions(names, name)),
    )


def _proposed(names: BuildNames, name: str) -> Ordinals:
    """Return the ordinals of the files with a chunk that holds all terms of a name."""
    found: Ordinals | None = None
    for term in dict.fromkeys(tokenize(name)):
        chunks, _ = find_chunks(names.layer.postings, term)
        files = np.unique(names.layer.file_of[chunks]).astype(np.int64)
        found = files if found is None else np.intersect1d(found, files)
    return np.empty(0, np.int64) if found is None else found


def _read_texts(names: BuildNames, rows: Iterable[File]) -> Texts:
    repository = names.build.index.repository
    with BlobReader(mirror_of(repository)) as reader:
        for row in rows:
            try:
                data = reader.read(row.oid)
            except GitError:
                continue
            source = shown_source(
                bytes(row.path_bytes), data, index_secrets=repository.index_secrets
            )
            text = "" if isinstance(source, SkipReason) else source.text
            yield row, split_lines(text)


def _definitions(names: BuildNames, name: str) -> dict[str, list[Definition]]:
    """Return the definitions of a name by the address of their file."""
    found: dict[str, list[Definition]] = {}
    for one in names.describe(names.find(name)):
        found.setdefault(one.path_url, []).append(one)
    return found


def _page(
    held: Sequence[tuple[File, list[tuple[int, str]]]],
    wanted: range,
    definitions: dict[str, list[Definition]],
) -> list[UsedIn]:
    """Return the files and lines whose places, counted over all, are `wanted`."""
    shown: list[UsedIn] = []
    start = 0
    for file, found in held:
        part = found[max(0, wanted.start - start) : max(0, wanted.stop - start)]
        start += len(found)
        if not part:
            continue
        url = path_url(file.path_bytes)
        lines = {_line_of(one, found) for one in definitions.get(url, ())}
        uses = [Use(number, text, number in lines) for number, text in part]
        shown.append(UsedIn(file.path, url, file.language, uses))
    return shown


def _line_of(definition: Definition, found: Sequence[tuple[int, str]]) -> int | None:
    """Return the line of a definition that says its name, as its signature does.

    Comments and decorators that belong to it may say the name before.
    """
    lines = range(definition.start_line, definition.end_line + 1)
    within = [(number, text) for number, text in found if number in lines]
    head = definition.signature
    for number, text in within:
        words = " ".join(text.split())
        if head and (head.startswith(words) or words.startswith(head)):
            return number
    return within[0][0] if within else None
