"""Inspection: what was indexed of one file, to the letter.

Everything is read from the layers of the build, not made again: the texts that
were encoded, the parts they were split into, the terms in the postings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from indexer.pipeline.surfaces import load_surface, texts_of
from indexer.places import place_of


@dataclass(frozen=True, slots=True)
class InspectedPart:
    """One encoded piece of a text; `tokens` is None without the build's model."""

    text: str
    tokens: int | None


@dataclass(frozen=True, slots=True)
class InspectedText:
    """One text of a chunk or a file. `embedded` is False until its layer is out."""

    surface: str
    parts: Sequence[InspectedPart]
    embedded: bool


@dataclass(frozen=True, slots=True)
class InspectedChunk:
    """One chunk: its texts, and its terms with their counts, the commonest first."""

    chunk: Chunk
    texts: Sequence[InspectedText]
    terms: Sequence[tuple[str, int]]
    length: int


@dataclass(frozen=True, slots=True)
class InspectedFile:
    """What was indexed of one file. `limit` is in tokens of the model, or None."""

    file: File
    repository: str
    revision: str
    limit: int | None
    note: str
    summary: InspectedText | None
    chunks: Sequence[InspectedChunk]


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
    rows = list(chunks if only is None else chunks.filter(ordinal=only))
    if only is not None:
        file.place = None
    if hides_texts(file.build, reader.lexical.folder):
        note = "Hidden: it was indexed with secrets, which are off now. Index it again."
        file.place, rows = None, []
    return InspectedFile(
        file=file,
        repository=repository,
        revision=revision,
        limit=encoder.max_tokens if encoder else None,
        note=note,
        summary=None if file.place is None else reader.text("summary", file.place),
        chunks=[reader.chunk(row) for row in rows],
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

    def chunk(self, row: Chunk) -> InspectedChunk:
        """Return one chunk with its texts and terms."""
        texts = [self.text(surface, row.ordinal) for surface in ("purpose", "body")]
        return InspectedChunk(
            chunk=row,
            texts=[text for text in texts if text is not None],
            terms=terms_of(self.lexical.postings, row.ordinal),
            length=int(self.lexical.postings.lengths[row.ordinal]),
        )

    def text(self, surface: str, ordinal: int) -> InspectedText | None:
        """Return one text as it was encoded, or None where there is none."""
        order = self.order[surface]
        if ordinal not in order:
            return None
        texts = load_surface(self.lexical.folder, surface, [ordinal])
        if self.encoder is None:
            parts = [InspectedPart(texts.texts[0], None)]
        else:
            pieces = [part.text for part in split_texts(texts, self.encoder)]
            counts = self.encoder.count_tokens(pieces)
            parts = [
                InspectedPart(piece, tokens)
                for piece, tokens in zip(pieces, counts, strict=True)
            ]
        embedded = order[ordinal] < self.covered[surface]
        return InspectedText(surface, parts, embedded)
