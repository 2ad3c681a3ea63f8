"""Preparing: export a model, verify and time its runtimes, and choose the fastest.

Run as a module, in a process of its own, so that the memory that it takes goes away.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from indexer.pipeline.encoder import Embedder, Floats, SentenceEncoder
from indexer.pipeline.kept import as_child
from indexer.pipeline.loading import ModelError, cpu_has_bf16, export_tokens
from indexer.pipeline.prepared import (
    INT8_FILE,
    TABLE_FILE,
    TOKENIZER_FILE,
    Prepared,
    RuntimeName,
    open_prepared,
    save_prepared,
)
from indexer.pipeline.quantized import onnx_versions, quantize
from indexer.pipeline.sample_texts import sample_texts
from indexer.pipeline.sentence_models import SentenceModel, open_model, torch_encoder

LEAST_COSINE = 0.98  # Of any sample text with its vector in fp32.
SAMPLE_TOKENS = 512  # What code is seldom longer than, whatever a model may read.
EVERY = 8  # Each eighth of the sample is timed: a few seconds.
EXPORTED = ("mean", "cls")  # The ways to pool that need nothing of the model.
PACKAGES = ("torch", "sentence-transformers", "tokenizers", "numpy")


class Trial:
    """What is found of the runtimes of a model, beside its vectors in fp32."""

    def __init__(self, exact: SentenceEncoder) -> None:
        limit = min(exact.max_tokens, SAMPLE_TOKENS)
        self.texts = sample_texts(limit, exact.count_tokens)
        self.rows: Floats = exact.encode(self.texts)
        self.seconds: dict[RuntimeName, float] = {}
        self.lowest: dict[RuntimeName, float] = {}
        self.refused: dict[RuntimeName, str] = {}

    def verify(self, name: RuntimeName, encoder: SentenceEncoder) -> bool:
        """Return whether all its vectors are near enough to those in fp32."""
        cosines = (encoder.encode(self.texts) * self.rows).sum(axis=1)
        lowest = self.lowest[name] = round(float(cosines.min()), 5)
        if lowest < LEAST_COSINE:
            self.refused[name] = f"its lowest cosine is {lowest}, under {LEAST_COSINE}"
        return lowest >= LEAST_COSINE

    def time(self, name: RuntimeName, encoder: SentenceEncoder) -> None:
        """Note the seconds of one core that a text takes."""
        timed = self.texts[::EVERY]
        encoder.encode(timed[:2])
        begun = time.process_time()  # Whatever else the machine does meanwhile.
        encoder.encode(timed)
        self.seconds[name] = round((time.process_time() - begun) / len(timed), 6)

    def evidence(self) -> dict[str, object]:
        """Return all of it, with the versions that it holds for."""
        versions = {name: importlib.metadata.version(name) for name in PACKAGES}
        return {
            "texts": len(self.texts),
            "seconds_per_text": self.seconds,
            "lowest_cosine": self.lowest,
            "refused": self.refused,
            "versions": {**versions, **onnx_versions()},
        }


def make(embedder: Embedder, folder: Path, threads: int) -> None:
    """Fill an empty folder with a model's fastest good runtime. Raises ModelError."""
    found = open_model(embedder)
    exact = torch_encoder(found, "fp32", threads=threads)
    trial = Trial(exact)
    trial.time("fp32", torch_encoder(found, "fp32"))
    draft = Prepared(
        folder=folder,
        runtime="fp32",
        fingerprints={"fp32": exact.fingerprint},
        evidence={},
        dimension=found.dimension,
        max_tokens=found.max_tokens,
        pooling=found.pooling[0] if found.pooling else "",
        include_prompt=found.pooling is None or found.pooling[1],
    )
    draft = try_export(found, draft, trial, threads)
    del found, exact  # Before the weights are held once more.
    draft = try_bf16(embedder, draft, trial, threads)
    fastest = min(trial.seconds, key=lambda name: trial.seconds[name])
    chosen: RuntimeName = "table" if "table" in trial.seconds else fastest
    save_prepared(replace(draft, runtime=chosen, evidence=trial.evidence()), folder)


def try_export(
    found: SentenceModel, draft: Prepared, trial: Trial, threads: int
) -> Prepared:
    """Export a model as what needs no torch; return the draft with it, if it is good.

    A table is always taken, since it is the same sum.
    """
    name: RuntimeName = "table" if found.is_static else "int8"
    made_by = ("numpy", "fp32") if found.is_static else ("onnxruntime", "int8")
    known = {**draft.fingerprints, name: found.fingerprint(*made_by)}
    exported = replace(draft, fingerprints=known)
    folder = draft.folder or Path()
    try:
        (folder / TOKENIZER_FILE).write_text(found.tokenizer, encoding="utf-8")
        if found.is_static:
            np.save(folder / TABLE_FILE, found.table())
        else:
            export_int8(found, folder)
        encoder = open_prepared(exported, name, found.embedder, threads=threads)
        if trial.verify(name, encoder):
            trial.time(name, open_prepared(exported, name, found.embedder))
            return exported
    except ModelError as error:
        trial.refused[name] = str(error)
    for path in folder.iterdir():
        path.unlink()
    return draft


def export_int8(found: SentenceModel, folder: Path) -> None:
    """Write the quantised model. Raises ModelError for one that cannot be."""
    if not onnx_versions():
        raise ModelError("onnx and onnxruntime are not installed")
    if found.pooling is None or found.pooling[0] not in EXPORTED:
        raise ModelError("it is no transformer with one pooling, mean or cls")
    whole = folder / "whole.onnx"
    export_tokens(found.model, whole)
    quantize(whole, folder / INT8_FILE)
    whole.unlink()


def try_bf16(
    embedder: Embedder, draft: Prepared, trial: Trial, threads: int
) -> Prepared:
    """Try the weights in bf16; return the draft with the fingerprint of that."""
    found = open_model(embedder, "bf16")
    encoder = torch_encoder(found, "bf16", threads=threads)
    if not cpu_has_bf16():
        trial.refused["bf16"] = "this processor does not multiply it"
    elif trial.verify("bf16", encoder):
        trial.time("bf16", torch_encoder(found, "bf16"))
    # Known where it is not chosen too: builds may have been made with it.
    known = {**draft.fingerprints, "bf16": encoder.fingerprint}
    return replace(draft, fingerprints=known)


if __name__ == "__main__":
    with as_child():
        make(Embedder(**json.loads(sys.argv[1])), Path(sys.argv[2]), int(sys.argv[3]))
