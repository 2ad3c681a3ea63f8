"""Prepared: a model with its fastest runtime, found out once and kept in a folder.

The folder holds what that runtime reads, and `runtime.json` with what was measured.
Every process of an installation reads the same, and so computes the same vectors,
without the packages of the model.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from indexer.pipeline import store
from indexer.pipeline.encoder import (
    PACKAGED,
    Embedder,
    SentenceEncoder,
    copy_tokenizer,
)
from indexer.pipeline.encoder import Runtime as EncoderRuntime
from indexer.pipeline.kept import keep_folder, run_child
from indexer.pipeline.loading import (
    PACKAGED_SHA256,
    ModelError,
    cpu_has_bf16,
    held_folder,
    packaged_folder,
)
from indexer.pipeline.quantized import Int8Runtime, onnx_versions, open_session
from indexer.pipeline.tables import TableRuntime

logger = logging.getLogger(__name__)

# `table` is of models of one vector a token: numpy adds those up.
RuntimeName = Literal["int8", "bf16", "fp32", "table"]

FORMAT = 1
RECORD = "runtime.json"
INT8_FILE, TABLE_FILE, TOKENIZER_FILE = "model.int8.onnx", "table.npy", "tokenizer.json"
DIGITS = 16
# What makes a model, among all that may lie in its folder.
MODEL_FILES = {".json", ".txt", ".safetensors", ".bin", ".model", ".py"}


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is known of a model's runtimes. `folder` is None where nothing is kept.

    `runtime` is the fastest of the good ones. `fingerprints` has one for each that
    can be used. `evidence` is for people: seconds of one core a text, the lowest
    cosine with fp32 of the sample, why a runtime was refused, versions.
    """

    folder: Path | None
    runtime: RuntimeName
    fingerprints: Mapping[RuntimeName, str]
    evidence: Mapping[str, object]
    dimension: int = 0
    max_tokens: int = 0
    pooling: str = ""
    include_prompt: bool = True

    @property
    def refused(self) -> Mapping[str, str]:
        """Why a runtime may not be used, of each that may not."""
        refused = self.evidence.get("refused")
        return refused if isinstance(refused, dict) else {}

    def runtime_of(self, fingerprint: str) -> RuntimeName | None:
        """Return the runtime that makes vectors of a fingerprint, None if none does."""
        for name, found in self.fingerprints.items():
            if found == fingerprint:
                return name
        return None


def prepare(embedder: Embedder, models: Path, *, threads: int = 1) -> Prepared:
    """Return what was found out of a model, or find it out now: half a minute.

    One process does, the others wait for it. `models` is the folder of all models.
    Raises ModelError if the model cannot be used at all.
    """
    digest = _content(embedder)
    if digest is None:
        return _unprepared("the model does not lie on this machine yet")
    fields = {**asdict(embedder), "model": digest}
    key = json.dumps([FORMAT, fields, onnx_versions()], sort_keys=True)
    folder = models / hashlib.sha256(key.encode()).hexdigest()[:DIGITS]
    try:
        keep_folder(folder, lambda aside: _fill(embedder, aside, threads))
        return read_prepared(folder)
    except (OSError, store.LayerError) as error:
        logger.warning("%s is computed by torch: %s", embedder.model, error)
        return _unprepared(str(error))


def open_prepared(
    prepared: Prepared, runtime: RuntimeName, embedder: Embedder, *, threads: int = 1
) -> SentenceEncoder:
    """Return the encoder that a folder was prepared for, without torch.

    Raises ModelError if it was not: the model cannot be computed by `runtime`.
    """
    if prepared.folder is None or runtime not in prepared.fingerprints:
        reason = prepared.refused.get(runtime, "it was never tried")
        raise ModelError(f"{embedder.model} is not computed in {runtime}: {reason}")
    opened: EncoderRuntime
    if runtime == "table":
        opened = TableRuntime(np.load(prepared.folder / TABLE_FILE))
    else:
        opened = Int8Runtime(
            open_session(prepared.folder / INT8_FILE),
            pooling=prepared.pooling,
            include_prompt=prepared.include_prompt,
            threads=threads,
        )
    tokenizer = (prepared.folder / TOKENIZER_FILE).read_text(encoding="utf-8")
    return SentenceEncoder(
        opened,
        copy_tokenizer(tokenizer),
        fingerprint=prepared.fingerprints[runtime],
        dimension=prepared.dimension,
        max_tokens=prepared.max_tokens,
        query_prefix=embedder.query_prefix,
        passage_prefix=embedder.passage_prefix,
        special_tokens=runtime != "table",
        threads=threads,
    )


def save_prepared(prepared: Prepared, folder: Path) -> None:
    """Write the record into a folder."""
    text = json.dumps(asdict(replace(prepared, folder=None)), indent=1, sort_keys=True)
    (folder / RECORD).write_text(text + "\n", encoding="utf-8")


def read_prepared(folder: Path) -> Prepared:
    """Return the record of a folder that is whole."""
    record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    return Prepared(**{**record, "folder": folder})


def _fill(embedder: Embedder, folder: Path, threads: int) -> None:
    logger.info("%s is exported, verified and timed, once", embedder.model)
    if Path(embedder.model).is_dir():
        embedder = replace(embedder, model=str(Path(embedder.model).resolve()))
    run_child(
        "indexer.pipeline.preparing",
        *(json.dumps(asdict(embedder)), str(folder.resolve()), str(threads)),
    )


def _content(embedder: Embedder) -> str | None:
    """Return a hash of all that makes a model, None if it does not lie here."""
    if embedder.model == PACKAGED:
        packaged_folder()  # Checks it.
        return PACKAGED_SHA256
    folder = held_folder(embedder.model, embedder.revision)
    if folder is None:
        return None
    # By the folder's name too, which is part of a fingerprint.
    digest = hashlib.sha256(Path(embedder.model).name.encode())
    for path in sorted(folder.rglob("*")):
        if path.suffix in MODEL_FILES and path.is_file():
            digest.update(f"\0{path.relative_to(folder)}\0".encode())
            digest.update(store.hash_file(path).encode())
    return digest.hexdigest()


def _unprepared(reason: str) -> Prepared:
    runtime: RuntimeName = "bf16" if cpu_has_bf16() else "fp32"
    return Prepared(None, runtime, {}, {"refused": {"int8": reason}})
