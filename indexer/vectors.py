"""Vectors: the texts of a build, encoded in batches and published as layers.

Which texts a layer covers follows from the chunks of the build alone. Every vector
goes into the cache as soon as it is made, so that a step may end at any time: the
next one, or the next build, goes on from there.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Sum

from indexer import encoders
from indexer.calibrating import calibrate_build
from indexer.errors import IndexingError
from indexer.leases import Lease
from indexer.models import Build, Layer
from indexer.pipeline import store
from indexer.pipeline.embedding import (
    VectorBatch,
    assemble,
    encode_texts,
    write_vector_layer,
)
from indexer.pipeline.encoder import Encoder
from indexer.pipeline.known import KnownVectors
from indexer.pipeline.surfaces import SURFACES, text_keys, texts_of
from indexer.places import layer_folder, lexical_folder
from indexer.progress import Reporter, enter_stage, finish, publish_vectors
from indexer.seeding import known_vectors

STAGE_OF = {
    "summary": Build.Stage.PURPOSES,
    "purpose": Build.Stage.PURPOSES,
    "body": Build.Stage.BODIES,
}
BATCH = 4096  # Texts a layer covers.
STEP_SECONDS = 45.0  # Then a step ends; what takes longer goes on in the next one.


@dataclass(frozen=True, slots=True)
class Step:
    """What one step works with, and until when by the monotonic clock."""

    build: Build
    lease: Lease
    encoder: Encoder
    known: KnownVectors
    ends: float

    @property
    def is_over(self) -> bool:
        """Whether its time is up."""
        return time.monotonic() >= self.ends


@dataclass(frozen=True, slots=True)
class Batch:
    """The texts that the next layer covers. `before` counts those of earlier layers."""

    surface: str
    number: int
    ordinals: list[int]
    before: int


def make_vector_layers(build: Build, lease: Lease) -> bool:
    """Encode and publish what there is time for; return whether there is more.

    At last the build is calibrated, and complete.
    """
    if build.stage == Build.Stage.LEXICAL:
        enter_stage(build, Build.Stage.PURPOSES)  # To load the model is part of it.
    encoder, missing = encoders.encoder_of(build.embedder, build.fingerprint)
    if encoder is None:
        missing = f"No vectors: {missing}. Searches are lexical only."
        finish(build, lease, note=missing)
        return False
    note_fingerprint(build, lease, encoder)
    ends = time.monotonic() + STEP_SECONDS
    step = Step(build, lease, encoder, known_vectors(encoder, lease), ends)
    batch = next_batch(build)
    if batch is None:
        calibrate_build(build, lease, encoder, step.known)
        finish(build, lease, note="")
        return False
    while batch and make_vector_layer(step, batch) and not step.is_over:
        batch = next_batch(build)
    return True


def note_fingerprint(build: Build, lease: Lease, encoder: Encoder) -> None:
    """Record which model makes the vectors.

    Raises IndexingError for a second one, LeaseLost.
    """
    if build.fingerprint not in ("", encoder.fingerprint):
        raise IndexingError(
            "The embedding model changed while its vectors were being made; "
            "index again with the new model."
        )
    if not build.fingerprint:
        build.fingerprint = encoder.fingerprint
        with transaction.atomic():
            lease.confirm()  # Another may compute them in another way by now.
            build.save(update_fields=["fingerprint"])


def next_batch(build: Build) -> Batch | None:
    """Return the texts that no layer covers yet and come first, None if all are."""
    lexical = lexical_folder(build)
    rows = build.layers.order_by().values_list("kind")
    layers = {
        kind: (number, covered)
        for kind, number, covered in rows.annotate(Count("pk"), Sum("covered"))
    }
    before = 0
    for surface in SURFACES:
        number, covered = layers.get(surface, (0, 0))
        before += covered
        ordinals = texts_of(lexical, surface)[covered : covered + BATCH]
        if ordinals:
            return Batch(surface, number, ordinals, before)
    return None


def make_vector_layer(step: Step, batch: Batch) -> bool:
    """Publish the layer of a batch; return False if the step ends before that."""
    build = step.build
    enter_stage(build, STAGE_OF[batch.surface])
    lexical = lexical_folder(build)
    keys = text_keys(lexical, batch.surface, batch.ordinals)
    vectors = step.known.find(keys)
    missing = {
        key: ordinal
        for key, ordinal in zip(keys, batch.ordinals, strict=True)
        if key not in vectors
    }
    copied = sum(key in vectors for key in keys)
    # What an earlier step made and the cache lost would be lost again.
    may_stop = build.vectors_done <= batch.before + copied
    note_copied(build, batch, copied)
    report = Reporter(build, step.lease, "vectors_done")
    # The last one is for the layer: by this number a search knows its layers.
    most = batch.before + len(keys) - 1
    report(min(batch.before + copied, most))
    for made in encode_texts(lexical, batch.surface, missing, step.encoder):
        step.known.add(made)
        vectors |= made
        done = sum(key in vectors for key in keys)
        report(min(batch.before + done, most), attempts=0)
        if may_stop and step.is_over and done < len(keys):
            build.vectors_done, build.attempts = batch.before + done, 0
            build.save(update_fields=["vectors_done", "attempts"])
            return False
    publish_layer(step, batch, assemble(batch.ordinals, keys, vectors))
    return True


def note_copied(build: Build, batch: Batch, copied: int) -> None:
    """Count the texts that are copied, at the first look at a batch.

    Later the cache holds what this build itself made.
    """
    if build.vectors_done > batch.before:
        return
    build.vectors_reused += copied
    build.vectors_done = batch.before + min(copied, len(batch.ordinals) - 1)
    build.save(update_fields=["vectors_reused", "vectors_done"])


def publish_layer(step: Step, batch: Batch, rows: VectorBatch) -> None:
    """Write a layer and let searches read it, with the counts of its build."""
    build, surface = step.build, batch.surface
    facts: dict[str, object] = {
        "kind": surface,
        "fingerprint": step.encoder.fingerprint,
        "dimension": step.encoder.dimension,
        "texts": len(batch.ordinals),
    }
    build.vectors_done = batch.before + len(batch.ordinals)
    build.over_length_count += rows.split_count
    build.attempts = 0
    fields = ["vectors_done", "over_length_count", "attempts"]
    layer = Layer(
        build=build, kind=surface, number=batch.number, covered=len(batch.ordinals)
    )
    with (
        store.written_layer(
            layer_folder(build, surface, batch.number),
            lambda aside: write_vector_layer(aside, rows, facts),
        ) as written,
        transaction.atomic(),
    ):
        step.lease.confirm()
        layer.files = written.publish()
        layer.save()
        build.save(update_fields=fields)
        publish_vectors(build)
