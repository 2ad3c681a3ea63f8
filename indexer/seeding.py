"""Seeding: a new or lost cache of vectors gets what the searched builds hold."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator

from django.db.models import F

from indexer.caches import vectors_cache
from indexer.engines.layers import VectorLayer
from indexer.leases import Lease
from indexer.models import Layer
from indexer.pipeline import store
from indexer.pipeline.embedding import split_texts
from indexer.pipeline.encoder import Encoder
from indexer.pipeline.known import Floats, KnownVectors, held_texts
from indexer.pipeline.surfaces import load_surface
from indexer.places import lexical_folder, place_of

logger = logging.getLogger(__name__)

SEEDED = b"seeded"


def known_vectors(encoder: Encoder, lease: Lease) -> KnownVectors:
    """Return what is known of an embedder's texts. Raises LeaseLost."""
    cache = vectors_cache(encoder.fingerprint)
    known = KnownVectors(cache, encoder.dimension)
    if cache.find([SEEDED]):
        return known
    for vectors in published_vectors(encoder):
        lease.check()
        known.add(vectors)
    cache.add({SEEDED: SEEDED})
    return known


def published_vectors(encoder: Encoder) -> Iterator[dict[bytes, Floats]]:
    """Yield the vectors of each layer that searches read now, by the keys of its texts.

    A layer that is damaged, or was made of other texts than its build holds, is left
    out.
    """
    layers = Layer.objects.filter(
        build__fingerprint=encoder.fingerprint,
        build__index__current_build=F("build"),
    ).exclude(kind=Layer.Kind.LEXICAL)
    for layer in layers.select_related("build").order_by("pk"):
        try:
            yield _vectors(layer, encoder)
        except (store.LayerError, OSError, ValueError, IndexError) as error:
            logger.warning("no vectors are copied from %s: %s", layer, error)


def _vectors(layer: Layer, encoder: Encoder) -> dict[bytes, Floats]:
    place = place_of(layer)
    store.verify_layer(place.folder, place.checksums)
    opened = VectorLayer(place.folder)
    lexical = lexical_folder(layer.build)
    held = held_texts(place.folder, lexical, layer.kind)
    unsure = [text for text in held if text.agrees is None]
    texts = load_surface(lexical, layer.kind, [text.ordinal for text in unsure])
    said: defaultdict[int, bytes] = defaultdict(bytes)
    for part in split_texts(texts, encoder):
        said[part.ordinal] += part.digest
    agreed = [text for text in held if text.agrees]
    for text in unsure:
        if opened.digests[text.start : text.stop].tobytes() == said[text.ordinal]:
            agreed.append(text)
    return {text.key: opened.vectors.rows[text.start : text.stop] for text in agreed}
