"""The models of this process: loaded when first asked for, after any fork."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Generic, TypeVar

from django.conf import settings

from indexer.pipeline.cross_encoder import CrossEncoderScorer, load_cross_encoder
from indexer.pipeline.distillation import distilled_folder
from indexer.pipeline.encoder import STATIC, Embedder, Encoder
from indexer.pipeline.loading import ModelError
from indexer.pipeline.prepared import (
    Prepared,
    RuntimeName,
    open_prepared,
    prepare,
)
from indexer.pipeline.sentence_models import load_encoder

logger = logging.getLogger(__name__)

NO_MODEL = "none"
# Of CODESEARCH_RUNTIME. None: the fastest of the good ones.
RUNTIMES: dict[str, RuntimeName | None] = {
    "auto": None,
    "int8": "int8",
    "bf16": "bf16",
    "fp32": "fp32",
}
KEPT_PREPARED = 16  # What is known of a model is a few words.
KEPT_ENCODERS = 3  # Each takes 100 MB to 2 GB; a search seldom spans more of them.
RETRY_SECONDS = 10.0  # A model that could not be loaded may have been put in place.
WEB_SECONDS = 5.0  # A person rather sees what is found without vectors meanwhile.
BEING_PREPARED = "its model is being prepared; search again in half a minute"

Key = TypeVar("Key", bound=Hashable)
Model = TypeVar("Model")


class _Slot(Generic[Model]):
    """One model, or why there is none; whoever comes first loads it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.model: Model | None = None
        self.missing = ""
        self.retry_at = 0.0


class LoadedModels(Generic[Key, Model]):
    """Keeps the models used last. Loading one does not hold up another."""

    def __init__(self, load: Callable[[Key], Model], *, kept: int) -> None:
        self.patience: float | None = (
            None  # Seconds that `get` waits; None: until it is.
        )
        self._load = load
        self._kept = kept
        self._slots: OrderedDict[Key, _Slot[Model]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> tuple[Model | None, str]:
        """Return a model, or None and the sentence that says why."""
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
            while len(self._slots) > self._kept:
                self._slots.popitem(last=False)
        if self.patience is None or slot.model is not None:
            self._load_into(slot, key)
            return slot.model, slot.missing
        loading = threading.Thread(
            target=self._load_into, args=(slot, key), daemon=True
        )
        loading.start()
        loading.join(self.patience)
        if loading.is_alive():
            return None, BEING_PREPARED
        return slot.model, slot.missing

    def _load_into(self, slot: _Slot[Model], key: Key) -> None:
        with slot.lock:
            if slot.model is not None or time.monotonic() < slot.retry_at:
                return
            try:
                slot.model, slot.missing = self._load(key), ""
            except ModelError as error:
                logger.warning("%s", error)
                slot.missing = str(error)
                slot.retry_at = time.monotonic() + RETRY_SECONDS


def _placed(embedder: Embedder) -> Embedder:
    """Return an embedder whose model is not one that we make, but its folder."""
    if embedder.model != STATIC:
        return embedder
    if embedder.revision:
        raise ModelError(f"{STATIC} has no revisions; only a model id has")
    folder = distilled_folder(settings.MODELS_DIR, threads=settings.ENCODER_THREADS)
    return replace(embedder, model=str(folder))


def _prepare(embedder: Embedder) -> Prepared:
    threads = settings.ENCODER_THREADS
    return prepare(_placed(embedder), settings.MODELS_DIR, threads=threads)


def _open(key: tuple[Embedder, RuntimeName]) -> Encoder:
    embedder, runtime = _placed(key[0]), key[1]
    threads = settings.ENCODER_THREADS
    if runtime == "bf16" or runtime == "fp32":
        return load_encoder(embedder, dtype=runtime, threads=threads)
    prepared = prepare(embedder, settings.MODELS_DIR, threads=threads)
    return open_prepared(prepared, runtime, embedder, threads=threads)


_prepared: LoadedModels[Embedder, Prepared] = LoadedModels(_prepare, kept=KEPT_PREPARED)
_encoders: LoadedModels[tuple[Embedder, RuntimeName], Encoder] = LoadedModels(
    _open, kept=KEPT_ENCODERS
)
_cross_encoders: LoadedModels[str, CrossEncoderScorer] = LoadedModels(
    load_cross_encoder, kept=1
)


def answer_soon() -> None:
    """Let no request of this process wait for a model that takes its time."""
    for models in (_prepared, _encoders, _cross_encoders):
        models.patience = WEB_SECONDS


def encoder_of(embedder: Embedder, fingerprint: str = "") -> tuple[Encoder | None, str]:
    """Return the encoder that `embedder` describes, or None and why.

    For the vectors of a build, which have a `fingerprint`, the model computed as it
    was when they were made; else, and if that cannot be done, as it is now.
    """
    if embedder.model == NO_MODEL:
        return None, "no embedding model is configured"
    forced: RuntimeName | None = RUNTIMES[settings.RUNTIME]
    if forced in ("bf16", "fp32"):  # Of which nothing needs to be known.
        found, missing = _encoders.get((embedder, forced))
        if found is None or fingerprint in ("", found.fingerprint):
            return found, missing
    prepared, missing = _prepared.get(embedder)
    if prepared is None:
        return None, missing
    runtime = prepared.runtime_of(fingerprint) or forced or prepared.runtime
    if forced == "int8" == runtime and prepared.runtime == "table":
        runtime = prepared.runtime  # Of which there is no 8-bit form.
    return _encoders.get((embedder, runtime))


def current_cross_encoder() -> tuple[CrossEncoderScorer | None, str]:
    """Return the configured cross-encoder, or None and why.

    The reason is empty when none is configured.
    """
    if not settings.CROSS_ENCODER:
        return None, ""
    return _cross_encoders.get(settings.CROSS_ENCODER)
