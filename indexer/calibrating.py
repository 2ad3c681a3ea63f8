"""Calibrating: ask a complete build what it holds, and what it cannot hold."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from django.db import transaction

from indexer.engines.builds import LocalBuild
from indexer.leases import Lease
from indexer.models import Build
from indexer.opened import open_build
from indexer.pipeline.calibration import (
    LEAST,
    Calibration,
    Signals,
    best_cosine,
    calibrate,
    cover,
    share_words,
    to_json,
)
from indexer.pipeline.concepts import absent_concepts
from indexer.pipeline.encoder import Encoder
from indexer.pipeline.known import Floats, KnownVectors
from indexer.pipeline.sentences import load_sentences
from indexer.places import lexical_folder
from indexer.progress import enter_stage

PORTION = 64  # Queries encoded between two writes to the cache.
WHOLE = 0.999  # Of a share that sums floats.


def calibrate_build(
    build: Build, lease: Lease, encoder: Encoder, known: KnownVectors
) -> None:
    """Measure the build's own queries and publish what they score.

    The result depends on the layers and the model alone, so a step that died is
    repeated to the same end.
    """
    enter_stage(build, Build.Stage.CALIBRATING)
    sentences = load_sentences(lexical_folder(build))
    if len(sentences) < LEAST:  # Too few to be worth asking anything.
        found = Calibration(len(sentences), 0)
    else:
        local = open_build(build, build.fingerprint)
        absent = [one.text for one in absent_concepts(local.lexical.postings)]
        texts = [text for _, text in sentences] + absent
        vectors = encode_queries(texts, encoder, known, lease)
        found = measure(local, sentences, absent, vectors, lease)
    with transaction.atomic():
        lease.confirm()
        build.calibration = to_json(found)
        build.save(update_fields=["calibration"])


def measure(
    local: LocalBuild,
    sentences: Sequence[tuple[int, str]],
    absent: Sequence[str],
    vectors: Mapping[str, Floats],
    lease: Lease,
) -> Calibration:
    """Return what sentences of a build and absent concepts score. Raises LeaseLost."""
    present = []
    for ordinal, sentence in sentences:
        lease.check()
        held_out = repeated_in(local, ordinal, sentence)
        present.append(_signals(local, sentence, vectors[sentence], held_out))
    strange = []
    for concept in absent:
        lease.check()
        strange.append(_signals(local, concept, vectors[concept]))
    return calibrate(present, strange)


def encode_queries(
    texts: Sequence[str], encoder: Encoder, known: KnownVectors, lease: Lease
) -> dict[str, Floats]:
    """Return the vector of each query. Raises LeaseLost.

    Most were asked of the build before, and are known.
    """
    keys = {_query_key(text): text for text in texts}
    vectors = known.find(list(keys))
    missing = [key for key in keys if key not in vectors]
    for start in range(0, len(missing), PORTION):
        made = {}
        for key in missing[start : start + PORTION]:
            lease.check()
            made[key] = encoder.encode_query(keys[key])[np.newaxis]
        known.add(made)
        vectors |= made
    return {text: vectors[key][0] for key, text in keys.items()}


def _query_key(text: str) -> bytes:
    """Return what a query is known by: its vector is another than that of a text."""
    return hashlib.sha256(b"query\0" + text.encode("utf-8", "surrogatepass")).digest()


def repeated_in(local: LocalBuild, ordinal: int, sentence: str) -> list[int]:
    """Return the chunk of a sentence, and those of its file that hold it too.

    A comment may belong to a symbol and to what is left of its module.
    """
    lexical = local.lexical
    file = int(lexical.file_of[ordinal])
    starts = lexical.catalogue.file_starts
    own = range(int(starts[file]), int(starts[file + 1]))
    covered = cover(lexical.postings, sentence)
    if covered is None:
        return [ordinal]
    shares, _ = covered
    return [i for i in own if i == ordinal or shares[i] > WHOLE]


def _signals(
    local: LocalBuild,
    text: str,
    vector: Floats,
    held_out: Sequence[int] = (),
) -> Signals:
    surfaces = [
        local.cosine(surface, vector, local.fingerprint)[0]
        for surface in ("purpose", "body")
    ]
    shared = share_words(local.lexical.postings, text, held_out)
    return Signals(best_cosine(surfaces, held_out), shared.signal if shared else None)
