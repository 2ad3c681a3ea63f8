"""Vectors: the next batch of texts of a build, encoded and published as a layer."""

from __future__ import annotations

import logging
from functools import lru_cache

from django.db import transaction
from django.db.models import Sum

from indexer import encoders
from indexer.calibrating import calibrate_build
from indexer.engines.layers import VectorLayer, open_layer
from indexer.errors import IndexingError
from indexer.leases import Lease
from indexer.models import Build, Layer
from indexer.pipeline import store
from indexer.pipeline.embedding import (
    VectorCache,
    embed,
    split_texts,
    write_vector_layer,
)
from indexer.pipeline.encoder import Encoder
from indexer.pipeline.surfaces import SURFACES, Texts, load_surface, texts_of
from indexer.places import layer_folder, place_of
from indexer.progress import Reporter, enter_stage, finish

logger = logging.getLogger(__name__)

STAGE_OF = {
    "summary": Build.Stage.PURPOSES,
    "purpose": Build.Stage.PURPOSES,
    "body": Build.Stage.BODIES,
}
# Texts a layer covers: under half a minute of one core, so that what is lost to a
# stop is little. A body takes about four times as long as a purpose.
BATCH = {"summary": 1024, "purpose": 1024, "body": 512}


def make_next_vector_layer(build: Build, lease: Lease) -> bool:
    """Encode the next batch, or calibrate at last; return whether there is more."""
    encoder, missing = encoders.encoder_of(build.embedder, build.fingerprint)
    if encoder is None:
        finish(build, note=f"No vectors: {missing}. Searches are lexical only.")
        return False
    if build.fingerprint not in ("", encoder.fingerprint):
        raise IndexingError(
            "The embedding model changed while its vectors were being made; "
            "index again with the new model."
        )
    if not build.fingerprint:
        build.fingerprint = encoder.fingerprint
        build.save(update_fields=["fingerprint"])

    lexical = layer_folder(build, Layer.Kind.LEXICAL, 0)
    for surface in SURFACES:
        ordinals = texts_of(lexical, surface)
        covered = covered_texts(build, surface)
        if covered < len(ordinals):
            batch = ordinals[covered : covered + BATCH[surface]]
            texts = load_surface(lexical, surface, batch)
            make_vector_layer(build, lease, encoder, surface, texts)
            return True
    if build.calibration is None:
        calibrate_build(build, lease, encoder)
        return True
    finish(build, note="")
    return False


def covered_texts(build: Build, surface: str) -> int:
    """Return how many texts of a surface published layers cover."""
    total = build.layers.filter(kind=surface).aggregate(Sum("covered"))["covered__sum"]
    return total or 0


def make_vector_layer(
    build: Build, lease: Lease, encoder: Encoder, surface: str, texts: Texts
) -> None:
    """Encode one batch and publish it as a layer of its own."""
    enter_stage(build, STAGE_OF[surface])
    done = build.layers.exclude(kind=Layer.Kind.LEXICAL).aggregate(Sum("covered"))
    before = done["covered__sum"] or 0
    after = before + len(texts.ordinals)
    report = Reporter(build, lease, "vectors_done")
    parts = split_texts(texts, encoder)
    batch = embed(
        parts,
        encoder,
        reusable_vectors(build),
        # `after` is for the published layer: by this number a search knows its layers.
        lambda n: report(min(before + n, after - 1)),
    )
    number = build.layers.filter(kind=surface).count()
    facts: dict[str, object] = {
        "kind": surface,
        "fingerprint": encoder.fingerprint,
        "dimension": encoder.dimension,
        "texts": len(texts.ordinals),
    }
    folder = layer_folder(build, surface, number)
    layer = Layer(build=build, kind=surface, number=number, covered=after - before)
    build.vectors_done = after
    build.vectors_reused += batch.reused
    build.over_length_count += sum(part.number == 1 for part in parts)
    build.attempts = 0
    with store.written_layer(
        folder, lambda aside: write_vector_layer(aside, batch, facts)
    ) as written:
        publish_vectors(build, lease, layer, written)


def publish_vectors(
    build: Build, lease: Lease, layer: Layer, written: store.WrittenLayer
) -> None:
    """Let searches read a layer, with the counts of its build."""
    with transaction.atomic():
        lease.confirm()
        layer.files = written.publish()
        layer.save()
        build.save(
            update_fields=[
                "vectors_done",
                "vectors_reused",
                "over_length_count",
                "attempts",
            ]
        )


def reusable_vectors(build: Build) -> VectorCache:
    """Return the rows that other builds, of any repository, made with this model."""
    layers = Layer.objects.filter(build__fingerprint=build.fingerprint)
    layers = layers.exclude(kind=Layer.Kind.LEXICAL).exclude(build=build)
    return _read_cache(tuple(layers.order_by("pk").values_list("pk", flat=True)))


@lru_cache(maxsize=1)
def _read_cache(layers: tuple[int, ...]) -> VectorCache:
    """Read published layers, which never change; a damaged one is left out."""
    found = []
    for layer in Layer.objects.filter(pk__in=layers).select_related("build"):
        try:
            opened = open_layer(place_of(layer))
        except store.LayerError as error:
            logger.warning("no vectors are copied from %s: %s", layer, error)
            continue
        if isinstance(opened, VectorLayer):
            found.append((opened.vectors, opened.digests))
    return VectorCache(found)
