"""Verification: whether the layers of a build are whole, and fit one another.

A search hashes a layer when it first opens it. Here every file is hashed again, and
the layers are compared with each other and with the rows. That shows what no checksum
can: what was mixed up or left out before it was published.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from indexer.engines.layers import LexicalLayer, VectorLayer, check_format
from indexer.models import Build, Layer
from indexer.pipeline.known import held_texts
from indexer.pipeline.postings import Postings
from indexer.pipeline.store import LayerError, read_manifest, verify_layer
from indexer.pipeline.surfaces import SURFACES, texts_of
from indexer.pipeline.vectors import check_rows
from indexer.places import lexical_folder, place_of


def verify_build(build: Build) -> list[str]:
    """Return a sentence for each fault of a build; a sound one has none.

    Layers are compared once all of them are as they were published.
    """
    layers = list(build.layers.select_related("build").order_by("kind", "number"))
    damage = [fault for layer in layers for fault in _damage(layer)]
    return damage or [*_lexical_faults(build), *_vector_faults(build, layers)]


def _damage(layer: Layer) -> Iterator[str]:
    place = place_of(layer)
    try:
        check_format(place.folder, place.checksums)
        verify_layer(place.folder, place.checksums)
    except LayerError as error:
        yield f"{error}."


def _lexical_faults(build: Build) -> Iterator[str]:
    folder = lexical_folder(build)
    name = folder.name
    try:
        lexical = LexicalLayer(folder)
    except (OSError, ValueError) as error:
        yield f"{name} cannot be read: {error}."
        return
    chunks, rows = len(lexical.file_of), build.chunks.count()
    if chunks != rows:
        yield f"{name} has {chunks:,} chunks, the database {rows:,}."
    files, rows = len(lexical.catalogue.files), build.files.count()
    if files != rows:
        yield f"{name} has {files:,} files, the ledger {rows:,}."
    for part in ("postings", "summaries", "paths"):
        if wrong := _misfits(getattr(lexical, part)):
            yield (
                f"{name}: the terms in {part} are not as many as their lengths say, "
                f"of {wrong:,} lists."
            )


def _misfits(postings: Postings) -> int:
    """Return of how many chunks the terms are not as many as its length says."""
    counted = np.zeros(postings.chunk_count, np.int64)
    np.add.at(counted, postings.chunks, postings.frequencies)
    return int(np.count_nonzero(counted != postings.lengths))


def _vector_faults(build: Build, layers: Sequence[Layer]) -> Iterator[str]:
    lexical = lexical_folder(build)
    for surface in SURFACES:
        wanted = texts_of(lexical, surface)
        covered = 0
        for layer in (layer for layer in layers if layer.kind == surface):
            ordinals = wanted[covered : covered + layer.covered]
            covered += layer.covered
            yield from _layer_faults(layer, lexical, ordinals)
        is_complete = build.status == Build.Status.READY and build.fingerprint
        if is_complete and covered < len(wanted):
            yield (
                f"{len(wanted) - covered:,} of {len(wanted):,} {surface} texts "
                "have no vector, and the build is called complete."
            )


def _layer_faults(
    layer: Layer, lexical: Path, ordinals: Sequence[int]
) -> Iterator[str]:
    """Compare a vector layer with the texts that it should cover."""
    folder = place_of(layer).folder
    if read_manifest(folder).get("fingerprint") != layer.build.fingerprint:
        yield f"{folder.name} is of another model than its build."
    try:
        opened = VectorLayer(folder)
        check_rows(opened.vectors.rows)
    except (OSError, ValueError) as error:
        yield f"{folder.name} cannot be read: {error}."
        return
    told = {len(opened.ordinals), len(opened.numbers), len(opened.digests)}
    if told != {opened.vectors.count}:
        yield f"{folder.name} has not as many vectors as it says of what they are."
        return
    odd = sorted({*opened.ordinals.tolist()} ^ {*ordinals})
    if odd:
        yield (
            f"{folder.name} covers other texts than its {len(ordinals):,}: "
            f"{len(odd):,} too few or too many, the first of ordinal {odd[0]}."
        )
        return
    held = held_texts(folder, lexical, layer.kind)
    if wrong := sorted(text.ordinal for text in held if text.agrees is False):
        yield (
            f"{folder.name} has vectors of other texts than {lexical.name}: "
            f"{len(wrong):,} of {len(ordinals):,}, the first of ordinal {wrong[0]}."
        )
