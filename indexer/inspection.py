"""Inspection: what was indexed of one file, to the letter.

Everything is read from the layers of the build, not made again: the texts that
were encoded, the parts they were split into, the terms in the postings. Of much of it
only the beginning is read, and that is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from indexer import encoders
from indexer.access import Viewer
from indexer.engines.layers import LexicalLayer, open_layer
from indexer.files import file_row
from indexer.models import Build, Chunk, File, Layer
from indexer.pipeline.embedding import split_texts
from indexer.pipeline.encoder import Encoder
from indexer.pipeline.postings import terms_of
from indexer.pipeline.store import LayerError, read_manifest
from indexer.pipeline.surfaces import Texts, load_surface, texts_of
from indexer.places import place_of

MOST_CHUNKS = 200  # Of a file; any chunk can be read alone.
MOST_CHARACTERS = 20_000  # Of a text: what is longer takes seconds to split.
MOST_TERMS = 1000  # Of a chunk.


@dataclass(frozen=True, slots=True)
class InspectedPart:
    """One encoded piece of a text; `tokens` is None without the build's model."""

    text: str
    tokens: int | None


@dataclass(frozen=True, slots=True)
class InspectedText:
    """One text of a chunk or a file. `embedded` is False until its layer is out.

    `cut_from` is how many characters it has where only its first parts are read, or 0.
    """

    surface: str
    parts: Sequence[InspectedPart]
    embedded: bool
    cut_from: int = 0


@dataclass(frozen=True, slots=True)
class InspectedChunk:
    """One chunk: its texts, and its terms with their counts, the commonest first.

    Of `different` terms no more than MOST_TERMS are in `terms`.
    """

    chunk: Chunk
    texts: Sequence[InspectedText]
    terms: Sequence[tuple[str, int]]
    different: int
    length: int


@dataclass(frozen=True, slots=True)
class InspectedFile:
    """What was indexed of one file. `limit` is in tokens of the model, or None.

    Behind `chunks` there are so many `more`.
    """

    file: File
    repository: str
    revision: str
    limit: int | None
    note: str
    summary: InspectedText | None
    chunks: Sequence[InspectedChunk]
    more: int = 0


def inspect_file(
    viewer: Viewer,
    repository: str,
    revision: str,
    path: bytes,
    *,
    only: int | None = None,
) -> InspectedFile | None:
    """Return what the newest build of a revision holds of a file, or None.

    With `only` of its chunks just the one with this ordinal, and no summary.
    """
    file = file_row(viewer, repository, revision, path)
    if file is None:
        return None
    encoder, note = _encoder_of(file.build)
    try:
        reader = _BuildReader(file.build, encoder)
    except LayerError as error:
        note = f"The index cannot be read: {error}."
        return InspectedFile(file, repository, revision, None, note, None, [])
    chunks = file.chunks.order_by("ordinal")
    if only is not None:
        chunks = chunks.filter(ordinal=only)
        file.place = None
    rows = list(chunks[:MOST_CHUNKS])
    more = chunks.count() - len(rows)
    if hides_texts(file.build, reader.lexical.folder):
        note = "Hidden: it was indexed with secrets, which are off now. Index it again."
        file.place, rows, more = None, [], 0
    return InspectedFile(
        file=file,
        repository=repository,
        revision=revision,
        limit=encoder.max_tokens if encoder else None,
        note=note,
        summary=None if file.place is None else reader.summary(file.place),
        chunks=reader.chunks(rows),
        more=more,
    )


def hides_texts(build: Build, lexical: Path) -> bool:
    """Tell whether the texts of a build may hold secrets that are no longer shown."""
    held = bool(read_manifest(lexical).get("index_secrets"))
    return held and not build.index.repository.index_secrets


def _encoder_of(build: Build) -> tuple[Encoder | None, str]:
    encoder, missing = encoders.encoder_of(build.embedder, build.fingerprint)
    if encoder is None:
        return None, f"Tokens are not counted: {missing}."
    if build.fingerprint not in ("", encoder.fingerprint):
        return None, "Tokens are not counted: the build was made with another model."
    return encoder, ""


class _BuildReader:
    """Reads texts and terms of one build."""

    def __init__(self, build: Build, encoder: Encoder | None) -> None:
        self.encoder = encoder
        layers = list(build.layers.all())
        lexical = next(layer for layer in layers if layer.kind == Layer.Kind.LEXICAL)
        opened = open_layer(place_of(lexical))
        if not isinstance(opened, LexicalLayer):
            raise TypeError(f"{lexical} is not a lexical layer")
        self.lexical = opened
        folder = opened.folder
        # Of each ordinal with a text, its place among them: layers go by that.
        self.order = {
            surface: {ordinal: i for i, ordinal in enumerate(texts_of(folder, surface))}
            for surface in ("summary", "purpose", "body")
        }
        self.covered = {
            surface: sum(layer.covered for layer in layers if layer.kind == surface)
            for surface in self.order
        }

    def chunks(self, rows: Sequence[Chunk]) -> list[InspectedChunk]:
        """Return chunks with their texts and terms."""
        ordinals = [row.ordinal for row in rows]
        found = [self._texts(surface, ordinals) for surface in ("purpose", "body")]
        return [
            self._chunk(row, [one[row.ordinal] for one in found if row.ordinal in one])
            for row in rows
        ]

    def summary(self, place: int) -> InspectedText | None:
        """Return the summary of a file, None where there is none."""
        return self._texts("summary", [place]).get(place)

    def _chunk(self, row: Chunk, texts: Sequence[InspectedText]) -> InspectedChunk:
        terms = terms_of(self.lexical.postings, row.ordinal)
        return InspectedChunk(
            chunk=row,
            texts=texts,
            terms=terms[:MOST_TERMS],
            different=len(terms),
            length=int(self.lexical.postings.lengths[row.ordinal]),
        )

    def _texts(self, surface: str, ordinals: Sequence[int]) -> dict[int, InspectedText]:
        """Return the texts as they were encoded, by ordinal, of those that have one."""
        order = self.order[surface]
        known = [ordinal for ordinal in ordinals if ordinal in order]
        whole = load_surface(self.lexical.folder, surface, known)
        texts = replace(
            whole, texts=tuple(one[:MOST_CHARACTERS] for one in whole.texts)
        )
        parts = self._parts(texts)
        return {
            ordinal: _inspected(
                surface,
                parts[ordinal],
                len(text),
                order[ordinal] < self.covered[surface],
            )
            for ordinal, text in zip(known, whole.texts, strict=True)
        }

    def _parts(self, texts: Texts) -> dict[int, list[InspectedPart]]:
        """Return the parts of texts, by ordinal."""
        found: dict[int, list[InspectedPart]] = {one: [] for one in texts.ordinals}
        if self.encoder is None:
            for ordinal, text in zip(texts.ordinals, texts.texts, strict=True):
                found[ordinal].append(InspectedPart(text, None))
            return found
        parts = split_texts(texts, self.encoder)
        counts = self.encoder.count_tokens([part.text for part in parts])
        for part, tokens in zip(parts, counts, strict=True):
            found[part.ordinal].append(InspectedPart(part.text, tokens))
        return found


def _inspected(
    surface: str, parts: list[InspectedPart], length: int, embedded: bool
) -> InspectedText:
    """Return a text of so many characters by the parts of its beginning.

    Of several the last is left out: in the whole text it may end elsewhere.
    """
    if length <= MOST_CHARACTERS:
        return InspectedText(surface, parts, embedded)
    return InspectedText(surface, parts[:-1] or parts, embedded, length)
