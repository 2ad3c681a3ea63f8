"""Examples: what can be asked of a repository, made from the repository itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from codesearch.corpora import current_builds
from codesearch.errors import UnknownRepository
from codesearch.funnel.expression import FilterError
from codesearch.funnel.query import read_query
from codesearch.targets import spell_target
from indexer.access import Viewer
from indexer.inspection import hides_texts
from indexer.models import Build, Chunk
from indexer.pipeline.sentences import load_sentences
from indexer.pipeline.store import LayerError
from indexer.pipeline.types import ChunkKind
from indexer.places import lexical_folder

KINDS = (ChunkKind.CLASS, ChunkKind.FUNCTION, ChunkKind.METHOD)
NAMES_READ = 200  # Chunks, where no documentation says what to ask.
SHORT = 8  # Words of a sentence that people would type.


@dataclass(frozen=True, slots=True)
class Example:
    """A symbol of a repository, and what asks for it.

    `sentence` is the first of its docs, "" where none can be asked; `target` is the
    symbol as the target of a trace.
    """

    repository: str
    sentence: str
    name: str
    target: str

    @property
    def query(self) -> str:
        """Return what to ask: in words, else by the name."""
        return self.sentence or self.name


def find_example(
    viewer: Viewer, repositories: Sequence[str], profile: str | None
) -> Example | None:
    """Return an example of the first repository in reach that has one, by name.

    Equal indexes give equal examples: the sentence is chosen by its hash.
    """
    try:
        builds = current_builds(viewer, repositories, profile)
    except UnknownRepository:
        return None
    return next((found for build in builds for found in _of_build(build)), None)


def _of_build(build: Build) -> Iterator[Example]:
    """Yield the examples of a build, those with a sentence first."""
    folder = lexical_folder(build)
    try:
        if not hides_texts(build, folder):
            yield from _asked_in_words(build, load_sentences(folder))
    except LayerError:  # A search says what is wrong with it.
        return
    chunks = _symbols(build).order_by("ordinal")[:NAMES_READ]
    yield from (_example(build, chunk, "") for chunk in chunks if _is_public(chunk))


def _asked_in_words(
    build: Build, sentences: Sequence[tuple[int, str]]
) -> Iterator[Example]:
    ordinals = [ordinal for ordinal, _ in sentences]
    rows = _symbols(build).filter(ordinal__in=ordinals)
    chunks = {chunk.ordinal: chunk for chunk in rows}
    for ordinal, sentence in sorted(sentences, key=_is_long):
        chunk = chunks.get(ordinal)
        if chunk and _is_public(chunk) and _is_of_words(sentence):
            yield _example(build, chunk, sentence)


def _is_long(row: tuple[int, str]) -> bool:
    return len(row[1].split()) > SHORT


def _symbols(build: Build) -> QuerySet[Chunk]:
    chosen = Chunk.objects.filter(build=build, kind__in=KINDS, marks=[])
    return chosen.select_related("file")


def _is_public(chunk: Chunk) -> bool:
    return not chunk.symbol.rpartition(".")[2].startswith("_")


def _is_of_words(sentence: str) -> bool:
    """Tell whether a sentence is asked as it is: none of its signs is a condition."""
    try:
        return read_query(sentence).text == sentence
    except FilterError:
        return False


def _example(build: Build, chunk: Chunk, sentence: str) -> Example:
    repository = build.index.repository.name
    path, start = chunk.file.path, chunk.start_byte
    target = spell_target(repository, path, chunk.symbol, start)
    return Example(repository, sentence, chunk.symbol, target)
