"""Chunk texts: what the files of a build hold of a chunk of a search, as encoded."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, repeat

from codesearch.corpora import Searched
from indexer.inspection import hides_texts
from indexer.pipeline.surfaces import load_texts
from indexer.pipeline.texts import doc_of
from indexer.pipeline.types import ChunkKind

WITHOUT_SIGNATURE = (ChunkKind.FILE, ChunkKind.SECTION, ChunkKind.MODULE)


def body_text(searched: Searched, number: int) -> str:
    """Return the body text of a chunk of the corpus, as it was encoded."""
    build, ordinal = searched.corpus.locate(number)
    folder = searched.corpus.builds[build].lexical.folder
    return load_texts(folder / "body", [ordinal])[0]


def doc_text(searched: Searched, number: int) -> str:
    """Return the documentation of a chunk of the corpus.

    "" where it has none, or where the texts of its build are not shown.
    """
    return doc_of(*_purposes(searched, [number])[number])


def signatures(searched: Searched, numbers: Iterable[int]) -> dict[int, str]:
    """Return the signatures of chunks of the corpus by number, each in one line.

    "" where it has none, or where the texts of its build are not shown.
    """
    found = {}
    for number, (purpose, kind) in _purposes(searched, numbers).items():
        _context, *lines = purpose.split("\n")
        has_one = lines and kind not in WITHOUT_SIGNATURE
        found[number] = lines[0] if has_one else ""
    return found


def _purposes(searched: Searched, numbers: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Return the purpose text of each chunk, "" if it is not shown, and its kind.

    The files of a build are opened once.
    """
    corpus = searched.corpus
    found = {}
    for build, some in groupby(sorted(numbers), lambda one: corpus.locate(one)[0]):
        places = {number: corpus.locate(number)[1] for number in some}
        lexical = corpus.builds[build].lexical
        texts: Iterable[str] = repeat("")
        if not hides_texts(searched.builds[build], lexical.folder):
            texts = load_texts(lexical.folder / "purpose", list(places.values()))
        for (number, ordinal), text in zip(places.items(), texts, strict=False):
            found[number] = text, lexical.catalogue.kinds[ordinal]
    return found
