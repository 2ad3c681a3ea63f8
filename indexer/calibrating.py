"""Calibrating: ask a complete build what it holds, and what it cannot hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from django.db import transaction

from indexer.engines.local import LocalBuild
from indexer.leases import Lease
from indexer.models import Build, Layer
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
from indexer.pipeline.sentences import load_sentences
from indexer.places import layer_folder

WHOLE = 0.999  # Of a share that sums floats.

_concept_vectors: dict[tuple[str, str], npt.NDArray[np.float32]] = {}


def calibrate_build(build: Build, lease: Lease, encoder: Encoder) -> None:
    """Measure the build's own queries and publish what they score.

    The result depends on the layers and the model alone, so a step that died is
    repeated to the same end.
    """
    sentences = load_sentences(layer_folder(build, Layer.Kind.LEXICAL, 0))
    if len(sentences) < LEAST:  # Too few to be worth asking anything.
        found = Calibration(len(sentences), 0)
    else:
        found = measure(open_build(build, build.fingerprint), sentences, encoder, lease)
    with transaction.atomic():
        lease.confirm()
        build.calibration = to_json(found)
        build.save(update_fields=["calibration"])


def measure(
    local: LocalBuild,
    sentences: Sequence[tuple[int, str]],
    encoder: Encoder,
    lease: Lease,
) -> Calibration:
    """Return the calibration of a build. Raises LeaseLost."""
    present = []
    for ordinal, sentence in sentences:
        lease.check()
        held_out = repeated_in(local, ordinal, sentence)
        vector = encoder.encode_query(sentence)
        present.append(_signals(local, sentence, vector, held_out))
    absent = []
    for concept in absent_concepts(local.lexical.postings):
        lease.check()
        vector = _concept_vector(encoder, concept.text)
        absent.append(_signals(local, concept.text, vector))
    return calibrate(present, absent)


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
    vector: npt.NDArray[np.float32],
    held_out: Sequence[int] = (),
) -> Signals:
    surfaces = [
        local.cosine(surface, vector, local.fingerprint)[0]
        for surface in ("purpose", "body")
    ]
    shared = share_words(local.lexical.postings, text, held_out)
    return Signals(best_cosine(surfaces, held_out), shared.signal if shared else None)


def _concept_vector(encoder: Encoder, text: str) -> npt.NDArray[np.float32]:
    """Encode a concept once for all builds of this process."""
    key = (encoder.fingerprint, text)
    if key not in _concept_vectors:
        _concept_vectors[key] = encoder.encode_query(text)
    return _concept_vectors[key]
