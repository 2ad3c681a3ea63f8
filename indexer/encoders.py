"""The models of this process: loaded when first asked for, after any fork."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from django.conf import settings

from indexer.pipeline.cross_encoder import CrossEncoderScorer, load_cross_encoder
from indexer.pipeline.encoder import Embedder, Encoder, load_encoder
from indexer.pipeline.loading import ModelError

logger = logging.getLogger(__name__)

NO_MODEL = "none"
KEPT_ENCODERS = 3  # Each takes 100 MB to 2 GB; a search seldom spans more of them.
RETRY_SECONDS = 10.0  # A model that could not be loaded may have been put in place.

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
        with slot.lock:
            if slot.model is None and time.monotonic() >= slot.retry_at:
                try:
                    slot.model, slot.missing = self._load(key), ""
                except ModelError as error:
                    logger.warning("%s", error)
                    slot.missing = str(error)
                    slot.retry_at = time.monotonic() + RETRY_SECONDS
            return slot.model, slot.missing


_encoders: LoadedModels[Embedder, Encoder] = LoadedModels(
    load_encoder, kept=KEPT_ENCODERS
)
_cross_encoders: LoadedModels[str, CrossEncoderScorer] = LoadedModels(
    load_cross_encoder, kept=1
)


def encoder_of(embedder: Embedder) -> tuple[Encoder | None, str]:
    """Return the encoder that `embedder` describes, or None and why."""
    if embedder.model == NO_MODEL:
        return None, "no embedding model is configured"
    return _encoders.get(embedder)


def current_cross_encoder() -> tuple[CrossEncoderScorer | None, str]:
    """Return the configured cross-encoder, or None and why.

    The reason is empty when none is configured.
    """
    if not settings.CROSS_ENCODER:
        return None, ""
    return _cross_encoders.get(settings.CROSS_ENCODER)
